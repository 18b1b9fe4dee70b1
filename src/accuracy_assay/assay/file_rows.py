"""Some rows of a Parquet file by their numbers; of the others nothing is kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.runtime.arrays import IntArray

__all__ = ["rows_of_file"]

_MOST_ROWS = 200
"""Rows that are looked up one by one. Each costs a part of the file; of more the whole table is
the quicker way."""


def rows_of_file(
    path: Path, rows: IntArray, columns: Sequence[str], n_rows: int
) -> pl.DataFrame | None:
    """Return rows of some columns, in the given order; None where the whole table has to be read.

    Parameters
    ----------
    path
        The file; one that is no Parquet file has no rows to be had alone.
    rows, columns
        Row numbers below ``n_rows``, and names.
    n_rows
        Rows of the file.
    """
    if path.suffix.lower() != ".parquet" or not path.is_file() or not 0 < rows.size <= _MOST_ROWS:
        return None
    if rows.max() >= n_rows:
        return None
    table = pl.scan_parquet(path, glob=False).select(columns)
    if any(_is_special(dtype) for dtype in table.collect_schema().dtypes()):
        return None
    return pl.concat(pl.collect_all([table.slice(int(row), 1) for row in rows]))


def _is_special(dtype: pl.DataType) -> bool:
    """Return whether `read_table` gives a column another type than the file has."""
    return isinstance(dtype, pl.Decimal) or dtype in (pl.Int128, pl.Object)
