"""JSON of other tools: documents and lines, which may be damaged, endless or half written."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.unpacking import LARGEST_RATIO, most_unpacked
from accuracy_assay.readers.untrusted import parse

__all__ = ["json_lines", "member_names", "note", "opening", "parsed", "read_json"]

_OPENING = 16_384
"""Bytes by which a file is known: an object that begins with long texts still shows its keys."""
_OUTLINE = 2**22
"""Bytes in which members of an object are looked for: about half a second."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|[{}\[\]:]', re.DOTALL)
"""A text, which may be cut off, or a sign that opens, closes or names."""
_LONGEST_LINE = 256_000_000
"""Longest line, in bytes: a sample with a long transcript has a few millions."""


def opening(path: Path, endings: Sequence[str]) -> str:
    """Return how a file begins, the empty text if its name or the file is not fit for that.

    Parameters
    ----------
    path
        The file.
    endings
        How its name may end, in lower case, such as ``.jsonl``; `.gz` may follow.
    """
    if not path.name.lower().removesuffix(".gz").endswith(tuple(endings)):
        return ""
    return _beginning(path)


def member_names(path: Path, endings: Sequence[str]) -> set[str]:
    """Return the members of the object that a file holds, and theirs, such as ``results.stats``.

    Of a long file only the first megabytes are looked at. ``endings`` are as in `opening`.
    """
    if not path.name.lower().removesuffix(".gz").endswith(tuple(endings)):
        return set()
    names: set[str] = set()
    inside: list[str] = []  # what is open: an object by its name, a list by a bracket
    name = last = ""
    for found in _TOKEN.finditer(_beginning(path, _OUTLINE)):
        token = found[0]
        if token == ":":
            name = last[1:-1]
            if len(inside) in (1, 2) and "[" not in inside:
                names.add(".".join([*inside[1:], name]))
        elif token in "{[":
            inside.append(name if token == "{" else "[")
        elif token in "}]" and inside:
            inside.pop()
        last = token
    return names


def _beginning(path: Path, most: int = _OPENING) -> str:
    with suppress(OSError, EOFError, ValueError, zlib.error):
        if path.is_file():
            with _opened(path) as file:
                return file.read(most).decode("utf-8-sig", "replace").lstrip()
    return ""


def read_json(path: Path, what: str) -> Any:
    """Return the value that a file holds.

    Raises
    ------
    InputError
        If it is not JSON, or nested too deep; the error names the file.
    """
    with refusing_damage(f"{what} in JSON", str(path), "a log"), _opened(path) as file:
        most = _most(path)
        content = file.read(most + 1)
        _require_size(len(content), most)
        return parsed(content)


def json_lines(path: Path, what: str, left_out: MutableMapping[str, str]) -> list[dict[str, Any]]:
    """Return the objects of the lines of a file, or those of one list.

    Lines that are not objects are noted in ``left_out``: a run that was stopped leaves half a
    line.

    Raises
    ------
    InputError
        If no line is an object; the error names the file.
    """
    with refusing_damage(f"{what} in JSON lines", str(path), "a log"):
        if _beginning(path).startswith("["):
            values = read_json(path, what)
            found = [value for value in values if isinstance(value, dict)]
            bad: Counter[str] = Counter()
        else:
            found, bad = _objects(path)
    for reason, number in bad.items():
        note(left_out, f"{path.name}: {reason}", number, "lines")
    if not found:
        raise InputError(f"a log must be {what} in JSON lines; got {path}: no line is an object.")
    return found


def note(left_out: MutableMapping[str, str], what: str, number: int, of: str) -> None:
    """Write down how many of something are left out."""
    left_out[what] = f"{number:,} {of}"


def _objects(path: Path) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return the lines that are objects, and why others are not, with their numbers."""
    found: list[dict[str, Any]] = []
    bad: Counter[str] = Counter()
    with _opened(path) as file:
        for line in _lines(file, _most(path)):
            try:
                value = parsed(line)
            except (ValueError, RecursionError):
                bad["not JSON"] += 1
                continue
            if isinstance(value, dict):
                found.append(value)
            else:
                bad["not an object"] += 1
    return found, bad


def _lines(file: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield the lines that are not blank."""
    size = 0
    while line := file.readline(_LONGEST_LINE):
        size += len(line)
        _require_size(size, most)
        if not line.isspace():
            yield line


def _most(path: Path) -> int:
    """Return the most bytes of a file that are read."""
    is_packed = path.name.lower().endswith(".gz")
    return most_unpacked(path) if is_packed else path.stat().st_size


def _require_size(size: int, most: int) -> None:
    if size > most:
        raise ValueError(f"it unpacks to more than {LARGEST_RATIO} times its size")


def _opened(path: Path) -> IO[bytes]:
    if path.name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def parsed(content: bytes) -> Any:
    """Return the value of a JSON text, its half characters replaced."""
    return parse(content.decode("utf-8-sig"))
