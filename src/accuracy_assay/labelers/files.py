"""Files that are whole or not there, and errors that name the file and the place in it."""

from __future__ import annotations

import os
from pathlib import Path

from accuracy_assay.errors import InputError

__all__ = ["CONFIRMED", "read_text", "seconds_of", "write_whole"]

CONFIRMED = "confirmed_"
"""What the name of a column or control with a confirmed attribute starts with."""


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step, so that nobody ever sees half of it."""
    if not path.parent.is_dir():
        raise InputError(f"tasks must go to an existing folder; got {str(path.parent)!r}.")
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8", errors="replace", newline="")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def read_text(path: Path) -> str:
    """Return the text of a file of answers."""
    if not path.is_file():
        raise InputError(f"answers must be an existing file; got {str(path)!r}.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"answers must be UTF-8 text; got {str(path)!r}: {error}.") from None


def seconds_of(value: object, where: str) -> float | None:
    """Return how long an answer took; nothing where it is not told."""
    if value is None or value == "":
        return None
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        seconds = -1.0
    if not 0.0 <= seconds < float("inf"):
        raise InputError(f"time of {where} must be a number of seconds; got {value!r}.")
    return seconds
