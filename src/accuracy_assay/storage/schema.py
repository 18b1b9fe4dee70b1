"""The tables of a SQL store, version by version.

A new store walks through every version from nothing, an old one from where it stands, so there is
one way to the present tables and each step of it is used every day. The statements are the same
for SQLite and PostgreSQL.

Tables: ``assay_schema`` (one row: version), ``assay_names`` (name, last_seq, checksum),
``assay_events`` (assay, seq, at, kind, payload, token, checksum). The checksum of a name is that
of its last event. Reading changes nothing: old tables are read as they are, and brought to the
present version by the first write.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from accuracy_assay.errors import DamageError, InputError

__all__ = [
    "MIGRATIONS",
    "TABLES",
    "VERSION",
    "Connection",
    "migrate",
    "readable_version",
    "reading_query",
    "saving_query",
]

TABLES = ("assay_schema", "assay_names", "assay_events")

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    # 1: names and events.
    (
        "CREATE TABLE assay_schema (version INTEGER NOT NULL)",
        "INSERT INTO assay_schema (version) VALUES (0)",
        "CREATE TABLE assay_names (name TEXT PRIMARY KEY)",
        "CREATE TABLE assay_events (assay TEXT NOT NULL REFERENCES assay_names (name), "
        "seq BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL, "
        "payload TEXT NOT NULL, PRIMARY KEY (assay, seq))",
    ),
    # 2: the last number is in one row, which writers lock; with a token, an append that is retried
    # after a lost connection happens once.
    (
        "ALTER TABLE assay_names ADD COLUMN last_seq BIGINT NOT NULL DEFAULT 0",
        "UPDATE assay_names SET last_seq = COALESCE((SELECT MAX(seq) FROM assay_events "
        "WHERE assay_events.assay = assay_names.name), 0)",
        "ALTER TABLE assay_events ADD COLUMN token TEXT",
        "CREATE INDEX assay_events_token ON assay_events (token)",
    ),
    # 3: a chain of checksums. Events that are there have none and stay unchecked.
    (
        "ALTER TABLE assay_events ADD COLUMN checksum TEXT",
        "ALTER TABLE assay_names ADD COLUMN checksum TEXT NOT NULL DEFAULT ''",
    ),
)
VERSION = len(MIGRATIONS)


class Connection(Protocol):
    """A transaction of a database; a statement has its values as ``:name``."""

    def execute(self, query: str, values: Mapping[str, Any] | None = None) -> Iterable[Any]:
        """Run a statement and return its rows, which are read as they are wanted."""
        ...

    def execute_many(self, query: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement once for each of ``values``."""
        ...

    def tables(self) -> Collection[str]:
        """Return the names of the tables."""
        ...


def readable_version(connection: Connection) -> int:
    """Return the version of the tables, 0 if there are none.

    Raises
    ------
    InputError
        If a newer version of the package made the tables.
    DamageError
        If the tables do not say.
    """
    if not set(TABLES) <= set(connection.tables()):
        return 0
    found = [version for (version,) in connection.execute("SELECT version FROM assay_schema")]
    version = found[0] if len(found) == 1 else None
    if not isinstance(version, int) or version < 0:
        raise DamageError(
            f"table assay_schema of a store must hold one number, its version; got {found!r}. "
            "The events may be whole: `assay verify` says so, and `assay export` saves them."
        )
    if version > VERSION:
        raise InputError(
            f"store must have schema version {VERSION} or lower; got {version}. "
            "A newer version of accuracy-assay made it: upgrade to open it."
        )
    return version


def migrate(connection: Connection) -> None:
    """Bring the tables to the present version, inside the transaction of ``connection``.

    Raises
    ------
    InputError
        If a newer version of the package made the tables.
    """
    version = readable_version(connection)
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(statement)
    if version < VERSION:
        connection.execute("UPDATE assay_schema SET version = :v", {"v": VERSION})


def reading_query(version: int) -> str:
    """Return the statement that reads one assay, from an event on, in tables of any version.

    Rows are (last_seq, checksum of the last event, seq, at, kind, payload, checksum). It is one
    statement, so that all of it is of one moment. An assay without events gives one row of
    nulls, an unknown one none.
    """
    last_seq = "n.last_seq" if version >= 2 else "NULL"
    head, own = ("n.checksum", "e.checksum") if version >= 3 else ("''", "NULL")
    return (
        f"SELECT {last_seq}, {head}, e.seq, e.at, e.kind, e.payload, {own} FROM assay_names n "
        "LEFT JOIN assay_events e ON e.assay = n.name AND e.seq >= :from_seq "
        "WHERE n.name = :assay ORDER BY e.seq"
    )


def saving_query(version: int) -> str:
    """Return the statement that reads the events of an assay from their own table alone.

    Rows are (seq, at, kind, payload, checksum).
    """
    own = "checksum" if version >= 3 else "NULL"
    return (
        f"SELECT seq, at, kind, payload, {own} FROM assay_events "
        "WHERE assay = :assay AND seq >= :from_seq ORDER BY seq"
    )
