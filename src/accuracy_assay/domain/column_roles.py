"""What the columns of an unknown table seem to be: which may span a surface, and why not others.

Everything that has to guess (logs, ``look``, ``init``) asks here, so one table gets one guess.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["MOST_VALUES", "attribute_values"]

MOST_VALUES = 20
"""Most values of a column that looks like an attribute or the choices of a label.

Chosen by hand: ages in bands, accents and digits pass; ages in years, names and texts do not.
"""


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
        elif n_values > MOST_VALUES:
            left_out[name] = f"{n_values:,} values"
        elif column.dtype.is_float():
            left_out[name] = "numbers with a fraction"
        else:
            attributes[name] = n_values
    return attributes, left_out
