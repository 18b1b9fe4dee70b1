"""The shared store: PostgreSQL, when several people or machines work on one assay."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import sqlalchemy
from sqlalchemy import Engine, create_engine, inspect, text
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
from accuracy_assay.runtime.secrets import hide_secrets, is_secret_name, without_password
from accuracy_assay.storage.heads import Heads
from accuracy_assay.storage.schema import Connection
from accuracy_assay.storage.sql import SqlStore, first_line, lost

__all__ = ["PostgresDatabase", "open_postgres"]

_SCHEMA_LOCK = 0x41434341
"""Any number that no one else uses as an advisory lock."""
_CONNECT_TIMEOUT_S = 5
"""Seconds for one attempt: a server that is there answers at once, and the store tries again."""
_PASSING_CLASSES = ("08", "57", "40", "55")
"""Classes of SQLSTATE: connection, operator's intervention, serialisation, lock."""
_FULL = "53"
"""Class of SQLSTATE: insufficient resources, a full disk among them."""
_DAMAGED = "XX"
"""Class of SQLSTATE: internal errors, a damaged page or index among them."""


def open_postgres(
    address: str,
    *,
    is_new: bool = False,
    is_saving: bool = False,
    patience_s: float = 60.0,
    clock: Callable[[], float] | None = None,
) -> SqlStore:
    """Return the store in the database at the URL ``address``.

    Parameters
    ----------
    address
        The URL.
    is_new
        Whether the tables may be made; otherwise they must be there, and nothing is written
        before the first append.
    is_saving, patience_s
        As in `SqlStore`.
    clock
        Seconds since 1970; by default the server's clock, which is one for all machines.
    """
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise InputError(
            "store must be a URL such as postgresql://user@host:5432/database; got one that "
            "cannot be read (it is not shown, since it may hold a password)."
        ) from None
    try:
        # Secrets of the query go beside the URL, which SQLAlchemy shows.
        secrets = {n: v[-1] for n, v in url.normalized_query.items() if is_secret_name(n)}
        engine = create_engine(
            url.difference_update_query(list(secrets)).set(drivername="postgresql+psycopg"),
            connect_args={"connect_timeout": _CONNECT_TIMEOUT_S, **secrets},
            pool_timeout=patience_s,
        )
    except ImportError:
        raise MissingExtraError("a store in PostgreSQL", "postgres") from None
    except SQLAlchemyError as error:
        raise InputError(
            "store must be a URL whose settings PostgreSQL knows; got "
            f"{_hidden(url, first_line(error))!r}."
        ) from None
    heads = Heads.of(without_password(address))
    store = SqlStore(PostgresDatabase(engine, url), patience_s, clock, heads, is_saving)
    return store.opened(is_new=is_new)


@dataclass
class PostgresDatabase:
    """Connections to one database, and what is special about PostgreSQL."""

    engine: Engine
    url: URL = field(repr=False)  # its query may hold a password
    errors: tuple[type[Exception], ...] = (SQLAlchemyError,)
    may_be_older: bool = False

    @property
    def shown(self) -> str:
        """The URL without its password and its query, which may hold another."""
        return self.url.set(query={}).render_as_string(hide_password=True)

    @contextmanager
    def transaction(self, *, is_reading: bool) -> Iterator[Connection]:
        """Begin a transaction."""
        with self.engine.connect() as connection, connection.begin():
            yield _Transaction(connection)

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    def now(self, connection: Connection) -> float:
        """Return the server's time, not that of when the transaction began."""
        query = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
        ((now,),) = connection.execute(query)
        return float(now)

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time change the tables."""
        list(connection.execute("SELECT pg_advisory_xact_lock(:key)", {"key": _SCHEMA_LOCK}))

    def is_passing(self, error: Exception) -> bool:
        """Return whether the connection was lost or refused, as when the server restarts."""
        if not isinstance(error, DBAPIError):
            return False
        if error.connection_invalidated:
            return True
        state = _state(error)
        if state is None:
            return isinstance(error, OperationalError | InterfaceError)
        return state[:2] in _PASSING_CLASSES

    def is_damage(self, error: Exception) -> bool:
        """Return whether the server says that its files are damaged."""
        return (_state(error) or "").startswith(_DAMAGED)

    def problems(self) -> list[str]:
        """Return nothing: the server looks after its files."""
        return []

    def explain(self, error: Exception) -> Exception:
        """Return the error that a user should see; the password is never in it."""
        said = self._explain(error)
        said.args = (_hidden(self.url, str(said)),)
        return said

    def _explain(self, error: Exception) -> Exception:
        shown = self.shown
        if isinstance(error, PoolTimeoutError):
            return lost(error, f"Too many threads wait for {shown}.")
        if (_state(error) or "").startswith(_FULL):
            return lost(error, f"The server at {shown} is out of room.")
        if isinstance(error, OperationalError | InterfaceError):
            return lost(error, f"The database {shown} cannot be reached.")
        return lost(error, f"It came from {shown} ({first_line(error)}).")


@dataclass(frozen=True)
class _Transaction:
    """SQLAlchemy's connection as a `Connection`."""

    connection: sqlalchemy.Connection

    def execute(self, query: str, values: Mapping[str, Any] | None = None) -> Iterable[Any]:
        """Run a statement and return its rows."""
        result = self.connection.execute(text(query), dict(values or {}))
        return result if result.returns_rows else ()

    def execute_many(self, query: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement once for each of ``values``."""
        self.connection.execute(text(query), [dict(each) for each in values])

    def tables(self) -> Collection[str]:
        """Return the names of the tables."""
        return inspect(self.connection).get_table_names()


def _hidden(url: URL, message: str) -> str:
    """Return a message without the secrets of the URL, which drivers and servers may quote."""
    given = url.normalized_query.items()
    queried = [value for name, values in given if is_secret_name(name) for value in values]
    for secret in filter(None, (str(url.password or ""), *queried)):
        for form in (secret, quote(secret, safe=""), repr(secret)[1:-1]):
            message = message.replace(form, "***")
    return hide_secrets(message)


def _state(error: Exception) -> str | None:
    """Return the SQLSTATE that the server gave, None where it gave none."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    state: str | None = getattr(cause, "sqlstate", None)
    return state
