"""A table in files that gives some of its rows without being read.

Notation: n rows. Of each column ``NAME-K.codes`` (n) says which of its distinct values each row
has, the largest 32-bit number where it has none; ``NAME-K.arrow`` holds the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.runtime.arrays import IntArray

__all__ = ["KeptTable", "write_table"]

_NONE = 2**32 - 1


@dataclass(frozen=True, eq=False)
class KeptTable:
    """Columns that `write_table` wrote, in their order.

    ``written`` are the names of all of them, ``shown`` those to be had, all by default.
    """

    folder: Path
    name: str
    written: Sequence[str]
    shown: Sequence[str] | None = None

    @property
    def columns(self) -> Sequence[str]:
        """The columns to be had: those that were written, or those of them that are shown."""
        return self.written if self.shown is None else self.shown

    def take(self, rows: Sequence[int] | IntArray, columns: Sequence[str]) -> pl.DataFrame:
        """Return the given rows of some columns, in the given order."""
        index = np.asarray(rows, dtype=np.int64)
        return pl.DataFrame([self._part(name, index) for name in columns])

    def item(self, row: int, column: str) -> Any:
        """Return one value; None where it is missing."""
        values, codes = self._columns[column]
        code = int(codes[row])
        return None if code == _NONE else values[code]

    def _part(self, name: str, index: IntArray) -> pl.Series:
        values, codes = self._columns[name]
        places = pl.Series(np.asarray(codes[index]))
        return values.gather(places.replace_strict({_NONE: None}, default=places))

    @cached_property
    def _columns(self) -> Mapping[str, tuple[pl.Series, npt.NDArray[np.uint32]]]:
        return {
            name: (
                pl.read_ipc(self.folder / f"{self.name}-{k}.arrow").get_column(name),
                np.memmap(self.folder / f"{self.name}-{k}.codes", dtype=np.uint32, mode="r"),
            )
            for k, name in enumerate(self.written)
        }


def write_table(folder: Path, name: str, frame: pl.DataFrame) -> list[str]:
    """Write a table to files that `KeptTable` reads; return its columns."""
    for k, column in enumerate(frame.get_columns()):
        values = column.unique().drop_nulls()
        codes = column.replace_strict(
            values,
            pl.Series(np.arange(values.len(), dtype=np.uint32)),
            default=_NONE,
            return_dtype=pl.UInt32,
        )
        codes.to_numpy().tofile(folder / f"{name}-{k}.codes")
        values.to_frame().write_ipc(folder / f"{name}-{k}.arrow")
    return frame.columns
