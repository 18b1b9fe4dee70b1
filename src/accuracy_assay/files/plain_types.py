"""Columns with the types that the package uses: numbers, texts, booleans, times."""

from __future__ import annotations

import polars as pl

from accuracy_assay.files.texts import as_text

__all__ = ["with_plain_types"]

_DIGITS_OF_INT64 = 18


def with_plain_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table with decimals as numbers, and 128-bit integers and objects as texts.

    Nothing computes with them; as whole numbers or texts, ids lose no digit.

    Examples
    --------
    >>> from decimal import Decimal
    >>> with_plain_types(pl.DataFrame({"price": [Decimal("1.50")]})).schema
    Schema([('price', Float64)])
    """
    changed = []
    for column in frame.get_columns():
        dtype = column.dtype
        if isinstance(dtype, pl.Decimal):
            is_whole = not dtype.scale and (dtype.precision or 38) <= _DIGITS_OF_INT64
            changed.append(column.cast(pl.Int64 if is_whole else pl.Float64))
        elif dtype == pl.Int128:
            changed.append(column.cast(pl.String))
        elif dtype == pl.Object:
            texts = [as_text(value) or None for value in column.to_list()]
            changed.append(pl.Series(column.name, texts, dtype=pl.String))
    return frame.with_columns(changed) if changed else frame
