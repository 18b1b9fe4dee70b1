"""The cells of a large pool that is kept: choices and fits go by them, and by few of its rows.

Notation: rows that have the same arm, and for every service the same stratum of its signals, are
of one *kind*. n rows, the first N of which are the pool; I kinds, the first J of which occur in
the pool. A problem over kinds has one row per kind, which stands for as many rows of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.cache.pool import KeptPool
from accuracy_assay.session.cache.table import KeptTable
from accuracy_assay.study.read.arms import Arms

__all__ = ["KeptCells", "cells_of", "write_cells"]


@dataclass(frozen=True, eq=False)
class KeptCells:
    """The kinds of a pool's rows.

    Parameters
    ----------
    folder
        Where the arrays are.
    card
        What is written of them: ``strata`` and ``signals`` of each service.
    space
        The attribute space.
    n_pool
        Rows of the pool, N.
    """

    folder: Path
    card: Mapping[str, Any]
    space: AttributeSpace
    n_pool: int

    @cached_property
    def kind_of_row(self) -> npt.NDArray[np.uint32]:
        """Kind of each row, (n,)."""
        return np.memmap(self.folder / "kinds.of_row", dtype=np.uint32, mode="r")

    @cached_property
    def count(self) -> IntArray:
        """Rows of the pool of each kind, (I,)."""
        return np.fromfile(self.folder / "kinds.count", dtype=np.int64)

    @cached_property
    def n_kinds(self) -> int:
        """Kinds that occur in the pool, J."""
        return int((self.count > 0).sum())

    @cached_property
    def arms(self) -> Arms:
        """The arms of the kinds."""
        arm = np.fromfile(self.folder / "kinds.arm", dtype=np.int64)
        return Arms.exact(self.space, self.space.codes(arm), self.n_kinds)

    @property
    def weight(self) -> FloatArray:
        """How many rows of the pool each kind of it stands for, (J,)."""
        return self.count[: self.n_kinds].astype(np.float64)

    def strata(self, service: str) -> tuple[AttributeSpace | None, IntArray | None]:
        """Return the strata of a service's signals, and that of each kind, (I,)."""
        k, plain = list(self.card["strata"]).index(service), self.card["strata"][service]
        if plain is None:
            return None, None
        stratum = np.fromfile(self.folder / f"kinds.stratum-{k}", dtype=np.int64)
        return AttributeSpace.from_json(plain), stratum

    def signals(self, service: str) -> KeptTable:
        """Return the signals of a service's rows."""
        k = list(self.card["signals"]).index(service)
        return KeptTable(self.folder, f"signals-{k}", self.card["signals"][service])

    def kinds_of(self, rows: Sequence[int] | IntArray) -> IntArray:
        """Return the kinds of some rows."""
        return self.kind_of_row[np.asarray(rows, dtype=np.int64)].astype(np.int64)

    def left(self, taken: IntArray) -> IntArray:
        """Return how many rows of each kind are left without those ``taken``, (J,)."""
        gone = np.bincount(self.kinds_of(taken), minlength=self.n_kinds)
        return self.count[: self.n_kinds] - gone[: self.n_kinds]

    def locate(self, kinds: IntArray, rank: IntArray, taken: IntArray) -> list[int]:
        """Return the rows that picks stand for: each the rank-th left of its kind.

        Parameters
        ----------
        kinds, rank
            Of each pick: its kind, and how many rows of the kind that are left precede it.
        taken
            Rows that are not to be had, each once; what a pick takes is gone for the next.
        """
        gone: dict[int, list[int]] = {}
        for kind, row in zip(self.kinds_of(taken).tolist(), taken.tolist(), strict=True):
            gone.setdefault(kind, []).append(row)
        rows = []
        for kind, place in zip(kinds.tolist(), rank.tolist(), strict=True):
            members = self._order[self._starts[kind] : self._starts[kind + 1]]
            away = gone.setdefault(kind, [])
            for passed in np.sort(np.searchsorted(members, away)).tolist():
                place += passed <= place
            rows.append(int(members[place]))
            away.append(rows[-1])
        return rows

    @cached_property
    def _order(self) -> npt.NDArray[np.uint32]:
        """The pool's rows by kind, and in their order, (N,)."""
        return np.memmap(self.folder / "kinds.rows", dtype=np.uint32, mode="r")

    @cached_property
    def _starts(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self.count[: self.n_kinds])])


def cells_of(kept: KeptPool | None, space: AttributeSpace) -> KeptCells | None:
    """Return the cells of a pool, None where they are not kept."""
    if kept is None or not kept.card.get("cells"):
        return None
    return KeptCells(kept.folder, kept.card["cells"], space, kept.n_pool)


def write_cells(
    folder: Path,
    arm: IntArray,
    strata: Mapping[str, tuple[AttributeSpace | None, IntArray | None]],
    n_pool: int,
) -> dict[str, Any]:
    """Write the kinds of rows, and return what goes onto the card.

    Parameters
    ----------
    folder
        Where the arrays go.
    arm
        Arm of each row, (n,).
    strata
        Of each service the space of its strata, and the stratum of each row, (n,).
    n_pool
        Rows of the pool, which come first.
    """
    kind, distinct = _numbered(arm)
    columns = [distinct]
    for space, stratum in strata.values():
        if space is None or stratum is None:
            continue
        kind, distinct = _numbered(kind * space.n_arms + stratum)
        columns = [*(c[distinct // space.n_arms] for c in columns), distinct % space.n_arms]
    count = np.bincount(kind[:n_pool], minlength=distinct.size).astype(np.int64)
    first = np.argsort(count == 0, kind="stable")  # kinds of the seed set alone come last
    place = np.empty_like(first)
    place[first] = np.arange(first.size)
    kind = place[kind]
    kind.astype(np.uint32).tofile(folder / "kinds.of_row")
    np.argsort(kind[:n_pool], kind="stable").astype(np.uint32).tofile(folder / "kinds.rows")
    count[first].tofile(folder / "kinds.count")
    columns[0][first].astype(np.int64).tofile(folder / "kinds.arm")
    known = iter(columns[1:])
    for k, (space, _) in enumerate(strata.values()):
        if space is not None:
            next(known)[first].astype(np.int64).tofile(folder / f"kinds.stratum-{k}")
    return {
        "n_kinds": int(first.size),
        "strata": {
            name: None if space is None else space.to_json() for name, (space, _) in strata.items()
        },
    }


def _numbered(values: IntArray) -> tuple[IntArray, IntArray]:
    """Return the number of each value among the distinct ones, in increasing order, and these."""
    top = int(values.max(initial=0)) + 1
    if top > 4 * values.size:
        distinct, number = np.unique(values, return_inverse=True)
        return number.astype(np.int64), distinct
    is_there = np.bincount(values, minlength=top) > 0
    return (np.cumsum(is_there) - 1)[values], np.flatnonzero(is_there)
