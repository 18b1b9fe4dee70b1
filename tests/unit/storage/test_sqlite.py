"""What is special about the SQLite file: bad paths, a full disk, a lost answer."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.exc import OperationalError

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import InputError, StoreError
from accuracy_assay.storage.sqlite import open_sqlite

SKIPPED = Skipped(("x1",), "ann")


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "none.assay"
    with pytest.raises(InputError, match=r"existing file; got '.*none\.assay'"):
        open_sqlite(str(path))
    assert not path.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="existing folder"):
        open_sqlite(str(tmp_path / "no" / "s.assay"), is_new=True)
    with pytest.raises(InputError, match="existing file"):
        open_sqlite(str(tmp_path), is_new=True)


@pytest.mark.parametrize("content", [b"no database, but long enough to look" * 9, b"PAR1"])
def test_another_kind_of_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pool.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a file that this package made; got '.*pool\.parquet'"):
        open_sqlite(str(path))
    assert path.read_bytes() == content


def test_a_full_disk_is_named_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "full.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED])

    @event.listens_for(store.engine, "begin")
    def limit(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")  # SQLite takes the present size

    large = Told(tuple(f"x{i}" for i in range(5000)), ("cat",) * 5000, "ann")
    with pytest.raises(StoreError, match=r"disk of '.*full\.assay' is full: make room.*Nothing"):
        store.append("a", [large])
    event.remove(store.engine, "begin", limit)
    store.engine.dispose()
    assert [r.event for r in store.read("a")] == [SKIPPED]
    assert store.append("a", [large]) == 2
    assert store.read("a")[1].event == large


def test_an_append_whose_answer_was_lost_happens_once(tmp_path: Path) -> None:
    store = open_sqlite(str(tmp_path / "once.assay"), is_new=True)
    store.create("a", [SKIPPED])
    lost: list[int] = []

    @event.listens_for(store.engine, "commit")
    def lose(connection: Connection) -> None:
        if not lost:
            lost.append(1)
            connection.connection.driver_connection.execute("COMMIT")
            cause = sqlite3.OperationalError("the answer was lost")
            cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("COMMIT", {}, cause)

    assert store.append("a", [SKIPPED], expected_seq=1) == 2
    assert lost == [1]
    assert len(store.read("a")) == 2


def test_a_lock_that_is_never_given_back_ends_with_a_message(tmp_path: Path) -> None:
    path = tmp_path / "locked.assay"
    store = open_sqlite(str(path), is_new=True, patience_s=0.3)
    store.create("a", [SKIPPED])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    @event.listens_for(store.engine, "connect")
    def hurry(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA busy_timeout = 50")

    store.engine.dispose()
    with pytest.raises(StoreError, match=r"kept '.*' locked for long"):
        store.append("a", [SKIPPED])
    other.execute("ROLLBACK")
    assert store.append("a", [SKIPPED]) == 2
    other.close()


def test_a_damaged_event_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [SKIPPED, SKIPPED])
    other = sqlite3.connect(path)
    other.execute("UPDATE assay_events SET payload = '{\"idz\": 1}' WHERE seq = 2")
    other.commit()
    with pytest.raises(StoreError, match="damaged Skipped"):
        store.read("a")
    other.execute("UPDATE assay_events SET kind = 'Rejected' WHERE seq = 2")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match=r"got 'Rejected'\. Upgrade"):
        store.read("a")
