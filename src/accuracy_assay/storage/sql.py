"""The store over SQL: one table of events, the same statements for every database.

A writer locks the row of its assay, so numbers have no gaps and become visible in their order.
A call whose connection is lost is retried for a while; a token stored with the events says whether
the lost attempt reached the database after all. Each event has a checksum that covers the one
before it; a reader follows the chain and reports where it breaks.
"""

from __future__ import annotations

import itertools
import logging
import time
import uuid
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from accuracy_assay.domain.events import Event, Recorded, encode
from accuracy_assay.errors import (
    DamageError,
    InputError,
    StaleError,
    StoreError,
    UnknownNameError,
)
from accuracy_assay.storage.chain import Chain, checksum
from accuracy_assay.storage.schema import (
    VERSION,
    Connection,
    migrate,
    readable_version,
    reading_query,
)

__all__ = ["Database", "SqlStore", "first_line", "lost", "no_texts"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Rows = list[tuple[str, str]]

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 1.0
"""Waits double, chosen by hand: from 0.05 s, about a short lock, to 1 s, the most that is lost
once a server is back."""


class Database(Protocol):
    """What differs between databases: driver, clock, lock of a migration, what an error means."""

    errors: tuple[type[Exception], ...]
    """What the driver raises."""

    @property
    def shown(self) -> str:
        """How messages call the database; never with a password."""
        ...

    def transaction(self, *, is_reading: bool) -> AbstractContextManager[Connection]:
        """Begin a transaction that is committed at the end of the block, and not if it fails."""
        ...

    def close(self) -> None:
        """Close the connections; a later transaction opens new ones."""
        ...

    def now(self, connection: Connection) -> float:
        """Return the database's clock, seconds since 1970."""
        ...

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time change the tables."""
        ...

    def is_passing(self, error: Exception) -> bool:
        """Return whether the same call may succeed in a while: a lost connection, a lock."""
        ...

    def is_damage(self, error: Exception) -> bool:
        """Return whether the file of the database is damaged."""
        ...

    def explain(self, error: Exception) -> Exception:
        """Return the error that a user should see."""
        ...


@dataclass(eq=False)
class SqlStore:
    """Events in a SQL database.

    Parameters
    ----------
    database
        The database, with what is special about it.
    patience_s
        How long a call is tried again when the database is away.
    clock
        Seconds since 1970, in place of the database's own clock.
    """

    database: Database
    patience_s: float = 60.0
    clock: Callable[[], float] | None = None
    _version: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        # A store that is forgotten closes its connections like one that is closed.
        weakref.finalize(self, self.database.close)

    def opened(self, *, is_new: bool) -> SqlStore:
        """Return the store, its tables made or brought to the present version if it ``is_new``.

        Otherwise nothing is written, and a database without the tables is refused.
        """
        try:
            if is_new:
                self._write(lambda connection: None, patience_s=0.0)
            elif not self._read(self._known_version, patience_s=0.0):
                raise InputError(
                    f"store must hold assays; got {self.database.shown}, which has no tables "
                    "for them. Make one with `assay init` or Assay.create."
                )
        except Exception:
            self.close()
            raise
        return self

    def now(self) -> float:
        """Return the time by the clock that dates the events, seconds since 1970."""
        return self.clock() if self.clock is not None else self._read(self.database.now)

    def create(self, assay: str, events: Sequence[Event]) -> int:
        """Start an assay with its first events."""
        rows = [encode(event) for event in events]
        token, attempts = uuid.uuid4().hex, itertools.count()

        def run(connection: Connection) -> int:
            if next(attempts) and (last := _last_of(connection, token)) is not None:
                return last
            query = (
                "INSERT INTO assay_names (name, last_seq) VALUES (:name, 0) "
                "ON CONFLICT (name) DO NOTHING RETURNING name"
            )
            if not list(connection.execute(query, {"name": assay})):
                raise InputError(f"a new assay must have a new name; got {assay!r}.")
            return self._insert(connection, assay, 0, "", rows, token)

        return self._write(run)

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        """Add events at the end; all of them or none."""
        rows = [encode(event) for event in events]
        token, attempts = uuid.uuid4().hex, itertools.count()

        def run(connection: Connection) -> int:
            last, head = self._lock(connection, assay)
            if next(attempts) and (written := _last_of(connection, token)) is not None:
                return written
            if expected_seq is not None and expected_seq != last:
                raise StaleError(f"the last event must be number {expected_seq}; got {last}.")
            return self._insert(connection, assay, last, head, rows, token)

        return self._write(run)

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the events from number ``from_seq`` on; damage is named, with what is good."""
        first = max(from_seq, 1)

        def run(connection: Connection) -> list[Recorded]:
            query = reading_query(self._known_version(connection))
            # One event more, whose checksum the first one covers.
            rows = connection.execute(query, {"assay": assay, "from_seq": first - 1})
            chain = Chain(assay, first)
            try:
                for row in rows:
                    chain.follow(*row)
            except self.database.errors as error:
                if self.database.is_damage(error):
                    raise chain.broken(
                        f"a file that cannot be read: {first_line(error)}"
                    ) from None
                raise
            if not chain.is_known and assay in (known := _names(connection)):
                raise chain.broken("a store that lists the assay and does not find it")
            if not chain.is_known:
                raise UnknownNameError("assay", assay, known)
            return chain.whole()

        return self._read(run)

    def list(self) -> tuple[str, ...]:
        """Return the names of the assays, sorted."""
        return self._read(_names)

    def close(self) -> None:
        """Close the connections."""
        self.database.close()

    def _lock(self, connection: Connection, assay: str) -> tuple[int, str]:
        """Return number and checksum of the last event; the row is ours until we commit."""
        # An update that changes nothing locks the row in every database.
        query = (
            "UPDATE assay_names SET last_seq = last_seq WHERE name = :name "
            "RETURNING last_seq, checksum"
        )
        found = list(connection.execute(query, {"name": assay}))
        if not found:
            raise UnknownNameError("assay", assay, _names(connection))
        return int(found[0][0]), str(found[0][1])

    def _insert(
        self, connection: Connection, assay: str, last: int, head: str, rows: _Rows, token: str
    ) -> int:
        if not rows:
            return last
        now = self.clock() if self.clock is not None else self.database.now(connection)
        columns = ("assay", "seq", "at", "kind", "payload", "token", "checksum")
        values = []
        for seq, (kind, payload) in enumerate(rows, last + 1):
            head = checksum(head, assay, seq, now, kind, payload)
            values.append((assay, seq, now, kind, payload, token, head))
        connection.execute_many(
            f"INSERT INTO assay_events ({', '.join(columns)}) "
            f"VALUES ({', '.join(':' + c for c in columns)})",
            [dict(zip(columns, row, strict=True)) for row in values],
        )
        query = "UPDATE assay_names SET last_seq = :last, checksum = :head WHERE name = :name"
        connection.execute(query, {"last": last + len(rows), "head": head, "name": assay})
        return last + len(rows)

    def _known_version(self, connection: Connection) -> int:
        """Return the version of the tables; looked up until it is the present one."""
        if self._version < VERSION:
            self._version = readable_version(connection)
        return self._version

    def _read(self, run: Callable[[Connection], _T], patience_s: float | None = None) -> _T:
        def attempt() -> _T:
            with self.database.transaction(is_reading=True) as connection:
                return run(connection)

        return self._patiently(attempt, patience_s)

    def _write(self, run: Callable[[Connection], _T], patience_s: float | None = None) -> _T:
        def attempt() -> _T:
            with self.database.transaction(is_reading=False) as connection:
                is_old = self._version < VERSION
                if is_old:
                    self.database.lock_schema(connection)
                    migrate(connection)
                result = run(connection)
            if is_old:
                self._version = VERSION
            return result

        return self._patiently(attempt, patience_s)

    def _patiently(self, attempt: Callable[[], _T], patience_s: float | None) -> _T:
        """Try again while the database is away, up to ``patience_s`` seconds."""
        patience_s = self.patience_s if patience_s is None else patience_s
        give_up = time.monotonic() + patience_s
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                return attempt()
            except UnicodeDecodeError as error:
                raise no_texts(error, self.database.shown) from None
            except self.database.errors as error:
                if not self.database.is_passing(error) or time.monotonic() + wait_s > give_up:
                    raise self.database.explain(error) from None
                if wait_s == _FIRST_WAIT_S:
                    _log.warning("the store is away; trying again for up to %.0f s", patience_s)
            time.sleep(wait_s)
            wait_s = min(2.0 * wait_s, _LONGEST_WAIT_S)


def _names(connection: Connection) -> tuple[str, ...]:
    found = [name for (name,) in connection.execute("SELECT name FROM assay_names ORDER BY name")]
    if wrong := [name for name in found if not isinstance(name, str)]:
        raise DamageError(f"names of assays in the store must be texts; got {wrong[0]!r}.")
    return tuple(found)


def _last_of(connection: Connection, token: str) -> int | None:
    """Return the last number that was written under a token, None if nothing was."""
    query = "SELECT MAX(seq) FROM assay_events WHERE token = :token"
    ((last,),) = connection.execute(query, {"token": token})
    return None if last is None else int(last)


def first_line(error: Exception) -> str:
    """Return what the driver said, without the statement and its values."""
    said = str(getattr(error, "orig", None) or error).strip()
    return said.splitlines()[0] if said else type(error).__name__


def no_texts(error: UnicodeDecodeError, shown: str) -> DamageError:
    """Return the error of a database whose table and column names are damaged."""
    return DamageError(
        f"store must be undamaged; got {shown}, whose table names are not text "
        f"({error.reason}). Restore a copy of it."
    )


def lost(error: Exception, why: str) -> StoreError:
    """Return the error of a call that failed; says that nothing before it is lost."""
    return StoreError(
        f"store must take and give events; got {first_line(error)!r}. {why} "
        "Nothing that was acknowledged is lost; repeat the call when it is put right."
    )
