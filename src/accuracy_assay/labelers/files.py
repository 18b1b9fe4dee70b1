"""What the file formats share: whole files of tasks, and errors that say where."""

from __future__ import annotations

import sys
from pathlib import Path

from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import write_whole

__all__ = ["CONFIRMED", "STDIN", "read_text", "seconds_of", "write_tasks"]

STDIN = Path("-")
"""The standard input, in place of a file."""

CONFIRMED = "confirmed_"
"""Prefix of a column or control with a confirmed attribute."""


def write_tasks(path: Path, text: str) -> None:
    """Write a file of tasks, whole or not at all; half a character becomes a question mark."""
    write_whole(path, text.encode("utf-8", errors="replace"), "file of tasks")


def read_text(path: Path) -> str:
    """Return the text of a file of answers; ``-`` is the standard input."""
    if path != STDIN and not path.is_file():
        raise InputError(f"answers must be an existing file; got {str(path)!r}.")
    try:
        content = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"answers must be UTF-8 text; got {str(path)!r}: {error}.") from None


def seconds_of(value: object, where: str) -> float | None:
    """Return how many seconds an answer took; None where the file does not say."""
    if value is None or value == "":
        return None
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        seconds = -1.0
    if not 0.0 <= seconds < float("inf"):
        raise InputError(f"time of {where} must be a number of seconds; got {value!r}.")
    return seconds
