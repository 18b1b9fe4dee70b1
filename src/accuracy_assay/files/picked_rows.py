"""Some rows of a Parquet file, or of a folder of them, by their numbers, without the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.files.damage import DAMAGE
from accuracy_assay.files.parquet_paths import find_parquet
from accuracy_assay.files.plain_types import with_plain_types
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["pick_rows"]

_MOST_ROWS = 200
"""Most rows to look up one by one. Each costs a part of the file; for more rows, reading the
whole table is quicker."""


def pick_rows(
    path: Path, rows: IntArray, columns: Sequence[str], n_rows: int
) -> pl.DataFrame | None:
    """Return some of a table's ``n_rows``, in the given order; None if all must be read.

    Only Parquet gives rows alone.
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
    except DAMAGE:  # files that differ or are damaged: whoever reads them all says so
        return None
