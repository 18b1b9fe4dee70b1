"""Tables in a terminal. Cells and headings are shown as they are, never read as markup."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from rich.table import Table
from rich.text import Text

from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["frame_table", "text_table"]

_PLAIN_BELOW = 1e6
"""Numbers from here on are shown with an exponent: seven digits are more than one reads."""


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of texts; the first column is to the left, the others, numbers, right."""
    table = Table()
    for k, column in enumerate(columns):
        table.add_column(_literal(column), justify="right" if k else "left")
    for row in rows:
        table.add_row(*map(_literal, row))
    return table


def frame_table(frame: pl.DataFrame) -> Table:
    """Return a frame as a table, numbers with three decimals where they have any."""
    table = Table()
    for name, dtype in frame.schema.items():
        table.add_column(_literal(name), justify="right" if dtype.is_numeric() else "left")
    for row in frame.iter_rows():
        table.add_row(*(_literal(_show(value)) for value in row))
    return table


def _literal(text: str) -> Text:
    return Text(visible_text(text))


def _show(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        is_plain = abs(value) < _PLAIN_BELOW
        return f"{value:.3f}".rstrip("0").rstrip(".") if is_plain else f"{value:.3g}"
    return str(value)
