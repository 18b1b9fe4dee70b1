"""The embedded store: one SQLite file in WAL mode, flushed to disk at every append."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from accuracy_assay.errors import InputError
from accuracy_assay.storage.sql import SqlStore, first_line, lost

__all__ = ["open_sqlite"]

_LOCK_WAIT_S = 60.0
"""How long a writer waits for its turn, chosen by hand: an append takes milliseconds, so who has
waited a minute waits for a process that hangs."""


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
    if path.is_dir() or not (is_new or path.is_file()):
        raise InputError(f"store must be an existing file; got {str(path)!r}.")
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": _LOCK_WAIT_S},
        pool_timeout=_LOCK_WAIT_S,
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    store = SqlStore(engine, _Sqlite(path), patience_s, clock)
    try:
        store.prepare()
    except Exception:
        store.close()
        raise
    return store


def _configure(connection: Any, _record: object) -> None:
    # Transactions are begun by ``_begin``: the driver's own would start too late, at the first
    # write, when another process may have changed what was read.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")


def _begin(connection: Connection) -> None:
    is_reading = connection.get_execution_options().get("is_reading", False)
    connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")


class _Sqlite:
    """What is special about SQLite."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lock_schema(self, connection: Connection) -> None:
        """Do nothing: a writer has the whole file."""

    def is_passing(self, error: DBAPIError) -> bool:
        """Return whether another process holds the lock."""
        return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def explain(self, error: SQLAlchemyError) -> Exception:
        """Return the error that a user should see."""
        name = repr(str(self.path))
        code = _code(error)
        if code == sqlite3.SQLITE_NOTADB or "malformed" in first_line(error):
            return InputError(
                f"store must be a file that this package made; got {name}: {first_line(error)}."
            )
        if code == sqlite3.SQLITE_FULL:
            return lost(error, f"The disk of {name} is full: make room.")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return InputError(f"store must be a file that may be written; got {name}.")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return lost(error, f"Another process has kept {name} locked for long.")
        return lost(error, f"It came from {name}.")


def _code(error: SQLAlchemyError) -> int | None:
    """Return the primary result code of SQLite."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    code = getattr(cause, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
