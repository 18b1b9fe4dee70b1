"""What the columns of an unknown table seem to be: which may span a surface, and why not others.

Everything that has to guess (logs, ``look``, ``init``) asks here, so one table gets one guess.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["MOST_VALUES", "attribute_values", "most_values"]

MOST_VALUES = 20
"""Most values of a column that looks like an attribute or the choices of a label.

Chosen by hand: ages in bands, accents and digits pass; ages in years, names and texts do not.
"""

_ROWS_PER_VALUE = 50
"""Rows per value from which a column of texts may have more values: 57 subjects of 14,000
questions are an attribute."""
_MOST_TEXTS = 100
"""Most values of such a column, chosen by hand: more slices than anyone reads."""


def most_values(n_rows: int) -> int:
    """Return the most values of a column of texts that looks like an attribute.

    Examples
    --------
    >>> most_values(500), most_values(3_000), most_values(1_000_000)
    (20, 60, 100)
    """
    return max(MOST_VALUES, min(_MOST_TEXTS, n_rows // _ROWS_PER_VALUE))


def attribute_values(
    rows: pl.DataFrame, names: Iterable[str]
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the columns that may be attributes with their numbers of values, and why others not.

    Examples
    --------
    >>> rows = pl.DataFrame({"sex": ["f", "m"], "land": ["at", "at"]})
    >>> attribute_values(rows, ["sex", "land"])
    ({'sex': 2}, {'land': 'one value'})
    """
    attributes: dict[str, int] = {}
    left_out: dict[str, str] = {}
    for name in names:
        column = rows.get_column(name)
        n_values = 0 if column.dtype.is_nested() else column.drop_nulls().n_unique()
        if column.dtype.is_nested():
            left_out[name] = "nested values"
        elif n_values < 2:
            left_out[name] = "one value" if n_values else "no value"
        elif n_values > (most_values(rows.height) if column.dtype == pl.String else MOST_VALUES):
            left_out[name] = f"{n_values:,} values"
        elif column.dtype.is_float():
            left_out[name] = "numbers with a fraction"
        else:
            attributes[name] = n_values
    return attributes, left_out
