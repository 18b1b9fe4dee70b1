"""The ids of a pool in a SQLite file, looked up by row and by text without being read.

Table ``ids`` has the id of each row, table ``normal`` the normal text of ids that are written in
another way. Reading needs the standard library alone (docs/decisions/0011-one-cache.md).
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accuracy_assay.files.texts import as_text, normal_text

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KeptIds", "write_ids"]

_MAY_DIFFER = r"[^ -~]|^ | $|^-?[0-9]*\.[0-9]*$|^-0$|^(?i:true|false)$"
"""Texts whose normal text may be another one: spaces around, numbers with a fraction, booleans,
and characters that Unicode may compose in two ways."""
_SCHEMA = (
    "PRAGMA journal_mode = OFF",  # a file that is half done is thrown away
    "PRAGMA synchronous = OFF",
    "CREATE TABLE ids (row INTEGER PRIMARY KEY, id TEXT NOT NULL)",
    "CREATE TABLE normal (id TEXT, row INTEGER, PRIMARY KEY (id, row)) WITHOUT ROWID",
)


class KeptIds(Sequence[str]):
    """The ids that `write_ids` wrote, by row; ``rows`` has the rows by id.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> path = Path(tempfile.mkdtemp()) / "ids.sqlite"
    >>> write_ids(path, pl.Series(["x2", "ü", "2.0"]))
    >>> known = KeptIds(path)
    >>> len(known), known[1], known.rows["2.0"], known.find(2), known.find("x3")
    (3, 'ü', 2, 2, None)
    """

    def __init__(self, path: Path) -> None:
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._open = sqlite3.connect(address, uri=True, check_same_thread=False)
        weakref.finalize(self, self._open.close)
        self._size: int = self._look_up("SELECT coalesce(max(row) + 1, 0) FROM ids")[0][0]

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return tuple(islice(self, *row.indices(self._size)))
        found = self._look_up("SELECT id FROM ids WHERE row = ?", int(row))
        if not found:
            raise IndexError(f"row must be at least 0 and below {self._size}; got {row}.")
        return found[0][0]

    def __iter__(self) -> Iterator[str]:
        return (text for (text,) in self._open.execute("SELECT id FROM ids ORDER BY row"))

    @property
    def rows(self) -> Mapping[str, int]:
        """The row of each id."""
        return _Rows(self)

    def find(self, value: Any) -> int | None:
        """Return the row of an id, however ``value`` is written; None where there is none."""
        text = as_text(value)
        row = self.find_text(text)
        if row is not None or (not text and not isinstance(value, str)):
            return row
        normal = normal_text(text)
        row = self.find_text(normal)
        if row is not None:
            return row
        others = self._look_up("SELECT row FROM normal WHERE id = ? LIMIT 2", normal)
        return others[0][0] if len(others) == 1 else None

    def find_text(self, text: str) -> int | None:
        """Return the row whose id is written just so; None where there is none."""
        found = self._look_up("SELECT row FROM ids WHERE id = ?", text)
        return found[0][0] if found else None

    def _look_up(self, query: str, *values: Any) -> list[Any]:
        try:
            return self._open.execute(query, values).fetchall()
        except UnicodeEncodeError:  # half of a character, which no file holds
            return []


@dataclass(frozen=True)
class _Rows(Mapping[str, int]):
    """The rows of ids; each is looked up once."""

    ids: KeptIds
    _found: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __getitem__(self, text: str) -> int:
        if text not in self._found:
            row = self.ids.find_text(text)
            if row is None:
                raise KeyError(text)
            self._found[text] = row
        return self._found[text]


def write_ids(path: Path, ids: pl.Series) -> None:
    """Write texts, no two of them equal, to a file that `KeptIds` reads."""
    unclear = ids.str.contains(_MAY_DIFFER).arg_true()
    pairs = zip(ids.gather(unclear), unclear, strict=True)
    others = [(normal, row) for text, row in pairs if (normal := normal_text(text)) != text]
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for statement in (*_SCHEMA, "BEGIN"):
            file.execute(statement)
        file.executemany("INSERT INTO ids VALUES (?, ?)", enumerate(ids))
        file.executemany("INSERT INTO normal VALUES (?, ?)", others)
        file.execute("CREATE INDEX rows ON ids (id)")
        file.execute("COMMIT")
