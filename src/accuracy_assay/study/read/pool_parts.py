"""A pool in parts: rows that are read when their turn comes, here or on another machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl

__all__ = ["PART_ROWS", "FramePart", "PoolPart", "frame_parts"]

PART_ROWS = 200_000
"""Rows of a part, and rows up to which a pool is worked on as a whole. Chosen by hand: a few dozen
numbers per row take some hundred megabytes, and the work on them some seconds."""


class PoolPart(Protocol):
    """Some rows of a pool. It can be pickled, and its text says which rows they are."""

    @property
    def n_rows(self) -> int:
        """How many rows."""
        ...

    def read(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows with the given columns."""
        ...


@dataclass(frozen=True, eq=False)
class FramePart:
    """Rows of a frame in memory, from row number ``first`` of the pool on."""

    frame: pl.DataFrame
    first: int

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return self.frame.height

    def read(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows with the given columns."""
        return self.frame.select(columns)

    def __str__(self) -> str:
        return f"pool rows {self.first} to {self.first + self.n_rows - 1}"


def frame_parts(frame: pl.DataFrame, part_rows: int = PART_ROWS) -> list[FramePart]:
    """Return the rows of a frame in parts; no row is copied.

    Examples
    --------
    >>> [str(part) for part in frame_parts(pl.DataFrame({"id": range(5)}), 3)]
    ['pool rows 0 to 2', 'pool rows 3 to 4']
    """
    starts = range(0, frame.height, part_rows)
    return [FramePart(frame.slice(start, part_rows), start) for start in starts]
