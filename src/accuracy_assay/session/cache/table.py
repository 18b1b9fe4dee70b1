"""A table in files that gives some of its rows without being read.

Notation: n rows. ``NAME-K.npy`` (n) has column K: floats as they are if none is missing, and of
other columns which of the distinct values each row has. ``NAME.arrow`` has lists of these values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.runtime.arrays import IntArray

__all__ = ["KeptTable", "open_table", "write_table"]


@dataclass(frozen=True, eq=False)
class KeptTable:
    """Arrays of numbers and codes by the names of columns, and the values of codes."""

    arrays: Mapping[str, npt.NDArray[Any]]
    values: Mapping[str, pl.Series]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.arrays)

    def select(self, columns: Sequence[str]) -> KeptTable:
        """Return the table of some columns."""
        return KeptTable({name: self.arrays[name] for name in columns}, self.values)

    def take(self, rows: Sequence[int] | IntArray, columns: Sequence[str]) -> pl.DataFrame:
        """Return the given rows of some columns, in the given order."""
        index = np.asarray(rows, dtype=np.int64)
        return pl.DataFrame([self._part(name, index) for name in columns])

    def item(self, row: int, column: str) -> Any:
        """Return one value; None where it is missing."""
        return self._part(column, np.array([row]))[0]

    def _part(self, name: str, index: IntArray) -> pl.Series:
        found = np.asarray(self.arrays[name][index])
        if found.dtype.kind == "f":
            return pl.Series(name, found)
        return self.values[name].gather(found)


def open_table(folder: Path, name: str) -> KeptTable:
    """Return the table that was written under a name; its arrays are mapped to memory."""
    lists = pl.read_ipc(folder / f"{name}.arrow")
    values = {column.name: column[0].alias(column.name) for column in lists}
    paths = {column: folder / f"{name}-{k}.npy" for k, column in enumerate(values)}
    return KeptTable({c: np.load(path, mmap_mode="r") for c, path in paths.items()}, values)


def write_table(folder: Path, name: str, frame: pl.DataFrame) -> None:
    """Write a table to files that `open_table` reads."""
    lists = []
    for k, column in enumerate(frame.get_columns()):
        numbers, values = _coded(column)
        np.save(folder / f"{name}-{k}.npy", numbers)
        lists.append(pl.Series(column.name, [values]))
    pl.DataFrame(lists).write_ipc(folder / f"{name}.arrow")


def _coded(column: pl.Series) -> tuple[npt.NDArray[Any], pl.Series]:
    """Return the numbers of a column, and the values that codes among them stand for."""
    if column.dtype in (pl.Float32, pl.Float64) and not column.null_count():
        return column.to_numpy(), column.clear()
    if column.dtype.is_nested():
        return np.arange(column.len(), dtype=np.uint32), column
    values = column.unique()
    codes = np.arange(values.len(), dtype=np.uint32)
    return column.replace_strict(values, codes, return_dtype=pl.UInt32).to_numpy(), values
