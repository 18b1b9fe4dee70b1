"""How much a packed file may unpack to: files are made to fill the memory, and logs are not."""

from __future__ import annotations

from pathlib import Path

__all__ = ["LARGEST_RATIO", "most_unpacked"]

LARGEST_RATIO = 200
"""Real logs unpack to 5 to 20 times their size."""
_ALWAYS_ALLOWED = 256_000_000
"""Bytes that any file may unpack to: small files of repeated texts pack far better."""


def most_unpacked(path: Path) -> int:
    """Return the most bytes that a packed file may unpack to."""
    return _ALWAYS_ALLOWED + LARGEST_RATIO * path.stat().st_size
