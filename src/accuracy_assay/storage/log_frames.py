"""The log of a SQLite file (``-wal``), frame by frame, and where one is not as it was written.

SQLite reads a log up to the first frame whose checksum does not fit, and says nothing of those
behind it. A header of 32 bytes is followed by frames: 24 bytes and a page. A frame is of this log
if its salt is the header's, and whole if the checksum of all frames up to it fits
(https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

__all__ = ["broken_log"]

_HEADER, _FRAME = 32, 24
_BIG, _LITTLE = 0x377F0683, 0x377F0682


def broken_log(path: Path) -> str | None:
    """Return what is wrong with the log of a store's file; None if nothing is, or it has none."""
    try:
        content = Path(f"{os.path.realpath(path)}-wal").read_bytes()
    except OSError:
        return None
    if len(content) < _HEADER:
        return None
    magic, _, page = struct.unpack(">3I", content[:12])
    if magic not in (_BIG, _LITTLE) or page < 512:
        return "the log (-wal) has no header; what it held is lost"
    salt = content[16:24]
    order = ">" if magic == _BIG else "<"
    sums = _add(content[:24], order, (0, 0))
    if sums != struct.unpack(">2I", content[24:32]):
        return "the log (-wal) has a damaged header; what it held is lost"
    frames = range(_HEADER, len(content) - _FRAME - page + 1, _FRAME + page)
    for number, at in enumerate(frames, start=1):
        header = content[at : at + _FRAME]
        if header[8:16] != salt:
            return None  # left over from before the log was last emptied
        sums = _add(header[:8], order, sums)
        sums = _add(content[at + _FRAME : at + _FRAME + page], order, sums)
        if sums != struct.unpack(">2I", header[16:24]):
            behind = sum(content[k + 8 : k + 16] == salt for k in frames[number:])
            return (
                f"frame {number} of the log (-wal) is not as it was written; what it held, and "
                f"the {behind} frames behind it, is lost unless a process is writing right now"
            )
    return None


def _add(content: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the running checksum of a log after some more content."""
    first, second = sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
