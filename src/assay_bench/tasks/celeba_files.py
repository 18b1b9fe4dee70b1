"""CelebA as it is distributed: a list of attributes and a folder of faces, and the paper's split.

``<data>/celeba/list_attr_celeba.txt`` has the number of images, the names of the 40 attributes,
and one line per image with its file name and a 1 or -1 per attribute. The images
themselves lie in ``<data>/celeba/img_align_celeba/``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from assay_bench.tasks.image_classifier import ImageClassifier

__all__ = ["ATTRIBUTES", "LABEL", "Faces", "MakeClassifier", "Split", "read_faces", "train_logits"]

MakeClassifier = Callable[[], ImageClassifier]

LABEL = "Male"
ATTRIBUTES = (
    "Black_Hair",
    "Blond_Hair",
    "Brown_Hair",
    "Smiling",
    "Male",
    "Chubby",
    "Mustache",
    "No_Beard",
    "Wearing_Hat",
    "Blurry",
    "Young",
    "Eyeglasses",
)
"""The twelve attributes of the paper's appendix, in its order."""

_LIST, _IMAGES = "list_attr_celeba.txt", "img_align_celeba"


@dataclass(frozen=True, slots=True)
class Split:
    """Which images train the classifiers and which are the pool.

    The defaults are the paper's: all images are shuffled with seed 0, the first 50,000 train, and
    the next 100,000 are the pool. (The text says 150,000; its 398 active arms are those of
    100,000.)
    """

    n_train: int = 50_000
    n_pool: int = 100_000
    seed: int = 0

    def of(self, n_images: int) -> tuple[IntArray, IntArray]:
        """Return the image numbers of both parts; the pool ends with the images.

        Raises
        ------
        InputError
            If the training images leave no pool.
        """
        if not 0 <= self.n_train < n_images:
            raise InputError(
                f"n_train must leave images for the pool; got {self.n_train} of {n_images}."
            )
        order = np.random.RandomState(self.seed).permutation(n_images).astype(np.int64)
        return order[: self.n_train], order[self.n_train : self.n_train + self.n_pool]


@dataclass(frozen=True, slots=True)
class Faces:
    """The images and their gold: ``gold[:, k]`` tells whether attribute k holds.

    Parameters
    ----------
    folder
        The folder ``celeba``.
    names
        File names in the order of the list.
    gold
        Shape (n, 12), in the order of ``ATTRIBUTES``.
    """

    folder: Path
    names: tuple[str, ...]
    gold: BoolArray

    def paths(self, numbers: IntArray) -> list[Path]:
        """Return the image files of the given numbers.

        Raises
        ------
        InputError
            If one of them does not exist.
        """
        paths = [self.folder / _IMAGES / self.names[i] for i in numbers]
        missing = next((path for path in paths if not path.is_file()), None)
        if missing is not None:
            raise InputError(f"images of {_LIST} must exist; got none at {str(missing)!r}.")
        return paths


def read_faces(data: Path | None) -> Faces:
    """Return the faces listed in ``<data>/celeba``.

    Raises
    ------
    InputError
        If the folder, the list, an attribute or a line of the list is not as it should be.
    """
    if data is None:
        raise InputError(
            "data must be the folder that holds 'celeba'; got none. "
            "Pass --data DIR or set ASSAY_DATA."
        )
    path = data / "celeba" / _LIST
    if not path.is_file():
        raise InputError(f"data must hold celeba/{_LIST}; got {str(data)!r}, which lacks it.")
    lines = path.read_text(encoding="utf-8").splitlines()
    known = lines[1].split() if len(lines) > 1 else []
    for name in ATTRIBUTES:
        if name not in known:
            raise UnknownNameError(f"attribute of {_LIST}", name, known)
    chosen = [1 + known.index(name) for name in ATTRIBUTES]
    names, gold = [], []
    for number, line in enumerate(lines[2:], start=3):
        fields = line.split()
        if not fields:
            continue
        values = fields[1:]
        if len(values) != len(known) or set(values) - {"1", "-1"}:
            raise InputError(
                f"line {number} of {_LIST} must have a file name and {len(known)} values of 1 "
                f"or -1; got {line[:60]!r}."
            )
        names.append(fields[0])
        gold.append([fields[k] == "1" for k in chosen])
    return Faces(path.parent, tuple(names), np.asarray(gold, dtype=np.bool_))


def train_logits(
    faces: Faces, split: Split, make_classifier: MakeClassifier
) -> dict[str, FloatArray]:
    """Train one classifier per attribute and return its logits of the pool, (n, 2) each.

    This needs nothing but the images and a classifier: a machine with a GPU can leave its logits
    for another.
    """
    train, pool = split.of(len(faces.names))
    known, unknown = faces.paths(train), faces.paths(pool)
    logits = {}
    for k, name in enumerate(ATTRIBUTES):
        classifier = make_classifier()
        classifier.fit(known, faces.gold[train, k].astype(np.int64))
        logits[name] = classifier.logits(unknown)
    return logits
