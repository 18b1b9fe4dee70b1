"""A disk that fails at the n-th call, and one whose power is cut: see ``disk.c``.

A process that was started with `started_on` has `Disk` between itself and its files. What it wrote
can be recorded; `after_cut` then makes what is left if the power fails at some moment: whatever
was synced stays, and of the rest any part, in any order, half pages too.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Call", "Disk", "after_cut", "can_build", "read_calls", "started_on"]

_SOURCE = Path(__file__).with_suffix(".c")
_HEAD = struct.Struct("=c2IQI")
_SECTOR = 512


def can_build() -> bool:
    """Return whether there is a compiler, and a system that loads what it makes."""
    return shutil.which("cc") is not None and sys.platform == "linux"


def started_on(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with the disk between it and its files, and return how it ended."""
    library = folder / "disk.so"
    if not library.exists():
        made = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl"]
        subprocess.run(made, check=True)
    path = os.pathsep.join([str(_SOURCE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    settings = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": path}
    return subprocess.run([sys.executable, *words], env=settings, capture_output=True, text=True)


class Disk:
    """The disk of this process; only files below ``folder`` are on it."""

    def __init__(self, folder: Path) -> None:
        self._own = ctypes.CDLL(None)
        self._own.disk_calls.restype = ctypes.c_long
        self._own.disk_fail.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_int)
        self._own.disk_watch(os.fsencode(folder))

    def fail(self, at: int, number: int, *, is_lasting: bool) -> None:
        """Let the call ``at`` from now on fail with an error number, and maybe all after it."""
        self._own.disk_fail(at, number, int(is_lasting))

    def heal(self) -> int:
        """Let no call fail any more, and return how many there were."""
        n_calls = int(self._own.disk_calls())
        self._own.disk_fail(0, 0, 0)
        return n_calls

    def record(self, path: Path) -> None:
        """Write down all calls from now on."""
        self._own.disk_record(os.fsencode(path))

    def note(self, text: str) -> None:
        """Write down a remark between the calls."""
        self._own.disk_note(text.encode())


@dataclass(frozen=True)
class Call:
    """A recorded call: C make, W write, T cut, S sync, U unlink, R rename, N a note."""

    kind: str
    path: str
    other: str
    at: int
    content: bytes = field(repr=False)


def read_calls(path: Path) -> Iterator[Call]:
    """Yield what `Disk.record` wrote."""
    content, at = path.read_bytes(), 0
    while at < len(content):
        kind, n_path, n_other, offset, n = _HEAD.unpack_from(content, at)
        at += _HEAD.size
        names = content[at : at + n_path], content[at + n_path : at + n_path + n_other]
        at += n_path + n_other
        length = n if kind == b"W" else 0
        first, second = (os.fsdecode(name) for name in names)
        yield Call(kind.decode(), first, second, offset, content[at : at + length])
        at += length


@dataclass
class _File:
    """The content that is on the disk, and what was written since the last sync."""

    synced: bytearray
    waiting: list[Call] = field(default_factory=list)


def after_cut(
    before: Mapping[str, bytes], calls: Sequence[Call], rng: random.Random
) -> dict[str, bytes]:
    """Return the files after calls that ended in a power cut, from how they were before.

    A sync of a file brings its content to the disk, that of a folder the names in it. What was not
    synced happened or not, each part by itself and in any order; a write may be cut at a sector.
    """
    files = {name: _File(bytearray(content)) for name, content in before.items()}
    named, waiting = dict(files), []
    for call in calls:
        if call.kind == "C":
            files[call.path] = _File(bytearray())
            waiting.append((call, files[call.path]))
        elif call.kind in "WT" and call.path in files:
            files[call.path].waiting.append(call)
        elif call.kind == "S" and call.path in files:
            for each in files[call.path].waiting:
                _apply(files[call.path].synced, each)
            files[call.path].waiting.clear()
        elif call.kind == "S":
            for each, file in waiting:
                _name(named, each, file)
            waiting.clear()
        elif call.kind == "U":
            files.pop(call.path, None)
            waiting.append((call, None))
        elif call.kind == "R" and call.path in files:
            files[call.other] = files.pop(call.path)
            waiting.append((call, files[call.other]))
    for each, file in _some(waiting, rng):
        _name(named, each, file)
    left = {}
    for path, file in named.items():
        content = bytearray(file.synced)
        for each in _some(file.waiting, rng):
            _apply(content, _torn(each, rng))
        left[path] = bytes(content)
    return left


def _some(things: list[Any], rng: random.Random) -> list[Any]:
    """Return some of the things, or all, or none, in any order."""
    share = rng.choice((0.0, 0.5, 0.9, 1.0))
    chosen = [thing for thing in things if rng.random() < share]
    if rng.random() < 0.5:
        rng.shuffle(chosen)
    return chosen


def _torn(call: Call, rng: random.Random) -> Call:
    """Return a write of which only the first sectors reached the disk, now and then."""
    if call.kind != "W" or len(call.content) <= _SECTOR or rng.random() < 0.8:
        return call
    end = _SECTOR * rng.randrange(1, len(call.content) // _SECTOR + 1)
    return Call(call.kind, call.path, call.other, call.at, call.content[:end])


def _apply(content: bytearray, call: Call) -> None:
    if call.kind == "T":
        del content[call.at :]
        content.extend(bytes(call.at - len(content)))
        return
    content.extend(bytes(max(0, call.at - len(content))))
    content[call.at : call.at + len(call.content)] = call.content


def _name(named: dict[str, _File], call: Call, file: _File | None) -> None:
    if call.kind == "U":
        named.pop(call.path, None)
    elif file is not None:
        named.pop(call.path if call.kind == "R" else "", None)
        named[call.other or call.path] = file
