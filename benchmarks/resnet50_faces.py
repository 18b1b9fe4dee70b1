"""The ResNet-50 path of the faces tasks on made images: made, trained, and its logits written.

``make DIR`` draws images in CelebA's layout (no downloads); ``train DIR`` trains one ResNet-50
per attribute and writes ``attributes.npz`` and ``mf-celeba.npz``. The second needs torch,
torchvision, NumPy and Pillow alone, so it can run on a machine with a GPU; then
``assay bench estimation --task mf-celeba:n_train=1500,n_pool=3500 --data DIR`` runs anywhere.
"""

import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image

from assay_bench.tasks.celeba_files import ATTRIBUTES, LABEL, Split, read_faces, train_logits
from assay_bench.tasks.image_classifier import save_logits
from assay_bench.tasks.resnet50 import ResNet50

N_IMAGES = 5_000
SPLIT = Split(n_train=1_500, n_pool=3_500)
"""Few enough to train twelve networks in five minutes on one large GPU."""

HEIGHT, WIDTH = 218, 178
"""Pixels of CelebA's aligned faces."""


def network() -> ResNet50:
    return ResNet50(epochs=6, batch=32, learning_rate=3e-4, side_px=96)


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    if what == "make":
        make(folder)
    else:
        train(folder)


def make(folder: Path) -> None:
    """Draw faces: each attribute brightens or darkens its own patch, some of them faintly."""
    images = folder / "celeba" / "img_align_celeba"
    images.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    style = rng.normal(size=(N_IMAGES, 2))  # two hidden styles tie the attributes together
    pull = rng.normal(size=(2, len(ATTRIBUTES)))
    gold = style @ pull + rng.logistic(size=(N_IMAGES, len(ATTRIBUTES))) > 0.8
    strength = np.linspace(14.0, 40.0, len(ATTRIBUTES))
    lines = [str(N_IMAGES), " ".join(ATTRIBUTES)]
    for i in range(N_IMAGES):
        face = np.repeat(np.repeat(rng.normal(110.0, 40.0, (28, 23, 3)), 8, 0), 8, 1)
        face = face[:HEIGHT, :WIDTH]
        for k in range(len(ATTRIBUTES)):
            top, left = 54 * (k // 3), 59 * (k % 3)
            face[top : top + 50, left : left + 55, k % 3] += strength[k] * (
                1 if gold[i, k] else -1
            )
        name = f"{i + 1:06d}.jpg"
        Image.fromarray(np.clip(face, 0, 255).astype(np.uint8)).save(images / name, quality=90)
        lines.append(f"{name} " + " ".join("1" if g else "-1" for g in gold[i]))
    (folder / "celeba" / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")


def train(folder: Path) -> None:
    """Train on the first images of the shuffle, write the logits of the pool, print accuracies."""
    faces = read_faces(folder)
    _, pool = SPLIT.of(len(faces.names))
    started = time.perf_counter()
    logits = train_logits(faces, SPLIT, network)
    seconds = time.perf_counter() - started
    names = [faces.names[i] for i in pool]
    save_logits(folder / "celeba" / "attributes.npz", names, logits)
    save_logits(folder / "celeba" / "mf-celeba.npz", names, {LABEL: logits[LABEL]})
    for k, name in enumerate(ATTRIBUTES):
        right = np.mean((logits[name][:, 1] > logits[name][:, 0]) == faces.gold[pool, k])
        common = max(faces.gold[pool, k].mean(), 1 - faces.gold[pool, k].mean())
        print(f"{name:12s} accuracy {right:.3f}, always the common value {common:.3f}")
    print(f"{seconds:.0f} s for {len(ATTRIBUTES)} networks on {SPLIT.n_train} images")


if __name__ == "__main__":
    main()
