"""JSON lines: one object per line, with the types that all lines together have."""

from __future__ import annotations

import io
import mmap
import re
from glob import escape
from pathlib import Path

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.utf8 import refuse_other_bytes

__all__ = ["read_json_lines"]

_HALF = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"  # the first half alone
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"  # the second half alone
)
"""Half of a character that JSON writes as two, such as ``\\ud83d`` of ``\\ud83d\\ude00``."""
_SHOWN = 40
"""Bytes shown before it."""


def read_json_lines(source: Path | bytes, name: str) -> pl.DataFrame:
    """Return the table in a file or in bytes; errors call it ``name``.

    Raises
    ------
    InputError
        If it is no text in UTF-8, or holds half a character, which Polars would silently replace.
        What else is wrong with it is Polars' own error.
    """
    _refuse_halves(source, name)
    # No character of a path is a wildcard.
    plain = io.BytesIO(source) if isinstance(source, bytes) else escape(str(source))
    try:
        return pl.read_ndjson(plain, infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException):
        refuse_other_bytes(source, name)
        raise


def _refuse_halves(source: Path | bytes, name: str) -> None:
    """Raise an error that names the first half of a character and its line."""
    if isinstance(source, bytes):
        found = _first_half(source)
    else:
        with (
            source.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            found = _first_half(content)
    if found is not None:
        raise InputError(
            f"{name} must hold whole characters; got {found[1]} in line {found[0]}, half a "
            "character (a lone surrogate). Write that value again, or leave the line out."
        )


def _first_half(content: bytes | mmap.mmap) -> tuple[int, str] | None:
    """Return the line of the first half of a character, and what stands there."""
    for found in _HALF.finditer(content):
        start, end = found.span()
        if _is_escape(content, start):
            begin = max(content.rfind(b"\n", 0, start) + 1, end - _SHOWN)
            shown = bytes(content[begin:end]).decode("utf-8", "replace")
            return bytes(content[:start]).count(b"\n") + 1, shown
    return None


def _is_escape(content: bytes | mmap.mmap, at: int) -> bool:
    """Return whether a backslash escapes what follows; of two, the first escapes the second."""
    begin = at
    while begin > 0 and content[begin - 1 : begin] == b"\\":
        begin -= 1
    return (at - begin) % 2 == 0
