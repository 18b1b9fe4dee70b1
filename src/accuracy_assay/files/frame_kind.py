"""Frames as they came: who brings pandas or PyArrow gets it back, anyone else Polars."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import polars as pl

__all__ = ["Frame", "FrameKind", "as_kind", "kind_of"]

FrameKind: TypeAlias = Literal["polars", "pandas", "pyarrow"]
Frame: TypeAlias = Any
"""A Polars frame, or a pandas frame or a PyArrow table if the rows came as one."""


def kind_of(rows: object) -> FrameKind:
    """Return the kind of frame to answer in; a path is answered in Polars."""
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(rows):
        return "pandas"
    return "pyarrow" if nw.dependencies.is_pyarrow_table(rows) else "polars"


def as_kind(frame: pl.DataFrame, kind: FrameKind) -> Frame:
    """Return the frame as the kind asked for.

    Examples
    --------
    >>> type(as_kind(pl.DataFrame({"a": [1, 2]}), "pandas")).__module__.split(".")[0]
    'pandas'
    """
    if kind == "polars":
        return frame
    if kind == "pyarrow":
        return frame.to_arrow(compat_level=pl.CompatLevel.oldest())  # texts that all tools read
    import pandas as pd

    def values(column: pl.Series) -> Any:
        is_plain = column.dtype.is_numeric() and not column.null_count()
        return column.to_numpy() if is_plain else column.to_list()

    return pd.DataFrame({column.name: values(column) for column in frame.get_columns()})
