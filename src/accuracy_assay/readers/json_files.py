"""JSON of other tools: documents and lines, which may be damaged, endless or half written."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.unpacking import LARGEST_RATIO, most_unpacked

__all__ = ["json_lines", "note", "opening", "parsed", "read_json", "require_answers"]

_OPENING = 16_384
"""Bytes by which a file is known: an object that begins with long texts still shows its keys."""
_LONGEST_LINE = 256_000_000
"""Longest line, in bytes: a sample with a long transcript has a few millions."""
_NAMED = 3


def opening(path: Path, endings: Sequence[str]) -> str:
    """Return how a file begins, the empty text if its name or the file is not fit for that.

    Parameters
    ----------
    path
        The file.
    endings
        How its name may end, in lower case, such as ``.jsonl``; `.gz` may follow.
    """
    name = path.name.lower().removesuffix(".gz")
    if not name.endswith(tuple(endings)):
        return ""
    with suppress(OSError, EOFError, ValueError, zlib.error):
        if path.is_file():
            with _opened(path) as file:
                return file.read(_OPENING).decode("utf-8-sig", "replace").lstrip()
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
        if opening(path, (path.name.lower().removesuffix(".gz"),)).startswith("["):
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


def require_answers(answers: Iterable[Answer], paths: Sequence[Path], what: str) -> list[Answer]:
    """Return the answers, or raise an error that names the files that hold none."""
    listed = list(answers)
    if listed:
        return listed
    names = ", ".join(str(path) for path in paths[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    raise InputError(f"a log must hold {what}; got {names}{more}, with none.")


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
    """Return the value of a JSON text, its half characters replaced: no table can hold them."""
    value = json.loads(content.decode("utf-8-sig"))
    if b"\\ud" not in content and b"\\uD" not in content:
        return value
    whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return json.loads(whole)
