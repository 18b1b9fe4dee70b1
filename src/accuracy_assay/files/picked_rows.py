"""Some rows of a Parquet file, or of a folder of them, by their numbers; the others stay there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_paths import find_parquet
from accuracy_assay.files.plain_types import with_plain_types
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["pick_rows"]

_MOST_ROWS = 200
"""Rows that are looked up one by one. Each costs a part of the file; of more the whole table is
the quicker way."""


def pick_rows(
    path: Path, rows: IntArray, columns: Sequence[str], n_rows: int
) -> pl.DataFrame | None:
    """Return some of a table's ``n_rows``, in the given order; None where all have to be read.

    What is no Parquet has no rows to be had alone.
    """
    if not 0 < rows.size <= _MOST_ROWS or rows.max() >= n_rows:
        return None
    try:
        names = find_parquet(path)
        if not names:
            return None
        table = pl.scan_parquet(list(names)).select(columns)
        return with_plain_types(
            pl.concat(pl.collect_all([table.slice(int(row), 1) for row in rows]))
        )
    except (pl.exceptions.PolarsError, InputError):  # files that differ: for the reader of all
        return None
