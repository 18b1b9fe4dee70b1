"""Some rows of a Parquet file, or of a folder of them, by their numbers; the others stay there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_paths import find_parquet
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
        The file or folder; what is no Parquet has no rows to be had alone.
    rows, columns
        Row numbers below ``n_rows``, and names.
    n_rows
        Rows in all.
    """
    if not 0 < rows.size <= _MOST_ROWS or rows.max() >= n_rows:
        return None
    try:
        names = find_parquet(path)
        if not names:
            return None
        table = pl.scan_parquet(list(names)).select(columns)
        if any(_is_special(dtype) for dtype in table.collect_schema().dtypes()):
            return None
        return pl.concat(pl.collect_all([table.slice(int(row), 1) for row in rows]))
    except (pl.exceptions.PolarsError, InputError):  # files that differ: for the reader of all
        return None


def _is_special(dtype: pl.DataType) -> bool:
    """Return whether `read_table` gives a column another type than the file has."""
    return isinstance(dtype, pl.Decimal) or dtype in (pl.Int128, pl.Object)
