"""The shared store: PostgreSQL, when several people or machines work on one assay."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from accuracy_assay.errors import InputError, MissingExtraError
from accuracy_assay.storage.sql import SqlStore, first_line, lost

__all__ = ["open_postgres"]

_SCHEMA_LOCK = 0x41434341
"""Any number that no one else uses as an advisory lock."""
_CONNECT_TIMEOUT_S = 5
"""Seconds for one attempt: a server that is there answers at once, and the store tries again."""
_PASSING_CLASSES = ("08", "57", "40", "55")
"""Classes of SQLSTATE: connection, operator's intervention, serialisation, lock."""
_FULL = "53"
"""Class of SQLSTATE: insufficient resources, a full disk among them."""


def open_postgres(
    address: str,
    *,
    is_new: bool = False,
    patience_s: float = 60.0,
    clock: Callable[[], float] = time.time,
) -> SqlStore:
    """Return the store in the database at the URL ``address``.

    The tables are made when they are not there, whether ``is_new`` or not: a database, unlike a
    file, exists before the first assay.
    """
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise InputError(
            "store must be a URL such as postgresql://user@host:5432/database; got one that "
            "cannot be read (it is not shown, since it may hold a password)."
        ) from None
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={"connect_timeout": _CONNECT_TIMEOUT_S},
            pool_timeout=patience_s,
        )
    except ModuleNotFoundError:
        raise MissingExtraError("a store in PostgreSQL", "postgres") from None
    store = SqlStore(engine, _Postgres(url), patience_s, clock)
    try:
        store.prepare()
    except Exception:
        store.close()
        raise
    return store


class _Postgres:
    """What is special about PostgreSQL."""

    def __init__(self, url: URL) -> None:
        self.url = url

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time change the tables."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SCHEMA_LOCK})

    def is_passing(self, error: DBAPIError) -> bool:
        """Return whether the connection was lost or refused, as when the server restarts."""
        if error.connection_invalidated:
            return True
        state = _state(error)
        if state is None:
            return isinstance(error, OperationalError | InterfaceError)
        return state[:2] in _PASSING_CLASSES

    def explain(self, error: SQLAlchemyError) -> Exception:
        """Return the error that a user should see; the password is never in it."""
        shown = self.url.render_as_string(hide_password=True)
        if isinstance(error, PoolTimeoutError):
            return lost(error, f"Too many threads wait for {shown}.")
        if (_state(error) or "").startswith(_FULL):
            return lost(error, f"The server at {shown} is out of room.")
        if isinstance(error, OperationalError | InterfaceError):
            return lost(error, f"The database {shown} cannot be reached.")
        return lost(error, f"It came from {shown} ({first_line(error)}).")


def _state(error: SQLAlchemyError) -> str | None:
    """Return the SQLSTATE that the server gave, None where it gave none."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    state: str | None = getattr(cause, "sqlstate", None)
    return state
