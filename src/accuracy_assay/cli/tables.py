"""Frames as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from rich.console import Group
from rich.table import Table
from rich.text import Text

__all__ = ["frame_table", "titled"]


def frame_table(frame: pl.DataFrame, formats: Mapping[str, str] | None = None) -> Table:
    """Return a table with one column per column; ``formats`` maps a name to a format spec."""
    table = Table()
    formats = formats or {}
    for name, dtype in frame.schema.items():
        table.add_column(name, justify="right" if dtype.is_numeric() else "left")
    for row in frame.iter_rows(named=True):
        table.add_row(*(_show(value, formats.get(name, "")) for name, value in row.items()))
    return table


def titled(title: str, table: Table) -> Group:
    """Return a table under a title that is not cut to the table's width."""
    return Group(Text(title, style="bold"), table)


def _show(value: object, spec: str) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and not spec:
        return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.3g}"
    return format(value, spec)
