"""The tables of a SQL store, version by version.

A new store walks through every version from nothing, an old one from where it stands, so there is
one way to the present tables and each step of it is used every day. The statements are the same
for SQLite and PostgreSQL.

Tables: ``assay_schema`` (one row: version), ``assay_names`` (name, last_seq), ``assay_events``
(assay, seq, at, kind, payload, token).
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from accuracy_assay.errors import InputError

__all__ = ["MIGRATIONS", "VERSION", "migrate", "version_of"]

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
    # 2: the last number stands in one row, which writers lock; a token makes an append that is
    # tried again after a lost connection happen once.
    (
        "ALTER TABLE assay_names ADD COLUMN last_seq BIGINT NOT NULL DEFAULT 0",
        "UPDATE assay_names SET last_seq = COALESCE((SELECT MAX(seq) FROM assay_events "
        "WHERE assay_events.assay = assay_names.name), 0)",
        "ALTER TABLE assay_events ADD COLUMN token TEXT",
        "CREATE INDEX assay_events_token ON assay_events (token)",
    ),
)
VERSION = len(MIGRATIONS)


def version_of(connection: Connection) -> int:
    """Return the version of the tables, 0 where there are none."""
    if not inspect(connection).has_table("assay_schema"):
        return 0
    return int(connection.execute(text("SELECT version FROM assay_schema")).scalar_one())


def migrate(connection: Connection) -> None:
    """Bring the tables to the present version, inside the transaction of ``connection``.

    Raises
    ------
    InputError
        If a newer version of the package made the tables.
    """
    version = version_of(connection)
    if version > VERSION:
        raise InputError(
            f"store must have schema version {VERSION} or lower; got {version}. "
            "A newer version of accuracy-assay made it: upgrade to open it."
        )
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(text(statement))
    if version < VERSION:
        connection.execute(text("UPDATE assay_schema SET version = :v"), {"v": VERSION})
