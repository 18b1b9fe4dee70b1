"""Text files in UTF-8: bytes that are none are named with their line."""

from __future__ import annotations

from pathlib import Path

from accuracy_assay.errors import InputError

__all__ = ["refuse_other_bytes"]

_SHOWN = 20
"""Bytes shown before those that are no text."""


def refuse_other_bytes(source: Path | bytes, name: str) -> None:
    """Raise an error that names the first bytes that are no text, if there are any."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        begin = max(content.rfind(b"\n", 0, error.start) + 1, error.start - _SHOWN)
        raise InputError(
            f"{name} must be text in UTF-8; got {content[begin : error.end]!r} in line {line}. "
            "Save the file as UTF-8, or write that value again."
        ) from None
