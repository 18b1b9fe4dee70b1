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

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.cache.entries import Card
from accuracy_assay.session.cache.table import KeptTable, open_table, write_table
from accuracy_assay.study.read.arms import Arms

__all__ = ["KeptCells", "Strata", "open_cells", "write_cells"]

Strata = tuple[AttributeSpace | None, IntArray | None]
"""The strata of a service's signals, and which one each row or kind has; None without signals."""

_ROWS_PER_KIND = 4
"""Kinds are kept where each has at least as many rows on average; else there is no gain."""
_STRATUM = "stratum of "


@dataclass(frozen=True, eq=False)
class KeptCells:
    """The kinds of a pool's rows.

    Parameters
    ----------
    space
        The attribute space.
    kind_of_row, rows_by_kind
        Kind of each row, (n,), and the rows of the pool by their kinds, (N,).
    arm, count
        Arm of each kind, and its rows in the pool, (I,).
    strata, signals
        Of each service the strata of the kinds, and the signals of the rows.
    """

    space: AttributeSpace
    kind_of_row: npt.NDArray[np.uint32]
    rows_by_kind: npt.NDArray[np.uint32]
    arm: IntArray
    count: IntArray
    strata: Mapping[str, Strata]
    signals: Mapping[str, KeptTable]

    @cached_property
    def n_kinds(self) -> int:
        """Kinds that occur in the pool, J."""
        return int((self.count > 0).sum())

    @cached_property
    def arms(self) -> Arms:
        """The arms of the kinds."""
        return Arms.exact(self.space, self.space.codes(self.arm), self.n_kinds)

    @property
    def weight(self) -> FloatArray:
        """How many rows of the pool each kind of it stands for, (J,)."""
        return self.count[: self.n_kinds].astype(np.float64)

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
            members = self.rows_by_kind[self._starts[kind] : self._starts[kind + 1]]
            away = gone.setdefault(kind, [])
            for passed in np.sort(np.searchsorted(members, away)).tolist():
                place += passed <= place
            rows.append(int(members[place]))
            away.append(rows[-1])
        return rows

    @cached_property
    def _starts(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self.count[: self.n_kinds])])


def open_cells(folder: Path, card: Card, space: AttributeSpace) -> KeptCells:
    """Return the cells that `write_cells` wrote; ``card`` is what it returned."""
    kinds = pl.read_ipc(folder / "kinds.arrow")
    strata: dict[str, Strata] = dict.fromkeys(card, (None, None))
    for service, plain in card.items():
        if plain is not None:
            stratum = kinds.get_column(_STRATUM + service).to_numpy()
            strata[service] = AttributeSpace.from_json(plain), stratum
    return KeptCells(
        space,
        np.load(folder / "kind_of_row.npy", mmap_mode="r"),
        np.load(folder / "rows_by_kind.npy", mmap_mode="r"),
        kinds.get_column("arm").to_numpy(),
        kinds.get_column("count").to_numpy(),
        strata,
        {service: open_table(folder, f"signals-{k}") for k, service in enumerate(card)},
    )


def write_cells(
    folder: Path,
    arm: IntArray,
    strata: Mapping[str, Strata],
    signals: Sequence[pl.DataFrame],
    n_pool: int,
) -> Card | None:
    """Write the kinds of rows, and return the card; None, and nothing, where they are too many.

    Parameters
    ----------
    folder
        Where the files go.
    arm
        Arm of each row, (n,).
    strata, signals
        Of each service the strata of the rows, and its signals.
    n_pool
        Rows of the pool, which come first.
    """
    known = {_STRATUM + service: stratum for service, (_, stratum) in strata.items()}
    every = pl.LazyFrame({"arm": arm} | {k: v for k, v in known.items() if v is not None})
    columns = every.collect_schema().names()
    in_pool = pl.int_range(pl.len(), dtype=pl.Int64) < n_pool
    counted = every.with_columns(count=in_pool.cast(pl.Int64)).group_by(columns).sum()
    kinds = counted.sort(pl.col("count") == 0, *columns).with_row_index("kind").collect()
    if kinds.height * _ROWS_PER_KIND > n_pool:
        return None
    found = every.join(kinds.lazy(), on=columns, how="left", maintain_order="left")
    kind = found.select("kind").collect().to_series().to_numpy()
    order = np.argsort(kind[:n_pool], kind="stable").astype(np.uint32)
    np.save(folder / "kind_of_row.npy", kind)
    np.save(folder / "rows_by_kind.npy", order)
    kinds.write_ipc(folder / "kinds.arrow")
    for k, table in enumerate(signals):
        write_table(folder, f"signals-{k}", table)
    return {service: space and space.to_json() for service, (space, _) in strata.items()}
