"""Texts in CSV files that no spreadsheet executes.

Spreadsheets execute cells such as ``=cmd()``. An apostrophe before it makes it a text; it is
removed when the file is read back.
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl

__all__ = ["guarded", "guarded_frame", "unguarded", "unguarded_frame"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")
_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def guarded(value: Any) -> Any:
    """Return a cell that no spreadsheet executes; numbers are safe as they are.

    Examples
    --------
    >>> guarded("=1+1"), guarded("-1.5"), guarded("'@x"), guarded("cat")
    ("'=1+1", '-1.5', "''@x", 'cat')
    """
    is_text = isinstance(value, str) and not _NUMBER.fullmatch(value)
    return f"'{value}" if is_text and _FORMULA.match(value) else value


def unguarded(text: str) -> str:
    """Return what `guarded` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def guarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose texts and headers no spreadsheet executes."""
    texts = [name for name, dtype in frame.schema.items() if dtype in _TEXTS]
    column = pl.col(texts).cast(pl.String)
    is_formula = column.str.contains(f"^(?:{_FORMULA.pattern})")
    is_number = column.str.contains(f"^(?:{_NUMBER.pattern})$")
    safe = pl.when(is_formula & ~is_number).then("'" + column).otherwise(column).name.keep()
    return (frame.with_columns(safe) if texts else frame).rename(guarded)


def unguarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table that `guarded_frame` was given, of texts alone."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    column = pl.col(texts)
    is_guarded = column.str.contains(f"^'(?:{_FORMULA.pattern})")
    bare = pl.when(is_guarded).then(column.str.slice(1)).otherwise(column).name.keep()
    return (frame.with_columns(bare) if texts else frame).rename(unguarded)
