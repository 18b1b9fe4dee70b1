"""A pool in parts, each read in turn, here or on another machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import polars as pl

from accuracy_assay.files.parquet_rows import ParquetRows, Part

__all__ = ["PART_ROWS", "FilePart", "FramePart", "PoolPart", "file_parts", "frame_parts"]

PART_ROWS = 200_000
"""Rows of a part; a pool of no more is processed as a whole. Chosen by hand: with a few dozen
numbers per row, some hundred megabytes and some seconds of work."""


class PoolPart(Protocol):
    """Some rows of a pool. A part can be pickled, and its text says which rows it has."""

    @property
    def n_rows(self) -> int:
        """How many rows."""
        ...

    def read(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows with the given columns."""
        ...


@dataclass(frozen=True, eq=False)
class FramePart:
    """Rows of a frame in memory, starting at row number ``first`` of the pool."""

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


@dataclass(frozen=True)
class FilePart:
    """Rows of a Parquet file."""

    rows: ParquetRows
    part: Part

    @property
    def n_rows(self) -> int:
        """How many rows."""
        assert self.part.end is not None
        return self.part.end - self.part.first

    def read(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows with the given columns."""
        return self.rows.read(columns, self.part)

    def __str__(self) -> str:
        names = tuple(Path(name).name for name in self.part.names)  # short, to fit into one line
        return str(replace(self.part, names=names))


def frame_parts(frame: pl.DataFrame, part_rows: int = PART_ROWS) -> list[FramePart]:
    """Return the rows of a frame in parts; no row is copied.

    Examples
    --------
    >>> [str(part) for part in frame_parts(pl.DataFrame({"id": range(5)}), 3)]
    ['pool rows 0 to 2', 'pool rows 3 to 4']
    """
    starts = range(0, frame.height, part_rows)
    return [FramePart(frame.slice(start, part_rows), start) for start in starts]


def file_parts(rows: ParquetRows) -> list[FilePart]:
    """Return the rows of Parquet in parts; nothing is read."""
    return [FilePart(rows, part) for part in rows.parts()]
