"""JSON lines: one object per line, with the types that all lines together have."""

from __future__ import annotations

import io
from glob import escape
from pathlib import Path

import polars as pl

from accuracy_assay.files.utf8 import refuse_other_bytes

__all__ = ["read_json_lines"]


def read_json_lines(source: Path | bytes, name: str) -> pl.DataFrame:
    """Return the table in a file or in bytes; errors call it ``name``.

    Raises
    ------
    InputError
        If it is no text in UTF-8. What else is wrong with it is Polars' own error.
    """
    # No character of a path is a wildcard.
    plain = io.BytesIO(source) if isinstance(source, bytes) else escape(str(source))
    try:
        return pl.read_ndjson(plain, infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException):
        refuse_other_bytes(source, name)
        raise
