"""Stamps of files: whether a table may have changed since it was read, without reading it again.

A stamp is the size, the time of the last change and the number of the file on its disk. A file
with the same stamp is taken for the same; one with another is read again, and what it holds
decides.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["Stamp", "settled_stamp", "stamp_of"]

Stamp = list[list[str | int]]
"""Name, size, time of change (ns) and number of a file; several for the files of a folder."""

_TICK_S = 0.02
"""File systems date a change by a clock that ticks every 1 to 10 ms: one in the same tick as the
change before it cannot be told from it."""


def stamp_of(path: str | Path) -> Stamp | None:
    """Return the stamp of a file, or of all files in a folder; None where there is none."""
    try:
        if os.path.isdir(path):
            inside = (
                os.path.join(root, name) for root, _, names in os.walk(path) for name in names
            )
            return [_stamp(file) for file in sorted(inside)]
        return [_stamp(os.path.realpath(path))]
    except OSError:
        return None


def settled_stamp(path: str | Path) -> Stamp | None:
    """Return the stamp of a file once its clock has ticked, so that a later change shows."""
    stamp = stamp_of(path)
    if not stamp:
        return None
    age_s = time.time() - max(int(changed) for _, _, changed, _ in stamp) / 1e9
    if 0.0 <= age_s < _TICK_S:
        time.sleep(_TICK_S - age_s)
        return stamp_of(path)
    return stamp


def _stamp(path: str) -> list[str | int]:
    found = os.stat(path)
    return [os.path.abspath(path), found.st_size, found.st_mtime_ns, found.st_ino]
