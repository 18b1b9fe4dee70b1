"""Unique ids in Parquet of any size: eight bytes per id are held, not its text."""

from __future__ import annotations

import numpy as np

from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows

__all__ = ["require_unique_rows"]

_MOST_LOOKED_AT = 1000
"""Repeated hashes whose ids are compared at once. Two 64-bit hashes are equal by chance once in a
billion tables of 10^5 rows, so nearly all of them are repeated ids."""


def require_unique_rows(rows: ParquetRows, column: str) -> None:
    """Raise an error that names a repeated id."""
    name = rows.column(column)
    hashes = rows.ask([f"hash({name})"]).to_series().to_numpy(writable=True)
    hashes.sort()
    twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
    for start in range(0, twice.size, _MOST_LOOKED_AT):
        wanted = ", ".join(f"{h}::UBIGINT" for h in twice[start : start + _MOST_LOOKED_AT])
        found = rows.ask(
            [f"any_value({name})", "count(*)"],
            f"WHERE hash({name}) IN ({wanted}) GROUP BY {name} HAVING count(*) > 1 "
            "ORDER BY 1 LIMIT 1",
        )
        if found.height:
            repeated = rows.typed(found.select(found["c0"].alias(column)))[column][0]
            raise InputError(
                f"column {column!r} of {rows.what} must have unique values; got {repeated!r} "
                f"{found['c1'][0]} times. Drop the repeated rows or choose another id."
            )
