"""Texts in files that are looked up both ways without being read: by row, and by text.

Notation: n texts; ``NAME.bytes`` holds them in UTF-8, one after another in the order of the rows,
``NAME.ends`` (n + 1) where each begins and ends, ``NAME.order`` (n) the rows in the order of their
texts. Numbers have 64 bits. Reading needs the standard library alone.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TextIndex", "write_texts"]

_TEXTS_PER_PART = 500_000
"""Texts that are joined at a time: some 30 MB of Python objects."""


class TextIndex:
    """The texts that `write_texts` wrote, by row and by text.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_texts(folder, "ids", pl.Series(["x2", "ü", "x10"]))
    >>> known = TextIndex(folder, "ids")
    >>> len(known), known[1], known.find("x10"), known.find("x3")
    (3, 'ü', [2], [])
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._bytes = _mapped(folder / f"{name}.bytes")
        self._ends = memoryview(_mapped(folder / f"{name}.ends")).cast("Q")
        self._order = memoryview(_mapped(folder / f"{name}.order")).cast("Q")
        if len(self._ends) != len(self._order) + 1 or self._ends[-1] != len(self._bytes):
            raise ValueError(f"index {name!r} must have as many ends as texts")

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, row: int) -> str:
        return self._text(row).decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))

    def find(self, text: str) -> list[int]:
        """Return the rows that have a text: none, one, or the first two."""
        wanted = text.encode("utf-8", "surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._text(self._order[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        near = [self._order[place] for place in range(low, min(low + 2, len(self)))]
        return [row for row in near if self._text(row) == wanted]

    def _text(self, row: int) -> bytes:
        return self._bytes[self._ends[row] : self._ends[row + 1]]


def write_texts(folder: Path, name: str, texts: pl.Series, order: pl.Series | None = None) -> None:
    """Write a column of texts to files that `TextIndex` reads.

    ``order`` has the rows in the order of their texts, where somebody sorted them already.
    """
    import numpy as np  # here, since reading needs no tables

    ends = np.zeros(texts.len() + 1, dtype=np.uint64)
    np.cumsum(texts.str.len_bytes().to_numpy(), out=ends[1:])
    rows = (texts.arg_sort() if order is None else order).to_numpy()
    with (folder / f"{name}.bytes").open("wb") as file:
        for start in range(0, texts.len(), _TEXTS_PER_PART):
            part = texts[start : start + _TEXTS_PER_PART].to_list()
            file.write("".join(part).encode("utf-8"))
    ends.tofile(folder / f"{name}.ends")
    rows.astype(np.uint64).tofile(folder / f"{name}.order")


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
