"""The paper's network: ResNet-50, fine-tuned on image files. Needs the extra ``vision``.

torch and torchvision are imported when a classifier is made, never before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.errors import InputError, MissingExtraError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["ResNet50"]

_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)
"""Of ImageNet's colours (red, green, blue): what torchvision's weights were trained with."""


@dataclass(slots=True)
class ResNet50:
    """A ResNet-50 with one output per label.

    Parameters
    ----------
    weights
        File of a state dict to start from (ImageNet's, say); its last layer is replaced where
        the number of labels differs. None starts from random weights.
    n_labels
        Number of labels.
    epochs, batch, learning_rate
        Of the training, with Adam. The defaults were chosen by hand for weights that are
        fine-tuned; random ones need more epochs and a higher rate.
    side_px
        Height and width that images are scaled to; 224 are those of ImageNet's training.
    seed
        Seed of the weights and of the order of the images.
    device
        ``cuda`` or ``cpu``; by default the first that is there.
    """

    weights: Path | None = None
    n_labels: int = 2
    epochs: int = 3
    batch: int = 128
    learning_rate: float = 1e-4
    side_px: int = 224
    seed: int = 0
    device: str | None = None
    network: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        torch, torchvision = _import_vision()
        self.device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(self.seed)
        network = torchvision.models.resnet50(weights=None)
        if self.weights is not None:
            if not Path(self.weights).is_file():
                raise InputError(f"weights must be a file; got {str(self.weights)!r}.")
            state = torch.load(self.weights, map_location="cpu", weights_only=True)
            network.load_state_dict(state)
        network.fc = torch.nn.Linear(network.fc.in_features, self.n_labels)
        self.network = network.to(self.device)

    def fit(self, paths: Sequence[Path], labels: IntArray) -> None:
        """Train on the images at ``paths``."""
        torch, _ = _import_vision()
        optimiser = torch.optim.Adam(self.network.parameters(), lr=self.learning_rate)
        loss = torch.nn.CrossEntropyLoss()
        rng = np.random.default_rng(self.seed)
        self.network.train()
        for _ in range(self.epochs):
            order = rng.permutation(len(paths))
            for chosen in _batches(order, self.batch):
                images = self._read([paths[i] for i in chosen])
                target = torch.as_tensor(labels[chosen]).to(self.device)
                optimiser.zero_grad()
                loss(self.network(images), target).backward()
                optimiser.step()

    def logits(self, paths: Sequence[Path]) -> FloatArray:
        """Return the network's outputs, one row per image."""
        torch, _ = _import_vision()
        self.network.eval()
        rows = []
        with torch.no_grad():
            for chosen in _batches(np.arange(len(paths)), self.batch):
                images = self._read([paths[i] for i in chosen])
                rows.append(self.network(images).double().cpu().numpy())
        return np.concatenate(rows) if rows else np.zeros((0, self.n_labels))

    def _read(self, paths: Sequence[Path]) -> Any:
        """Return the images as one tensor (n, 3, side, side), scaled as ImageNet's are."""
        from PIL import Image

        torch, _ = _import_vision()
        table = np.empty((len(paths), self.side_px, self.side_px, 3), dtype=np.float32)
        for i, path in enumerate(paths):
            with Image.open(path) as image:
                small = image.convert("RGB").resize((self.side_px, self.side_px))
            table[i] = np.asarray(small, dtype=np.float32) / 255.0
        table = (table - _MEAN) / _DEVIATION
        return torch.from_numpy(table).permute(0, 3, 1, 2).contiguous().to(self.device)


def _batches(order: IntArray, size: int) -> Iterator[IntArray]:
    for start in range(0, order.size, size):
        yield order[start : start + size]


def _import_vision() -> tuple[Any, Any]:
    try:
        import torch
        import torchvision
    except ModuleNotFoundError:
        raise MissingExtraError("ResNet50", "vision") from None
    return torch, torchvision
