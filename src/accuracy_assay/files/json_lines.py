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
    rb"(?<!\\)(?:\\\\)*"  # an odd backslash escapes; two are one that is meant
    rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"  # the first half alone
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"  # the second half alone
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
        _refuse_half_in(source, name)
        return
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        _refuse_half_in(view, name)


def _refuse_half_in(content: bytes | mmap.mmap, name: str) -> None:
    found = _HALF.search(content)
    if found is None:
        return
    begin = max(content.rfind(b"\n", 0, found.start()) + 1, found.end() - _SHOWN)
    line = bytes(content[: found.start()]).count(b"\n") + 1
    shown = bytes(content[begin : found.end()]).decode("utf-8", "replace")
    raise InputError(
        f"{name} must hold whole characters; got {shown} in line {line}, half a character (a lone "
        "surrogate). Write that value again, or leave the line out."
    )
