"""The embedded store: one SQLite file in WAL mode, flushed to disk at every append.

Only a new store makes a file or tables. Any other file is looked at first, in a way that cannot
write, and refused unless it is ours; one that may not be written is opened for reading alone.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accuracy_assay.errors import DamageError, InputError
from accuracy_assay.storage.schema import TABLES, Connection
from accuracy_assay.storage.sql import SqlStore, lost, no_texts

__all__ = ["SqliteDatabase", "open_sqlite"]

_LOCK_WAIT_S = 60.0
"""How long a writer waits for its turn, chosen by hand: an append takes milliseconds, so after a
minute some other process hangs."""
_IDLE_CONNECTIONS = 5
"""Connections kept open for the next call, chosen by hand; further threads open their own."""
_FIRST_BYTES = b"SQLite format 3\0"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)


def open_sqlite(
    address: str,
    *,
    is_new: bool = False,
    patience_s: float = 60.0,
    clock: Callable[[], float] = time.time,
) -> SqlStore:
    """Return the store in the file ``address``.

    Parameters
    ----------
    address
        Path of the file.
    is_new
        Whether the file may be made; otherwise it must exist.
    patience_s, clock
        As in `SqlStore`.
    """
    path = Path(address)
    if not path.parent.is_dir():
        raise InputError(f"store must be in an existing folder; got {str(path)!r}.")
    if (path.exists() and not path.is_file()) or not (is_new or path.is_file()):
        raise InputError(f"store must be an existing file; got {str(path)!r}.")
    if path.is_file():
        _refuse_foreign(path, is_new)
    if is_new:
        _use_wal(path)
    return SqlStore(SqliteDatabase(path, may_write=_may_write(path)), patience_s, clock).opened(
        is_new=is_new
    )


def _refuse_foreign(path: Path, is_new: bool) -> None:
    """Refuse a file that isn't a store; an empty file may become a new one."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_FIRST_BYTES))
        if not start and is_new:
            return
        if not start:
            raise InputError(
                f"store must be a file that this package made; got {str(path)!r}, "
                "which is empty. Make a store with `assay init`."
            )
        if start != _FIRST_BYTES:
            raise InputError(
                f"store must be a file that this package made; got {str(path)!r}, "
                "which is not an SQLite file."
            )
        with closing(_connect(path, "ro")) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {name for (name,) in found}
    except PermissionError:
        raise InputError(f"store must be a file that may be read; got {str(path)!r}.") from None
    except sqlite3.Error as error:
        raise _explain(path, error) from None
    except UnicodeDecodeError as error:
        raise no_texts(error, repr(str(path))) from None
    if not tables.issuperset(TABLES) and (tables or not is_new):
        raise InputError(
            f"store must be a file that this package made; got {str(path)!r}, an SQLite file "
            f"with {f'the tables {sorted(tables)}' if tables else 'no tables'}."
        )


def _may_write(path: Path) -> bool:
    """Return whether the file and its folder, where SQLite keeps its journal, may be written."""
    as_who = {"effective_ids": True} if os.access in os.supports_effective_ids else {}
    return all(os.access(place, os.W_OK, **as_who) for place in (path, path.parent))


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the file in a mode of SQLite: ro, rw, or rwc, which makes it.

    A file without a journal beside it is read as immutable: SQLite would otherwise make a journal
    to read it. While somebody writes there is one.
    """
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    journal = Path(f"{os.path.realpath(path)}-wal")
    if mode == "ro" and not (journal.exists() and journal.stat().st_size):
        uri += "&immutable=1"
    return sqlite3.connect(uri, uri=True, timeout=_LOCK_WAIT_S, check_same_thread=False)


def _use_wal(path: Path) -> None:
    """Make the file if it is not there, and let readers and a writer work side by side in it."""
    try:
        with closing(_connect(path, "rwc")) as connection:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.Error as error:
        raise _explain(path, error) from None


@dataclass
class SqliteDatabase:
    """Connections to one file, and what is special about SQLite.

    Parameters
    ----------
    path
        The file.
    may_write
        Whether it may be written. Where not, each reading opens it anew: whether a file is at
        rest is asked each time.
    """

    path: Path
    may_write: bool = True
    errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    _idle: list[sqlite3.Connection] = field(default_factory=list, repr=False)
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def shown(self) -> str:
        """The path."""
        return repr(str(self.path))

    @contextmanager
    def transaction(self, *, is_reading: bool) -> Iterator[Connection]:
        """Begin a transaction; a writer's has the whole file from its start.

        The driver's own would start too late, at the first write, when another process may have
        changed what was read.
        """
        connection = self._take()
        try:
            connection.execute("BEGIN" if is_reading else "BEGIN IMMEDIATE")
            yield _Transaction(connection)
            self.commit(connection)
        except BaseException:
            with suppress(sqlite3.Error):
                connection.rollback()
            connection.close()
            raise
        self._give_back(connection)

    def commit(self, connection: sqlite3.Connection) -> None:
        """Bring what was written to the disk."""
        connection.execute("COMMIT")

    def connect(self) -> sqlite3.Connection:
        """Return a new connection."""
        connection = _connect(self.path, "rw" if self.may_write else "ro")
        connection.isolation_level = None  # we begin and commit
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # Bytes that aren't text are for the checksum to find, which names their event.
        connection.text_factory = lambda content: content.decode("utf-8", "surrogateescape")
        return connection

    def close(self) -> None:
        """Close the connections that are idle."""
        with self._turn:
            while self._idle:
                self._idle.pop().close()

    def now(self, connection: Connection) -> float:
        """Return the time of this machine, on which the file is."""
        return time.time()

    def lock_schema(self, connection: Connection) -> None:
        """Do nothing: a writer has the whole file."""

    def is_passing(self, error: Exception) -> bool:
        """Return whether another process holds the lock."""
        return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def is_damage(self, error: Exception) -> bool:
        """Return whether the file is damaged."""
        return _code(error) in _DAMAGED

    def explain(self, error: Exception) -> Exception:
        """Return the error that a user should see."""
        return _explain(self.path, error)

    def _take(self) -> sqlite3.Connection:
        with self._turn:
            idle = self._idle.pop() if self._idle else None
        return self.connect() if idle is None else idle

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._turn:
            if self.may_write and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


@dataclass(frozen=True)
class _Transaction:
    """The driver's connection as a `Connection`."""

    connection: sqlite3.Connection

    def execute(self, query: str, values: Mapping[str, Any] | None = None) -> Iterable[Any]:
        """Run a statement and return its rows."""
        return self.connection.execute(query, values or {})

    def execute_many(self, query: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement once for each of ``values``."""
        self.connection.executemany(query, values)

    def tables(self) -> Collection[str]:
        """Return the names of the tables."""
        found = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return [name for (name,) in found]


def _explain(path: Path, error: Exception) -> Exception:
    name, code = repr(str(path)), _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return InputError(f"store must be a file that this package made; got {name}: {error}.")
    if code in _DAMAGED:
        return DamageError(
            f"store must be an undamaged file; got {name}: {error}. Restore a copy of it, or save "
            "the events that can be read with `assay export`."
        )
    if code == sqlite3.SQLITE_FULL:
        return lost(error, f"The disk of {name} is full: make room.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return InputError(
            f"store must be a file that may be written, in a folder that may be; got {name}."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return lost(error, f"Another process has kept {name} locked for long.")
    return lost(error, f"It came from {name}.")


def _code(error: BaseException | None) -> int | None:
    """Return the primary result code of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
