"""The store over SQL: one table of events, the same statements for every database.

A writer locks the row of its assay, so numbers have no gaps and become visible in their order.
When the connection is lost the call is tried again for a while; a token that is stored with the
events tells whether the lost attempt had reached the database after all.
"""

from __future__ import annotations

import itertools
import logging
import time
import uuid
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from accuracy_assay.domain.events import Event, Recorded, decode, encode
from accuracy_assay.errors import InputError, StaleError, StoreError, UnknownNameError
from accuracy_assay.storage.schema import migrate

__all__ = ["Dialect", "SqlStore"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Rows = list[tuple[str, str]]

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 1.0
"""Waits double, chosen by hand: from a twentieth of a second, about a short lock, to a second, the
most that is lost once a server is back."""


class Dialect(Protocol):
    """What differs between databases: the lock of a migration, and what an error means."""

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time change the tables."""
        ...

    def is_passing(self, error: DBAPIError) -> bool:
        """Return whether the same call may succeed in a while: a lost connection, a lock."""
        ...

    def explain(self, error: SQLAlchemyError) -> Exception:
        """Return the error that a user should see."""
        ...


@dataclass(frozen=True)
class SqlStore:
    """Events in a SQL database.

    Parameters
    ----------
    engine
        Connections to the database.
    dialect
        What is special about it.
    patience_s
        How long a call is tried again when the database is away.
    clock
        Seconds since 1970.
    """

    engine: Engine
    dialect: Dialect
    patience_s: float = 60.0
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        # A store that is forgotten closes its connections like one that is closed.
        weakref.finalize(self, self.engine.dispose)

    def prepare(self) -> None:
        """Make the tables, or bring them to the present version."""

        def run(connection: Connection) -> None:
            self.dialect.lock_schema(connection)
            migrate(connection)

        self._write(run, patience_s=0.0)

    def create(self, assay: str, events: Sequence[Event]) -> int:
        """Start an assay with its first events."""
        rows = [encode(event) for event in events]
        token, attempts = uuid.uuid4().hex, itertools.count()

        def run(connection: Connection) -> int:
            if next(attempts) and (last := _last_of(connection, token)) is not None:
                return last
            try:
                connection.execute(
                    text("INSERT INTO assay_names (name, last_seq) VALUES (:name, 0)"),
                    {"name": assay},
                )
            except IntegrityError:
                raise InputError(f"a new assay must have a new name; got {assay!r}.") from None
            return self._insert(connection, assay, 0, rows, token)

        return self._write(run)

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        """Add events at the end; all of them or none."""
        rows = [encode(event) for event in events]
        token, attempts = uuid.uuid4().hex, itertools.count()

        def run(connection: Connection) -> int:
            last = self._lock(connection, assay)
            if next(attempts) and (written := _last_of(connection, token)) is not None:
                return written
            if expected_seq is not None and expected_seq != last:
                raise StaleError(f"the last event must be number {expected_seq}; got {last}.")
            return self._insert(connection, assay, last, rows, token)

        return self._write(run)

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the events from number ``from_seq`` on."""
        query = text(
            "SELECT seq, at, kind, payload FROM assay_events "
            "WHERE assay = :assay AND seq >= :from_seq ORDER BY seq"
        )

        def run(connection: Connection) -> list[Recorded]:
            found = connection.execute(query, {"assay": assay, "from_seq": from_seq}).all()
            if not found and assay not in (known := _names(connection)):
                raise UnknownNameError("assay", assay, known)
            return [Recorded(seq, at, decode(kind, payload)) for seq, at, kind, payload in found]

        return self._read(run)

    def list(self) -> tuple[str, ...]:
        """Return the names of the assays, sorted."""
        return self._read(_names)

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    def _lock(self, connection: Connection, assay: str) -> int:
        """Return the last number of an assay; its row is ours until the transaction ends."""
        # An update that changes nothing locks the row in every database.
        query = "UPDATE assay_names SET last_seq = last_seq WHERE name = :name RETURNING last_seq"
        last = connection.execute(text(query), {"name": assay}).scalar_one_or_none()
        if last is None:
            raise UnknownNameError("assay", assay, _names(connection))
        return int(last)

    def _insert(
        self, connection: Connection, assay: str, last: int, rows: _Rows, token: str
    ) -> int:
        if not rows:
            return last
        now = self.clock()
        columns = ("assay", "seq", "at", "kind", "payload", "token")
        connection.execute(
            text(
                f"INSERT INTO assay_events ({', '.join(columns)}) "
                f"VALUES ({', '.join(':' + c for c in columns)})"
            ),
            [
                dict(zip(columns, (assay, last + i + 1, now, kind, payload, token), strict=True))
                for i, (kind, payload) in enumerate(rows)
            ],
        )
        query = text("UPDATE assay_names SET last_seq = :last WHERE name = :name")
        connection.execute(query, {"last": last + len(rows), "name": assay})
        return last + len(rows)

    def _read(self, run: Callable[[Connection], _T]) -> _T:
        def attempt() -> _T:
            with self.engine.connect() as connection:
                reading = connection.execution_options(is_reading=True)
                with reading.begin():
                    return run(reading)

        return self._patiently(attempt, self.patience_s)

    def _write(self, run: Callable[[Connection], _T], patience_s: float | None = None) -> _T:
        def attempt() -> _T:
            with self.engine.connect() as connection, connection.begin():
                return run(connection)

        return self._patiently(attempt, self.patience_s if patience_s is None else patience_s)

    def _patiently(self, attempt: Callable[[], _T], patience_s: float) -> _T:
        """Try again while the database is away, up to ``patience_s`` seconds."""
        give_up = time.monotonic() + patience_s
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                return attempt()
            except SQLAlchemyError as error:
                is_passing = isinstance(error, DBAPIError) and self.dialect.is_passing(error)
                if not is_passing or time.monotonic() + wait_s > give_up:
                    raise self.dialect.explain(error) from None
                if wait_s == _FIRST_WAIT_S:
                    _log.warning("the store is away; trying again for up to %.0f s", patience_s)
            time.sleep(wait_s)
            wait_s = min(2.0 * wait_s, _LONGEST_WAIT_S)


def _names(connection: Connection) -> tuple[str, ...]:
    return tuple(connection.execute(text("SELECT name FROM assay_names ORDER BY name")).scalars())


def _last_of(connection: Connection, token: str) -> int | None:
    """Return the last number that was written under a token, None if nothing was."""
    query = text("SELECT MAX(seq) FROM assay_events WHERE token = :token")
    last: int | None = connection.execute(query, {"token": token}).scalar_one()
    return last


def first_line(error: SQLAlchemyError) -> str:
    """Return what the driver said, without the statement and its values."""
    said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
    return said.splitlines()[0] if said else type(error).__name__


def lost(error: SQLAlchemyError, why: str) -> StoreError:
    """Return the error of a call that failed; says that nothing before it is lost."""
    return StoreError(
        f"store must take and give events; got {first_line(error)!r}. {why} "
        "Nothing that was acknowledged is lost; repeat the call when it is put right."
    )
