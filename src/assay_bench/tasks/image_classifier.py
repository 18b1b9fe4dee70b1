"""Classifiers of image files, and the files of logits that stand in for them.

A task that needs a classifier takes any object with ``fit(paths, labels)`` and ``logits(paths)``.
``PixelClassifier`` makes one of a scikit-learn classifier; ``resnet50`` has the paper's network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["ImageClassifier", "PixelClassifier", "load_logits", "save_logits"]

_NAMES = "names"
_LEAST_PROBABILITY = 1e-6
"""Stands for 0, whose logarithm is not finite; less than any share that thousands of training
images could tell."""


@runtime_checkable
class ImageClassifier(Protocol):
    """Learns a label of images; labels are codes 0, 1, ..."""

    def fit(self, paths: Sequence[Path], labels: IntArray) -> None:
        """Train on the images at ``paths``."""
        ...

    def logits(self, paths: Sequence[Path]) -> FloatArray:
        """Return one row of logits per image and one column per label."""
        ...


@dataclass(frozen=True, slots=True)
class PixelClassifier:
    """A scikit-learn classifier on the pixels of small grey copies.

    Parameters
    ----------
    classifier
        An object with ``fit`` and ``predict_proba``.
    side_px
        Height and width of the copies; 32 keep a face recognisable at 1,024 numbers.
    """

    classifier: Any
    side_px: int = 32

    def fit(self, paths: Sequence[Path], labels: IntArray) -> None:
        """Train on the images at ``paths``."""
        self.classifier.fit(self._pixels(paths), labels)

    def logits(self, paths: Sequence[Path]) -> FloatArray:
        """Return the logarithms of the probabilities; a label never seen has the least one."""
        found = np.asarray(self.classifier.predict_proba(self._pixels(paths)), dtype=np.float64)
        classes = np.asarray(self.classifier.classes_, dtype=np.int64)
        table = np.full((len(paths), max(2, int(classes.max()) + 1)), _LEAST_PROBABILITY)
        table[:, classes] = np.maximum(found, _LEAST_PROBABILITY)
        return np.asarray(np.log(table))

    def _pixels(self, paths: Sequence[Path]) -> npt.NDArray[np.float32]:
        from PIL import Image

        rows = np.empty((len(paths), self.side_px**2), dtype=np.float32)
        for i, path in enumerate(paths):
            with Image.open(path) as image:
                small = image.convert("L").resize((self.side_px, self.side_px))
            rows[i] = np.asarray(small, dtype=np.float32).ravel() / 255.0
        return rows


def save_logits(path: Path, names: Sequence[str], logits: dict[str, FloatArray]) -> None:
    """Write logits by name of what they tell, one row per name in ``names``, as ``.npz``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **{_NAMES: np.asarray(names), **logits})  # type: ignore[arg-type]


def load_logits(path: Path, names: Sequence[str], wanted: Sequence[str]) -> dict[str, FloatArray]:
    """Return the logits of the images called ``names``, shape (n, V) each.

    Raises
    ------
    InputError
        If the file, one of ``wanted`` or an image is missing, or a logit is not finite.
    """
    if not path.is_file():
        raise InputError(
            f"logits must lie in {str(path)!r}; got no such file. Write it with save_logits, or "
            "give a classifier."
        )
    with np.load(path, allow_pickle=False) as file:
        for key in (_NAMES, *wanted):
            if key not in file.files:
                raise InputError(f"{path.name} must hold {key!r}; got {sorted(file.files)}.")
        row = {str(name): i for i, name in enumerate(file[_NAMES])}
        missing = next((name for name in names if name not in row), None)
        if missing is not None:
            raise InputError(
                f"{path.name} must have a row for every image; got none for {missing!r}."
            )
        chosen = np.asarray([row[name] for name in names], dtype=np.int64)
        tables = {key: np.asarray(file[key], dtype=np.float64) for key in wanted}
    for key, table in tables.items():
        if table.ndim != 2 or table.shape[0] != len(row) or not np.isfinite(table).all():
            raise InputError(
                f"{key!r} of {path.name} must be finite numbers of shape ({len(row)}, values); "
                f"got shape {table.shape}."
            )
    return {key: table[chosen] for key, table in tables.items()}
