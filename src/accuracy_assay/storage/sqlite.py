"""The embedded store: one SQLite file, flushed to disk at every append.

While it is written it has a log beside it (``-wal``), so that readers and a writer do not wait for
one another. What the log holds is brought into the file every second, and at every close. Whoever
closes the store last puts it into the mode without a log, so the header of the file says whether
it was closed: a file in the mode with a log, whose log is gone, may be older than it was.

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

from accuracy_assay.errors import DamageError, InputError, StoreError
from accuracy_assay.storage.heads import Heads
from accuracy_assay.storage.schema import TABLES, Connection
from accuracy_assay.storage.sql import SqlStore, lost, no_texts

__all__ = ["SqliteDatabase", "open_sqlite"]

_LOCK_WAIT_S = 60.0
"""How long a writer waits for its turn, chosen by hand: an append takes milliseconds, so after a
minute some other process hangs."""
_IDLE_CONNECTIONS = 5
"""Connections kept open for the next call, chosen by hand; further threads open their own."""
_CHECKPOINT_S = 1.0
"""Most seconds that an answer is in the log alone, chosen by hand: a checkpoint costs two flushes,
little beside the commits of a second."""
_NO_TABLES = (
    "no tables. If it is a copy of an open store, its log (-wal) is missing: copy the store with "
    "`assay backup`."
)
_FIRST_BYTES = b"SQLite format 3\0"
_EVENTS = ("assay_events",)
_HEADER_BYTES = 100
_LOG_MODE = 2
"""Bytes 18 and 19 of the header where a log is in use."""
_CLOSING_S = 0.05
"""Seconds in which a process that is closing the file has changed its header."""
_MARK = 0x41434341
"""Bytes 68 to 71 of the header, SQLite's application id: the mode says whether it was closed."""
_LEAST_ROOM = 2**16
"""Bytes: the index of a log, which readers need too, takes half of it."""
_NO_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""How SQLite puts it when it cannot make such a file."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)


def open_sqlite(
    address: str,
    *,
    is_new: bool = False,
    is_saving: bool = False,
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
    is_saving, patience_s, clock
        As in `SqlStore`.
    """
    path = Path(address)
    if not path.parent.is_dir():
        raise InputError(f"store must be in an existing folder; got {str(path)!r}.")
    if (path.exists() and not path.is_file()) or not (is_new or path.is_file()):
        raise InputError(f"store must be an existing file; got {str(path)!r}.")
    if path.is_file():
        _refuse_foreign(path, is_new, _EVENTS if is_saving else TABLES)
    may_be_older = _may_be_older(path)
    if is_new:
        _make(path)
    database = SqliteDatabase(path, _may_write(path), may_be_older)
    heads = Heads.of(os.path.realpath(path))
    store = SqlStore(database, patience_s, clock, heads, is_saving)
    return store.opened(is_new=is_new)


def _refuse_foreign(path: Path, is_new: bool, needed: Sequence[str]) -> None:
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
        # The last writer was killed: the file is whole after what its journal says is undone.
        mode = "rw" if _beside(path, "-journal") and _may_write(path) else "ro"
        with closing(_connect(path, mode)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {name for (name,) in found}
    except PermissionError:
        raise InputError(f"store must be a file that may be read; got {str(path)!r}.") from None
    except sqlite3.Error as error:
        raise _explain(path, error) from None
    except UnicodeDecodeError as error:
        raise no_texts(error, repr(str(path))) from None
    if not tables.issuperset(needed) and (tables or not is_new):
        held = f"the tables {sorted(tables)}." if tables else _NO_TABLES
        raise InputError(
            f"store must be a file that this package made; got {str(path)!r}, an SQLite file "
            f"with {held}"
        )


def _may_write(path: Path) -> bool:
    """Return whether the file and its folder, where SQLite keeps its journal, may be written."""
    as_who = {"effective_ids": True} if os.access in os.supports_effective_ids else {}
    return all(os.access(place, os.W_OK, **as_who) for place in (path, path.parent))


class _Connection(sqlite3.Connection):
    """A connection that knows which file it opened, and whether it keeps a log."""

    file: tuple[int, int] | None = None
    has_log = False


def _connect(path: Path, mode: str) -> _Connection:
    """Open the file in a mode of SQLite: ro, rw, or rwc, which makes it.

    A file without a journal beside it is read as immutable: SQLite would otherwise make a journal
    to read it. While somebody writes there is one.
    """
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    if mode == "ro" and not any(_beside(path, end) for end in ("-wal", "-journal")):
        uri += "&immutable=1"
    connection = sqlite3.connect(
        uri, uri=True, timeout=_LOCK_WAIT_S, check_same_thread=False, factory=_Connection
    )
    connection.file = _identity(path)
    return connection


def _beside(path: Path, ending: str) -> int:
    """Return the size of a journal beside the file; 0 if there is none."""
    try:
        return os.stat(f"{os.path.realpath(path)}{ending}").st_size
    except OSError:
        return 0


def _identity(path: Path) -> tuple[int, int] | None:
    """Return which file is at a path; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _may_be_older(path: Path) -> bool:
    """Return whether a file should have a log beside it and has none.

    Whoever closes it removes the log first and changes the header next, so it is looked at twice.
    """
    if _lacks_log(path):
        time.sleep(_CLOSING_S)
        return _lacks_log(path)
    return False


def _lacks_log(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError:
        return False
    is_ours = int.from_bytes(header[68:72], "big") == _MARK
    is_logged = header[18:20] == bytes([_LOG_MODE, _LOG_MODE])
    return is_ours and is_logged and not os.path.exists(f"{os.path.realpath(path)}-wal")


def _make(path: Path) -> None:
    """Make the file if it is not there, or is empty, with the mark of one whose mode counts."""
    try:
        with closing(_connect(path, "rwc")) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            if not connection.execute("PRAGMA page_count").fetchone()[0]:
                connection.execute(f"PRAGMA application_id = {_MARK}")
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
    may_be_older
        Whether its log was missing when it was opened; until something is written it is left so.
    """

    path: Path
    may_write: bool = True
    may_be_older: bool = False
    errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    _idle: list[_Connection] = field(default_factory=list, repr=False)
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _checkpoint: threading.Timer | None = field(default=None, repr=False)
    _at_work: threading.Timer | None = field(default=None, repr=False)

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
            if not is_reading:
                self._use_log(connection)
            connection.execute("BEGIN" if is_reading else "BEGIN IMMEDIATE")
            yield _Transaction(connection)
            if is_reading:
                connection.rollback()  # a commit fails where a damaged page was met
            else:
                self.commit(connection)
                self._follow_writing(connection)
        except BaseException:
            with suppress(sqlite3.Error):
                connection.rollback()
            connection.close()
            raise
        self._give_back(connection)

    def commit(self, connection: sqlite3.Connection) -> None:
        """Bring what was written to the disk."""
        connection.execute("COMMIT")

    def connect(self) -> _Connection:
        """Return a new connection."""
        connection = _connect(self.path, "rw" if self.may_write else "ro")
        connection.isolation_level = None  # we begin and commit
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # Bytes that aren't text are for the checksum to find, which names their event.
        connection.text_factory = lambda content: content.decode("utf-8", "surrogateescape")
        return connection

    def checkpoint(self) -> None:
        """Bring what is in the log into the file, as far as no reader needs the old pages."""
        with suppress(sqlite3.Error):  # what is acknowledged is on disk, in the log
            connection = self._take()
            try:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            except BaseException:
                connection.close()
                raise
            self._give_back(connection)

    def close(self) -> None:
        """Close the connections that are idle; the last one of all processes ends the log."""
        with self._turn:
            timers = [self._checkpoint, self._at_work]
            self._checkpoint = None
        for timer in timers:
            if timer is not None and timer is not threading.current_thread():
                timer.cancel()
                timer.join()
        with self._turn:
            idle, self._idle = self._idle, []
        for connection in idle[1:]:
            connection.close()
        for connection in idle[:1]:
            if self.may_write and not self.may_be_older:
                _end_log(connection)
            connection.close()

    def _use_log(self, connection: _Connection) -> None:
        """Let readers and a writer work side by side; without a log they wait for one another."""
        if not connection.has_log:
            with suppress(sqlite3.Error):  # somebody is reading: the next one tries again
                (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
                connection.has_log = mode == "wal"

    def _follow_writing(self, connection: _Connection) -> None:
        """Refuse what went to a file that is gone; see that the log does not stay alone."""
        self.may_be_older = False
        if connection.file != _identity(self.path):
            raise StoreError(
                f"store must stay the file that was opened; got {self.shown}, which was moved, "
                "deleted or replaced meanwhile. What was told now may not be in it: bring the "
                "file back, or open the store again and repeat the call."
            )
        if connection.has_log and not os.path.exists(f"{os.path.realpath(self.path)}-wal"):
            # Somebody has removed the log: what it held is brought into the file before this is
            # acknowledged, and nobody goes on with it.
            connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
            with self._turn:
                for each in (connection, *self._idle):
                    each.file = None
        with self._turn:
            if self._checkpoint is None and connection.has_log:
                self._checkpoint = threading.Timer(_CHECKPOINT_S, self._checkpoint_now)
                self._checkpoint.daemon = True
                self._checkpoint.start()

    def _checkpoint_now(self) -> None:
        with self._turn:
            if self._checkpoint is not threading.current_thread():
                return
            self._checkpoint, self._at_work = None, self._checkpoint
        self.checkpoint()
        with self._turn:
            self._at_work = None

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

    def copy_to(self, path: Path, called: Path) -> None:
        """Copy the file as it is at one moment to a new one, closed, while others write.

        Errors call the new one ``called``, which it is to become.
        """
        source = self._take()
        try:
            with closing(_connect(path, "rwc")) as target:
                # A file that is not whole is thrown away: it needs no journal on the disk.
                target.execute("PRAGMA journal_mode = MEMORY").fetchall()
                source.backup(target)
                target.execute("PRAGMA journal_mode = MEMORY").fetchall()  # and no log
        except sqlite3.Error as error:
            source.close()
            raise _explain(called, error) from None
        self._give_back(source)

    def problems(self) -> list[str]:
        """Return what is wrong with the file and its log, apart from the events in it."""
        from accuracy_assay.storage.log_frames import broken_log  # here: `tell` does without

        found = [] if (broken := broken_log(self.path)) is None else [broken]
        connection = self._take()
        try:
            rows = connection.execute("PRAGMA integrity_check(5)").fetchall()
            found += [str(row[0]) for row in rows if row[0] != "ok"]
        except sqlite3.Error as error:
            found.append(str(error))
        self._give_back(connection)
        return found

    def explain(self, error: Exception) -> Exception:
        """Return the error that a user should see."""
        return _explain(self.path, error)

    def _take(self) -> _Connection:
        """Return an idle connection to the file that is at the path now, or a new one."""
        while True:
            with self._turn:
                idle = self._idle.pop() if self._idle else None
            if idle is None:
                return self.connect()
            if idle.file == _identity(self.path):
                return idle
            idle.close()

    def _give_back(self, connection: _Connection) -> None:
        with self._turn:
            if self.may_write and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


def _end_log(connection: _Connection) -> None:
    """Bring all of the log into the file and remove it, where nobody else has the file open."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        if mode == "wal":
            if not connection.execute("PRAGMA application_id").fetchone()[0]:
                connection.execute(f"PRAGMA application_id = {_MARK}")
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()


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
    if code == sqlite3.SQLITE_FULL or (code in _NO_ROOM and _is_full(path.parent)):
        return lost(error, f"The disk of {name} is full: make room.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return InputError(
            f"store must be a file that may be written, in a folder that may be; got {name}."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return lost(error, f"Another process has kept {name} locked for long.")
    return lost(error, f"It came from {name}.")


def _is_full(folder: Path) -> bool:
    """Return whether a disk has no room for what SQLite needs even to read."""
    try:
        found = os.statvfs(folder)
    except (AttributeError, OSError):  # Windows; a folder that is gone
        return False
    return found.f_bavail * found.f_frsize < _LEAST_ROOM


def _code(error: BaseException | None) -> int | None:
    """Return the primary result code of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
