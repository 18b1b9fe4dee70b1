"""Trying again, giving up and never doing a thing twice, whatever the database."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from accuracy_assay.domain.events import Event, Skipped
from accuracy_assay.errors import InputError, StaleError, StoreError
from accuracy_assay.storage.schema import Connection
from accuracy_assay.storage.sql import SqlStore, first_line, lost
from accuracy_assay.storage.sqlite import SqliteDatabase

EVENTS: list[Event] = [Skipped(("x1",), "ann"), Skipped(("x2",), "ann")]


class Unsteady(SqliteDatabase):
    """A database that fails when it is told to; its errors pass when they say "away"."""

    moment, said, times = "", "", 0

    def fail(self, moment: str, said: str, times: int) -> list[int]:
        """Let the next transactions fail at ``moment``; return the list of those that did."""
        self.moment, self.said, self.times = moment, said, times
        self.failed: list[int] = []
        return self.failed

    @contextmanager
    def transaction(self, *, is_reading: bool) -> Iterator[Connection]:
        self._may_fail("begin")
        with super().transaction(is_reading=is_reading) as connection:
            yield connection

    def commit(self, connection: sqlite3.Connection) -> None:
        super().commit(connection)
        self._may_fail("commit")  # it arrived, and the answer was lost

    def is_passing(self, error: Exception) -> bool:
        return "away" in str(error)

    def explain(self, error: Exception) -> Exception:
        return lost(error, "It came from a test.")

    def _may_fail(self, moment: str) -> None:
        if moment == self.moment and len(self.failed) < self.times:
            self.failed.append(len(self.failed))
            raise sqlite3.OperationalError(self.said)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    path = tmp_path / "s.assay"
    path.touch()
    made = SqlStore(Unsteady(path), patience_s=2.0, clock=lambda: 5.0)
    made.opened(is_new=True)
    made.create("a", EVENTS[:1])
    yield made
    made.close()


def fail(store: SqlStore, moment: str, said: str, times: int) -> list[int]:
    """Let the next transactions fail at ``moment``; return the list of attempts that did."""
    assert isinstance(store.database, Unsteady)
    return store.database.fail(moment, said, times)


def test_a_call_is_tried_again_while_the_database_is_away(
    store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    failed = fail(store, "begin", "away", times=2)
    assert [r.event for r in store.read("a")] == EVENTS[:1]
    assert failed == [0, 1]
    assert caplog.text.count("the store is away") == 1


def test_an_error_that_does_not_pass_is_not_tried_again(store: SqlStore) -> None:
    failed = fail(store, "begin", "disk on fire", times=5)
    with pytest.raises(StoreError, match=r"got 'disk on fire'\. It came from a test\. Nothing"):
        store.append("a", EVENTS[1:])
    assert failed == [0]


def test_patience_ends(store: SqlStore) -> None:
    hasty = SqlStore(store.database, patience_s=0.0)
    failed = fail(hasty, "begin", "away", times=5)
    with pytest.raises(StoreError, match="got 'away'"):
        hasty.read("a")
    assert failed == [0]


def test_an_append_whose_answer_was_lost_happens_once(store: SqlStore) -> None:
    failed = fail(store, "commit", "away", times=1)
    assert store.append("a", EVENTS[1:], expected_seq=1) == 2
    assert failed == [0]
    assert [r.event for r in store.read("a")] == EVENTS


def test_a_new_assay_whose_answer_was_lost_is_made_once(store: SqlStore) -> None:
    failed = fail(store, "commit", "away", times=1)
    assert store.create("b", EVENTS) == 2
    assert failed == [0]
    assert [r.event for r in store.read("b")] == EVENTS


def test_the_users_mistakes_are_not_tried_again_and_leave_nothing(store: SqlStore) -> None:
    with pytest.raises(InputError, match="new name; got 'a'"):
        store.create("a", EVENTS)
    with pytest.raises(StaleError, match="must be number 0; got 1"):
        store.append("a", EVENTS, expected_seq=0)
    assert len(store.read("a")) == 1


def test_a_message_has_what_the_driver_said_and_not_the_statement() -> None:
    def wrapped(said: str) -> OperationalError:
        return OperationalError("SELECT 'secret'", {}, sqlite3.OperationalError(said))

    assert first_line(wrapped("locked\nat line 3")) == "locked"
    assert first_line(sqlite3.OperationalError("locked\nat line 3")) == "locked"
    assert first_line(wrapped("")) == "OperationalError"
    assert "secret" not in str(lost(wrapped("locked"), "Why."))
