"""Cells without a value, and blank texts: in a table, and in a query of DuckDB."""

from __future__ import annotations

import sys

import polars as pl

__all__ = ["is_blank", "is_blank_sql", "is_missing", "is_missing_sql"]

_BLANKS = "".join(chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace())
"""White space as `str.strip` takes it off; Polars and DuckDB each take off other characters."""
_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def is_missing(column: pl.Series) -> pl.Series:
    """Return where a column has no value: null or NaN."""
    if column.dtype.is_float():
        return column.is_null() | column.is_nan().fill_null(value=True)
    return column.is_null()


def is_blank(column: pl.Series) -> pl.Series:
    r"""Return where a column holds a text of nothing but white space; false where it is null.

    Examples
    --------
    >>> is_blank(pl.Series(["", " \t", "a", None])).to_list()
    [True, True, False, False]
    """
    if column.dtype not in _TEXTS:
        return pl.repeat(value=False, n=column.len(), eager=True)
    stripped = column.cast(pl.String).str.strip_chars(_BLANKS)
    return (stripped == "").fill_null(value=False)


def is_missing_sql(term: str, dtype: pl.DataType) -> str:
    """Return `is_missing` as a condition.

    Examples
    --------
    >>> is_missing_sql("score", pl.Float64())
    '(score IS NULL OR isnan(score))'
    """
    if dtype.is_float():
        return f"({term} IS NULL OR isnan({term}))"
    return f"({term} IS NULL)"


def is_blank_sql(term: str, dtype: pl.DataType) -> str:
    """Return `is_blank` as a condition."""
    if dtype not in _TEXTS:
        return "false"
    return f"coalesce(trim({term}::VARCHAR, '{_BLANKS}') = '', false)"
