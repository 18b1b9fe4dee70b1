"""The store over SQL: one table of events, the same statements for every database.

A writer locks the row of its assay, so numbers have no gaps and become visible in their order.
A call whose connection is lost is retried for a while; a token stored with the events says whether
the lost attempt reached the database after all. Each event has a checksum that covers the one
before it; a reader follows the chain and reports where it breaks. A store remembers the head of
what it has read, in this process and in the user's state folder, and refuses to go on when events
that were seen are gone.
"""

from __future__ import annotations

import itertools
import logging
import time
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from accuracy_assay.domain.events import Event, Recorded, encode
from accuracy_assay.errors import (
    DamageError,
    InputError,
    OlderStoreError,
    StaleError,
    StoreError,
    UnknownNameError,
)
from accuracy_assay.storage.chain import Chain, Scraps, checksum, older
from accuracy_assay.storage.heads import Head, Heads, OlderStoreWarning
from accuracy_assay.storage.schema import (
    VERSION,
    Connection,
    migrate,
    readable_version,
    reading_query,
    saving_query,
)

__all__ = ["Database", "SqlStore", "first_line", "lost", "no_texts"]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Rows = list[tuple[str, str]]

_MOST_EVENTS = 2**40
"""Where a search for readable events ends: no store has so many."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 1.0
"""Waits double, chosen by hand: from 0.05 s, about a short lock, to 1 s, the most that is lost
once a server is back."""


class Database(Protocol):
    """What differs between databases: driver, clock, lock of a migration, what an error means."""

    errors: tuple[type[Exception], ...]
    """What the driver raises."""
    may_be_older: bool
    """Whether the last writer did not close the database and its log is missing."""

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

    def problems(self) -> list[str]:
        """Return what is wrong with the files of the database, apart from the events."""
        ...

    def explain(self, error: Exception) -> Exception:
        """Return the error that a user should see."""
        ...


@dataclass(frozen=True)
class _Seen:
    """An assay that this process knows: the checksum of its first event, and the last head.

    ``is_ours`` says whether this process has read up to the head; otherwise another one had.
    """

    first: str
    head: Head | None
    is_ours: bool = False


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
    heads
        What this user has seen of the assays before; None for nothing.
    is_saving
        Whether what is whole is read from a store whose other tables are damaged.
    """

    database: Database
    patience_s: float = 60.0
    clock: Callable[[], float] | None = None
    heads: Heads | None = None
    is_saving: bool = False
    _version: int = field(default=0, init=False, repr=False)
    _seen: dict[str, _Seen] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        # A store that is forgotten closes its connections like one that is closed.
        weakref.finalize(self, self.database.close)

    def opened(self, *, is_new: bool) -> SqlStore:
        """Return the store, its tables made or brought to the present version if it ``is_new``.

        Otherwise nothing is written, and a database without the tables is refused.
        """
        try:
            if self.is_saving:
                return self
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
            self._refuse_older(connection, assay, last, head)
            if expected_seq is not None and expected_seq != last:
                raise StaleError(f"the last event must be number {expected_seq}; got {last}.")
            return self._insert(connection, assay, last, head, rows, token)

        return self._write(run)

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the events from number ``from_seq`` on; damage is named, with what is good."""
        first = wanted = max(from_seq, 1)
        before = self._seen.get(assay)

        def run(connection: Connection) -> list[Recorded]:
            try:
                return self._follow(connection, assay, first, before)
            except self._damage as error:
                if self.is_saving and not isinstance(error, OlderStoreError):
                    raise self._saved(connection, assay, error) from None
                raise

        try:
            return self._read(run)
        except OlderStoreError:
            # Another process may have written, and noted it, since this reading began. If not, the
            # error counts all that is there.
            before, first = self._seen.get(assay), 1
            return [event for event in self._read(run) if event.seq >= wanted]

    @property
    def _damage(self) -> tuple[type[Exception], ...]:
        """What damaged tables end in."""
        return (DamageError, UnknownNameError, *self.database.errors)

    def _follow(
        self, connection: Connection, assay: str, first: int, before: _Seen | None
    ) -> list[Recorded]:
        """Return the events of an assay, each compared with its checksum and its place."""
        query = reading_query(self._known_version(connection))
        known = before or self._recognise(connection, assay)
        chain = Chain(assay, first, None if known is None else known.head)
        # One event more, whose checksum the first one covers.
        rows = connection.execute(query, {"assay": assay, "from_seq": first - 1})
        self._take_in(chain, rows)
        if not chain.is_known and assay in (names := _names(connection)):
            raise chain.broken("a store that lists the assay and does not find it")
        if not chain.is_known:
            raise UnknownNameError("assay", assay, names)
        events = chain.whole()
        if known is not None and chain.head is not None:
            self._remember(assay, known, chain.head)
        return events

    def _take_in(self, chain: Chain, rows: Iterable[Any]) -> None:
        try:
            for row in rows:
                chain.follow(*row)
        except self.database.errors as error:
            if self.database.is_damage(error):
                raise chain.broken(f"a file that cannot be read: {first_line(error)}") from None
            raise

    def _saved(self, connection: Connection, assay: str, why: Exception) -> DamageError:
        """Return the error of a damaged store, with every event that is as it was written.

        Where the file cannot be read, it is tried again further on.
        """
        found, first, step = Scraps(assay), 0, 1
        query = saving_query(self._known_version(connection))
        while first <= _MOST_EVENTS:
            try:
                for row in connection.execute(query, {"assay": assay, "from_seq": first}):
                    found.take(*row)
                    first, step = found.last + 1, 1
                break
            except self.database.errors:
                first, step = first + step, 2 * step
        good = found.good
        return DamageError(
            f"assay {assay!r} must be whole; got damage: {first_line(why)} "
            f"{len(good)} events, up to number {found.last}, are as they were written: "
            "`assay export` saves them.",
            good,
        )

    def accept_older(self, assay: str) -> None:
        """Take the store as it is, whatever was seen before; for a user who has said so."""
        self._seen.pop(assay, None)
        heads, self.heads = self.heads, None
        try:
            with warnings.catch_warnings(action="ignore", category=OlderStoreWarning):
                self.read(assay)
        finally:
            self.heads = heads
        seen = self._seen[assay]
        self.database.may_be_older = False
        if heads is not None and seen.head is not None:
            heads.note(seen.first, seen.head, is_accepted=True)

    def list(self) -> tuple[str, ...]:
        """Return the names of the assays, sorted."""

        def run(connection: Connection) -> tuple[str, ...]:
            if not self.is_saving:
                return _names(connection)
            listed: tuple[str, ...] = ()
            with suppress(*self._damage):
                listed = _names(connection)
            found = connection.execute("SELECT DISTINCT assay FROM assay_events")
            named = {name for (name,) in found if isinstance(name, str)}
            return tuple(sorted({*listed, *named}))

        return self._read(run)

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

    def seen_heads(self) -> Iterator[tuple[str, Head]]:
        """Yield what this process has read: the checksum of the first event, and the head."""
        for seen in self._seen.values():
            if seen.head is not None:
                yield seen.first, seen.head

    def expect(self, other: SqlStore) -> None:
        """Expect in this store what was read in another one, of which it is a copy."""
        self._seen = {name: replace(seen, is_ours=False) for name, seen in other._seen.items()}

    def hold(self, other: SqlStore) -> None:
        """Refuse unless this store holds all that was read in another one.

        Raises
        ------
        OlderStoreError, InputError
            If an assay or an event is missing.
        """
        for name, theirs in other._seen.items():
            self.read(name)
            own = self._seen.get(name)
            if own is None or own.first != theirs.first:
                raise InputError(f"assay {name!r} must be the same one in both stores.")
            self._seen[name] = theirs
            try:
                self.read(name)
            finally:
                self._seen[name] = own

    def _recognise(self, connection: Connection, assay: str) -> _Seen | None:
        """Return which assay this is and what was seen of it; None where it has no event."""
        if assay in self._seen:
            return self._seen[assay]
        own = "checksum" if self._known_version(connection) >= 3 else "NULL"
        query = f"SELECT at, kind, payload, {own} FROM assay_events WHERE assay = :a AND seq = 1"
        for at, kind, payload, digest in connection.execute(query, {"a": assay}):
            try:
                first = digest or checksum("", assay, 1, at, kind, payload)
            except (TypeError, ValueError, OverflowError):
                return None  # damaged, as the chain will say
            seen = _Seen(str(first), None if self.heads is None else self.heads.known(str(first)))
            return self._seen.setdefault(assay, seen)
        return None

    def _remember(self, assay: str, before: _Seen, head: Head) -> None:
        """Take in a head that was read; the first one that is unsure is said."""
        was = before.head
        if not before.is_ours and self.database.may_be_older and head.seq != (was and was.seq):
            warnings.warn(
                f"store must be closed by its last writer, or have its log beside it; got "
                f"{self.database.shown} without either: assay {assay!r} may be older than it "
                f"was, and labels after event {head.seq} may be missing. Copy a store with "
                "`assay backup`.",
                OlderStoreWarning,
                stacklevel=2,
            )
        now = self._seen.get(assay, before)
        if now.is_ours and now.head is not None and now.head.seq >= head.seq:
            return
        place = "" if self.heads is None else self.heads.place
        self._seen[assay] = _Seen(before.first, replace(head, place=place), is_ours=True)
        is_noted = was is not None and (was.seq, was.place) == (head.seq, place)
        if self.heads is not None and not is_noted and not self.database.may_be_older:
            self.heads.note(before.first, head)

    def _refuse_older(self, connection: Connection, assay: str, last: int, digest: str) -> None:
        """Refuse to write to a store that lacks what was seen."""
        known = self._recognise(connection, assay)
        if known is None or known.head is None:
            return
        seen = known.head
        if last > seen.seq:
            query = "SELECT checksum FROM assay_events WHERE assay = :a AND seq = :s"
            found = connection.execute(query, {"a": assay, "s": seen.seq})
            digest = "".join(own or "" for (own,) in found)
        if last < seen.seq or digest != seen.digest:
            rows = connection.execute(reading_query(VERSION), {"assay": assay, "from_seq": 1})
            chain = Chain(assay, 1)
            for row in rows:
                chain.follow(*row)
            raise older(assay, seen, last, chain.good)

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
            try:
                self._version = readable_version(connection)
            except self._damage:
                if not self.is_saving:
                    raise
            if self.is_saving and not self._version:  # what the tables do not say any more
                self._version = VERSION
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
