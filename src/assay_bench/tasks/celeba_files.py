"""CelebA as it is distributed: a list of attributes and a folder of faces, and the paper's split.

``<data>/celeba/list_attr_celeba.txt`` has the number of images, the names of the 40 attributes,
and one line per image with its file name and a 1 or -1 per attribute. The same list as
``list_attr_celeba.csv`` has a line of names and no number. The images themselves lie in
``<data>/celeba/img_align_celeba/``.
"""

from __future__ import annotations

import csv
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

_LISTS, _IMAGES = ("list_attr_celeba.txt", "list_attr_celeba.csv"), "img_align_celeba"


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
            raise InputError(f"images of the list must exist; got none at {str(missing)!r}.")
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
    folder = data / "celeba"
    path = next((folder / name for name in _LISTS if (folder / name).is_file()), None)
    if path is None:
        raise InputError(
            f"data must hold celeba/{_LISTS[0]} or the same as .csv; got {str(data)!r}, which "
            "lacks both."
        )
    known, images = _read_list(path)
    for name in ATTRIBUTES:
        if name not in known:
            raise UnknownNameError(f"attribute of {path.name}", name, known)
    chosen = [known.index(name) for name in ATTRIBUTES]
    gold = [[values[k] == "1" for k in chosen] for _, values in images]
    return Faces(folder, tuple(name for name, _ in images), np.asarray(gold, dtype=np.bool_))


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


def _read_list(path: Path) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the names of all attributes, and each image's file name with its values."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    if path.suffix == ".csv":
        table = list(csv.reader(lines))
        n_heads, known = 1, [name.strip() for name in table[0][1:]] if table else []
    else:
        table = [line.split() for line in lines]
        n_heads, known = 2, table[1] if len(table) > 1 else []
    images = []
    for number, fields in enumerate(table[n_heads:], start=n_heads + 1):
        if not fields:
            continue
        values = [field.strip() for field in fields[1:]]
        if len(values) != len(known) or set(values) - {"1", "-1"}:
            raise InputError(
                f"line {number} of {path.name} must have a file name and {len(known)} values of 1 "
                f"or -1; got {lines[number - 1][:60]!r}."
            )
        images.append((fields[0].strip(), values))
    return known, images
