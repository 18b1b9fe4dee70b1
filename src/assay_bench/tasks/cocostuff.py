"""``ac-cocos`` and ``ac-cocos10k``: which animal is it? The paper's scenes of COCO-Stuff.

``<data>/cocostuff/annotations/{train2017,val2017}/<image>.png`` are the gold pixel maps. Images
with exactly one kind of animal are the pool. The service is a scene segmenter, and its maps lie in
``<data>/cocostuff/<task>/{train2017,val2017}/``: label maps ``<image>.png`` or logits
``<image>.npy`` of shape (labels, height, width). Its answer is the animal with most pixels; where
no pixel shows an animal, logits name the animal that most pixels come nearest to, and a label map
answers none. The same maps guess the attributes: the animal and five backgrounds, 320 arms. As in
the paper a label that is found in the map, by however few pixels, has logit +1 and any other -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.tasks.task import Task
from assay_bench.tasks.cocostuff_labels import (
    ANIMALS,
    PIXEL_OF_ANIMAL,
    PIXELS_OF_BACKGROUND,
)

__all__ = ["NO_ANIMAL", "Scene", "ac_cocos", "ac_cocos10k", "read_map", "see"]

PixelMap = IntArray

NO_ANIMAL = "none"
_PARTS = ("train2017", "val2017")
_FOUND = float(1.0 / (1.0 + np.exp(-2.0)))
"""Probability of a value with logit +1 against one with logit -1."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a pixel map shows: animals from most to fewest pixels, and the backgrounds."""

    animals: tuple[str, ...]
    backgrounds: frozenset[str]


def ac_cocos(data: Path | None) -> Task:
    """Return the task of the segmenter that was trained on 164,000 images."""
    return _animals_task("ac-cocos", data)


def ac_cocos10k(data: Path | None) -> Task:
    """Return the task of the segmenter that was trained on 10,000 images."""
    return _animals_task("ac-cocos10k", data)


def see(pixels: PixelMap) -> Scene:
    """Return the animals and backgrounds of a pixel map."""
    values, counts = np.unique(pixels, return_counts=True)
    area = dict(zip(values.tolist(), counts.tolist(), strict=True))
    seen = [name for name in ANIMALS if area.get(PIXEL_OF_ANIMAL[name])]
    ranked = sorted(seen, key=lambda name: -area[PIXEL_OF_ANIMAL[name]])
    backgrounds = (
        coarse
        for coarse, fine in PIXELS_OF_BACKGROUND.items()
        if any(pixel in area for pixel in fine)
    )
    return Scene(tuple(ranked), frozenset(backgrounds))


def read_map(folder: Path, name: str) -> tuple[PixelMap, str]:
    """Return the service's label map of an image, and its answer.

    Raises
    ------
    InputError
        If there is neither a label map nor a file of logits, or the logits lack labels.
    """
    drawn, scored = folder / f"{name}.png", folder / f"{name}.npy"
    if drawn.is_file():
        pixels = _read_png(drawn)
        return pixels, next(iter(see(pixels).animals), NO_ANIMAL)
    if not scored.is_file():
        raise InputError(
            f"the service must have a map of every image; got neither {str(drawn)!r} nor "
            f"{scored.name!r}."
        )
    logits = np.load(scored, allow_pickle=False)
    last = max(max(fine) for fine in PIXELS_OF_BACKGROUND.values())
    if logits.ndim != 3 or logits.shape[0] <= last:
        raise InputError(
            f"logits must have shape (labels, height, width) with more than {last} labels; got "
            f"{logits.shape} in {str(scored)!r}."
        )
    pixels = logits.argmax(axis=0).astype(np.int64)
    animals = see(pixels).animals
    if not animals:
        first = PIXEL_OF_ANIMAL[ANIMALS[0]]
        nearest = first + logits[first : first + len(ANIMALS)].argmax(axis=0)
        animals = see(nearest.astype(np.int64)).animals
    return pixels, animals[0]


def _animals_task(name: str, data: Path | None) -> Task:
    if data is None:
        raise InputError(
            "data must be the folder that holds 'cocostuff'; got none. "
            "Pass --data DIR or set ASSAY_DATA."
        )
    root = data / "cocostuff"
    rows = list(_rows(root, root / name))
    if not rows:
        raise InputError(
            "data must hold cocostuff/annotations/train2017 or val2017 with pixel maps of "
            f"images that show one animal; got none under {str(root)!r}."
        )
    guessed = ("animal", *PIXELS_OF_BACKGROUND)
    return Task(
        name=name,
        description="Scenes of COCO-Stuff: which animal is it? Attributes guessed by the service.",
        rows=pl.DataFrame(rows),
        attributes=guessed,
        kinds=dict.fromkeys(PIXELS_OF_BACKGROUND, "boolean"),
        y_true="animal",
        y_pred="service_pred",
        evidence={attribute: f"p_{attribute}__*" for attribute in guessed},
        from_label=("animal",),
        services={name: "service_pred"},
    )


def _rows(root: Path, service: Path) -> Iterator[dict[str, object]]:
    for part in _PARTS:
        for path in sorted((root / "annotations" / part).glob("*.png")):
            gold = see(_read_png(path))
            if len(gold.animals) == 1:
                pixels, answer = read_map(service / part, path.stem)
                yield _row(f"{part}/{path.stem}", gold, see(pixels), answer)


def _row(name: str, gold: Scene, seen: Scene, answer: str) -> dict[str, object]:
    (animal,) = gold.animals
    weight = np.where([a in seen.animals for a in ANIMALS], np.e, 1.0 / np.e)
    row: dict[str, object] = {
        "id": name,
        "animal": animal,
        **{coarse: coarse in gold.backgrounds for coarse in PIXELS_OF_BACKGROUND},
        "service_pred": answer,
        "correct": int(answer == animal),
    }
    for value, probability in zip(ANIMALS, weight / weight.sum(), strict=True):
        row[f"p_animal__{value}"] = float(probability)
    for coarse in PIXELS_OF_BACKGROUND:
        is_there = _FOUND if coarse in seen.backgrounds else 1.0 - _FOUND
        row[f"p_{coarse}__true"], row[f"p_{coarse}__false"] = is_there, 1.0 - is_there
    return row


def _read_png(path: Path) -> PixelMap:
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image, dtype=np.int64)
