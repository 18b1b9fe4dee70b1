"""The last fit of each service, kept for choices: what a strategy looked at, and nothing more.

A strategy looks at the arms' values and at some covariances between cells. They are written down
as it looks, so that a later process makes its choice by the same numbers, without the fit. Where a
choice needs others the fit is made again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.domain.arm_values import COLUMNS
from accuracy_assay.domain.averages import Draws
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.events import Fitted
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.cache.entries import Card, keep, recall

__all__ = ["Covariances", "NotKeptError", "keep_fit", "recall_fit", "watched"]

_MOST_BYTES = 2**28
"""Covariances of a fit that are kept, 256 MB: those of 30,000 cells with the 1,024 kinds that a
strategy weighs in full."""
_FILE = "arrays.npz"
_ARMS = ("arms", *COLUMNS)
_CELLS = ("rate", "variance", "label_variance", "labelled")
_BLOCK = ("rows", "columns", "values")


class NotKeptError(Exception):
    """A choice that needs more of a fit than was kept."""


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances by position: those of a fit, which are noted, or those that were noted."""

    blocks: list[tuple[IntArray, IntArray, FloatArray]] = field(default_factory=list)
    fitted: Callable[[IntArray, IntArray], FloatArray] | None = None

    def __call__(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the block of some rows and columns, both in increasing order."""
        if self.fitted is not None:
            self.blocks.append((rows, columns, self.fitted(rows, columns)))
            return self.blocks[-1][-1]
        for known_rows, known_columns, values in self.blocks:
            at, across = _places(rows, known_rows), _places(columns, known_columns)
            if at is not None and across is not None:
                is_all = rows.size == known_rows.size and columns.size == known_columns.size
                return values if is_all else values[np.ix_(at, across)]
        raise NotKeptError


@dataclass(frozen=True)
class _Memory:
    """What a surface remembers: a posterior with `Covariances`."""

    posterior: CellPosterior


def watched(surface: AccuracySurface) -> AccuracySurface:
    """Return a surface that notes the covariances that are looked at, where it has any."""
    if not isinstance(surface.memory, HasPosterior):
        return surface
    posterior = surface.memory.posterior
    noted = Covariances(fitted=posterior.covariance)
    return replace(surface, memory=_Memory(replace(posterior, covariance=noted)))


def keep_fit(entry: Path, surface: AccuracySurface, made: Fitted) -> None:
    """Keep what a choice by a watched surface looked at; nothing where that is too much."""
    arrays = {name: getattr(surface, name) for name in _ARMS}
    card: dict[str, Any] = {"made": asdict(made), "level": surface.level}
    if isinstance(surface.memory, _Memory):
        posterior, support = surface.memory.posterior, surface.memory.posterior.support
        assert isinstance(posterior.covariance, Covariances)
        blocks = posterior.covariance.blocks
        if sum(values.nbytes for _, _, values in blocks) > _MOST_BYTES:
            return
        arrays |= {"cells": support.cells, "size": support.size}
        arrays |= {f"cell_{name}": getattr(posterior, name) for name in _CELLS}
        for k, block in enumerate(blocks):
            arrays |= {f"{part}_{k}": array for part, array in zip(_BLOCK, block, strict=True)}
        strata = None if support.strata is None else support.strata.to_json()
        card |= {"is_pool": support.is_pool, "strata": strata, "blocks": len(blocks)}
        card |= {"is_of_order": posterior.is_of_order}

    def write(folder: Path) -> Card:
        np.savez(folder / _FILE, **arrays)
        return card

    keep(entry, write)


def recall_fit(
    entry: Path, space: AttributeSpace, seen_seq: int
) -> tuple[AccuracySurface, Fitted] | None:
    """Return the surface to choose by and how it was made; None unless it is kept."""

    def read(folder: Path, card: Card) -> tuple[AccuracySurface, Fitted]:
        with np.load(folder / _FILE) as kept:
            arrays = dict(kept)
        plain = {**card["made"], "seen_seq": seen_seq}
        made: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items()}
        return _surface(card, arrays, space), Fitted(**made)

    return recall(entry, read)


def _surface(card: Card, arrays: dict[str, Any], space: AttributeSpace) -> AccuracySurface:
    memory = None
    if "cells" in arrays:
        strata = None if card["strata"] is None else AttributeSpace.from_json(card["strata"])
        support = Support(space, strata, arrays["cells"], arrays["size"], card["is_pool"])
        blocks: Any = [[arrays[f"{part}_{k}"] for part in _BLOCK] for k in range(card["blocks"])]
        values = {name: arrays[f"cell_{name}"] for name in _CELLS}
        known = {"covariance": Covariances(blocks), "is_of_order": card.get("is_of_order", False)}
        memory = _Memory(CellPosterior(support, **values, **known))
    columns = {name: arrays[name] for name in _ARMS}
    return AccuracySurface(space, **columns, level=card["level"], draws=_no_draws, memory=memory)


def _places(wanted: IntArray, known: IntArray) -> IntArray | None:
    """Return where numbers stand among increasing ones; None unless all of them do."""
    if wanted.size and not known.size:
        return None
    place = np.minimum(np.searchsorted(known, wanted), max(known.size - 1, 0))
    return place if np.array_equal(known[place], wanted) else None


def _no_draws() -> Draws:
    raise NotKeptError
