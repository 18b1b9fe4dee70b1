"""Which files of a folder, a pattern or a list each reader knows, and where to find one format.

A folder that no reader knows as a whole is searched; links to folders and hidden files are passed
by.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape, glob, has_magic
from pathlib import Path

from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_paths import is_address
from accuracy_assay.files.tables import Rows
from accuracy_assay.protocols import RowReader
from accuracy_assay.runtime.number_text import plural

__all__ = ["claims", "paths_of", "refuse_several", "same_start"]

_STDIN = "-"
_MOST_SPELLED = 4
"""Most paths that a command names one by one; more make it too long to read."""

Claims = Mapping[str, Sequence[Path]]
"""By the name of a reader, the files and folders that it knows."""


def paths_of(source: Rows) -> list[Path]:
    """Return the files and folders that a source names; none for a frame or an address."""
    if isinstance(source, str | Path):
        text = str(source)
        if text == _STDIN or is_address(text):
            return []
        if has_magic(text) and not Path(text).exists():
            return [Path(name) for name in sorted(glob(text, recursive=True))]
        return [Path(text)] if Path(text).exists() else []
    if isinstance(source, list | tuple):
        return [path for part in source for path in paths_of(part)]
    return []


def claims(paths: Sequence[Path], readers: Mapping[str, RowReader]) -> dict[str, list[Path]]:
    """Return the files and folders that each reader knows; readers that know none are left out.

    A path that is named twice, as by a folder and by a pattern, is known once.
    """
    found: dict[str, dict[Path, None]] = {}
    for given in paths if readers else ():
        for name, path in _claims_of(given, readers):
            found.setdefault(name, {})[path] = None
    return {name: list(known) for name, known in found.items()}


def _claims_of(path: Path, readers: Mapping[str, RowReader]) -> Iterator[tuple[str, Path]]:
    """Yield the readers that know a file or a folder, or else the content of the folder."""
    known = [name for name, reader in readers.items() if reader.reads(path)]
    yield from ((name, path) for name in known)
    if known or not path.is_dir():
        return
    with suppress(OSError):  # ``files.tables`` refuses a folder that cannot be listed
        for part in sorted(path.iterdir()):
            is_loop = part.is_symlink() and part.is_dir()
            if not (is_loop or part.name.startswith(".")):
                yield from _claims_of(part, readers)


def refuse_several(claimed: Claims, what: str) -> None:
    """Raise an error if files are of several formats; it has a command for each.

    Formats do not name their items alike, so their files cannot be joined to one table.

    Raises
    ------
    InputError
        If there is more than one format, or a file that several readers know.
    """
    if len(claimed) < 2:
        return
    kinds = list(claimed)
    owners: dict[Path, list[str]] = {}
    for kind, paths in claimed.items():
        for path in paths:
            owners.setdefault(path, []).append(kind)
    for path, known_to in owners.items():
        if len(known_to) > 1:
            raise InputError(
                f"{what} must be files that one reader knows; got {path}, which "
                f"{' and '.join(known_to)} know. Name the reader: aa.read_log({str(path)!r}, "
                f"reader={known_to[0]!r})."
            )
    lines = [f"  {kind} ({_counted(claimed[kind])}): {_command(kind, claimed)}" for kind in kinds]
    raise InputError(
        f"{what} must be logs of one format; got {len(kinds)} formats. Look at one of them:\n"
        + "\n".join(lines)
    )


def _counted(paths: Sequence[Path]) -> str:
    n_folders = sum(path.is_dir() for path in paths)
    kind = "file" if not n_folders else "run" if n_folders == len(paths) else "path"
    return plural(len(paths), kind)


def _command(kind: str, claimed: Claims) -> str:
    """Return what to type for the files of one format."""
    place = _place(claimed[kind], [p for k, paths in claimed.items() if k != kind for p in paths])
    if place is not None:
        return shlex.join(["assay", "look", place])
    if len(claimed[kind]) <= _MOST_SPELLED:
        return shlex.join(["assay", "look", *map(str, claimed[kind])])
    return f"aa.read_log(..., reader={kind!r}), or move them to a folder of their own"


def _place(paths: Sequence[Path], others: Sequence[Path]) -> str | None:
    """Return a path or a pattern that has all of some paths, and none of the others."""
    if len(paths) == 1:
        return str(paths[0])
    folder = Path(os.path.commonpath([path.parent for path in paths]))
    if not any(other.is_relative_to(folder) for other in others):
        return str(folder)
    names = [path.name for path in paths]
    start = same_start(names)
    end = same_start([name[len(start) :][::-1] for name in names])[::-1]
    pattern = f"{escape(str(folder))}/**/{escape(start)}*{escape(end)}"
    found = set(map(Path, glob(pattern, recursive=True)))
    is_apart = found >= set(paths) and not any(
        other == path or other.is_relative_to(path) for other in others for path in found
    )
    return pattern if (start or end) and is_apart else None


def same_start(texts: Sequence[str]) -> str:
    """Return the longest text that all begin with."""
    first, last = min(texts), max(texts)
    n_same = next((i for i, c in enumerate(first) if c != last[i]), len(first))
    return first[:n_same]
