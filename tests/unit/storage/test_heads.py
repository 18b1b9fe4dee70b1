"""What was seen of a store is known outside it: an older one says so, a sound one says nothing."""

import os
import shutil
import sqlite3
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import InputError, OlderStoreError, StoreError
from accuracy_assay.storage.heads import Head, Heads, OlderStoreWarning, state_folder
from accuracy_assay.storage.postgres import open_postgres
from accuracy_assay.storage.sql import SqlStore
from accuracy_assay.storage.sqlite import SqliteDatabase, open_sqlite

OPENED = Skipped(("x0",), "ann")


def told(i: int) -> Told:
    return Told((f"x{i}",), ("cat",), "ann")


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", OlderStoreWarning)
        yield


def written(path: Path, n_labels: int) -> SqlStore:
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [OPENED])
    for i in range(n_labels):
        store.append("a", [told(i)])
        store.read("a")
    return store


def checkpoint(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_the_state_folder_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert state_folder() == tmp_path / "xdg" / "accuracy-assay"
    monkeypatch.setenv("ASSAY_STATE", str(tmp_path / "own"))
    assert state_folder() == tmp_path / "own"
    monkeypatch.delenv("ASSAY_STATE")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert state_folder() == Path.home() / ".local" / "state" / "accuracy-assay"


def test_a_copy_without_the_log_of_an_open_session_says_how_many_labels_are_newer(
    tmp_path: Path,
) -> None:
    path, copy = tmp_path / "v.assay", tmp_path / "v1.assay"
    store = written(path, 5)
    checkpoint(path)
    for i in range(5, 8):
        store.append("a", [told(i)])
        store.read("a")
    shutil.copy(path, copy)
    older = open_sqlite(str(copy))
    with pytest.raises(OlderStoreError, match=r"3 labels \(3 events\) newer than this file") as e:
        older.read("a")
    assert len(e.value.good) == 6
    with pytest.raises(OlderStoreError, match="3 labels"):
        older.append("a", [told(9)])
    with pytest.raises(OlderStoreError, match="3 labels"):
        open_sqlite(str(copy)).append("a", [told(9)])
    assert len(store.read("a")) == 9


def test_a_flipped_bit_in_the_log_is_not_a_shorter_history(tmp_path: Path) -> None:
    path = tmp_path / "v.assay"
    store = written(path, 2)
    checkpoint(path)
    for i in range(2, 9):
        store.append("a", [told(i)])
        store.read("a")
    killed = tmp_path / "killed"
    killed.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", killed / f"v.assay{ending}")
    log = bytearray((killed / "v.assay-wal").read_bytes())
    log[32 + 3 * (24 + 4096) + 100] ^= 1
    (killed / "v.assay-wal").write_bytes(log)
    with pytest.raises(OlderStoreError, match="newer than this file"):
        open_sqlite(str(killed / "v.assay")).append("a", [told(9)])


def test_a_restored_store_is_accepted_once_and_goes_on(tmp_path: Path) -> None:
    path, backup = tmp_path / "v.assay", tmp_path / "backup"
    written(path, 2).close()
    shutil.copy(path, backup)
    with closing(open_sqlite(str(path))) as store:
        store.read("a")
        store.append("a", [told(2)])
        store.read("a")
    shutil.copy(backup, path)
    with closing(open_sqlite(str(path))) as store:
        with pytest.raises(OlderStoreError, match=r"1 label \(1 event\) newer"):
            store.read("a")
        store.accept_older("a")
        assert store.append("a", [told(7)]) == 4
    with closing(open_sqlite(str(path))) as store:
        assert len(store.read("a")) == 4


def test_another_history_in_the_same_place_is_told_from_an_older_one(tmp_path: Path) -> None:
    path, other = tmp_path / "v.assay", tmp_path / "other.assay"
    written(path, 2).close()
    shutil.copy(path, other)
    for place, labels in ((other, ()), (path, (3,)), (other, (4, 5))):
        with closing(open_sqlite(str(place))) as store:
            store.read("a")
            for i in labels:
                store.append("a", [told(i)])
            store.read("a")
    shutil.copy(other, path)
    with (
        closing(open_sqlite(str(path))) as store,
        pytest.raises(OlderStoreError, match="another history: event 4"),
    ):
        store.read("a")


def test_a_moved_a_copied_and_a_forked_store_go_on_in_silence(tmp_path: Path) -> None:
    path, moved, copy = (tmp_path / name for name in ("v.assay", "w.assay", "c.assay"))
    written(path, 3).close()
    path.rename(moved)
    shutil.copy(moved, copy)
    with closing(open_sqlite(str(copy))) as store:
        store.read("a")
    for place in (moved, copy, moved, copy):  # two lines from here on
        with closing(open_sqlite(str(place))) as store:
            n = len(store.read("a"))
            assert store.append("a", [told(n)]) == n + 1
            store.read("a")


def test_two_machines_that_share_a_folder_see_each_other_s_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "v.assay"
    written(path, 1).close()
    for turn in range(6):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"machine{turn % 2}"))
        with closing(open_sqlite(str(path))) as store:
            store.read("a")
            store.append("a", [told(10 + turn)])
            assert len(store.read("a")) == 3 + turn


def test_an_open_session_refuses_to_go_on_with_an_older_file_in_its_place(tmp_path: Path) -> None:
    path, backup = tmp_path / "v.assay", tmp_path / "backup"
    written(path, 2).close()
    shutil.copy(path, backup)
    session = open_sqlite(str(path))
    session.heads = None  # what it knows itself is enough
    session.read("a")
    session.append("a", [told(2)])
    session.read("a", 4)
    os.replace(backup, path)
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    with pytest.raises(OlderStoreError, match=r"1 label \(1 event\) newer"):
        session.append("a", [told(3)])
    with pytest.raises(OlderStoreError, match=r"1 label \(1 event\) newer"):
        session.read("a", 5)


def test_what_goes_to_a_file_that_was_replaced_meanwhile_is_not_acknowledged(
    tmp_path: Path,
) -> None:
    path, other = tmp_path / "v.assay", tmp_path / "other.assay"
    written(path, 1).close()
    shutil.copy(path, other)

    class Replaced(SqliteDatabase):
        def commit(self, connection: sqlite3.Connection) -> None:
            super().commit(connection)
            if other.exists() and connection.total_changes:
                os.replace(other, path)
                Path(f"{path}-wal").unlink()
                Path(f"{path}-shm").unlink()

    store = SqlStore(Replaced(path))
    store.read("a")
    with pytest.raises(StoreError, match="was moved, deleted or replaced meanwhile"):
        store.append("a", [told(5)])
    assert store.append("a", [told(5)]) == 3


def test_a_store_that_was_not_closed_and_has_lost_its_log_says_that_it_may_be_older(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = tmp_path / "v.assay", tmp_path / "v1.assay"
    store = written(path, 4)
    checkpoint(path)
    shutil.copy(path, copy)
    reader = open_sqlite(str(copy))  # here nothing newer is known, so nothing is missing
    assert len(reader.read("a")) == 5
    reader.close()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    for _ in range(2):  # until somebody writes to it
        reader = open_sqlite(str(copy))
        with pytest.warns(OlderStoreWarning, match=r"'.*v1\.assay'.*labels after event 5 may be"):
            assert len(reader.read("a")) == 5
        assert len(reader.read("a")) == 5  # said once
        reader.close()
    writer = open_sqlite(str(copy))
    with pytest.warns(OlderStoreWarning):
        writer.read("a")
    writer.append("a", [told(4)])
    writer.close()
    open_sqlite(str(copy)).read("a")
    store.close()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "third"))
    for _ in range(2):  # closed cleanly
        again = open_sqlite(str(path))
        assert len(again.read("a")) == 5
        again.close()


def test_of_several_that_close_a_store_the_last_one_ends_its_log(tmp_path: Path) -> None:
    path = tmp_path / "v.assay"
    first = written(path, 1)
    second = open_sqlite(str(path))
    second.read("a")
    first.close()
    assert Path(f"{path}-wal").exists()
    assert path.read_bytes()[18:20] == b"\2\2"
    second.append("a", [told(4)])
    second.close()
    assert [p.name for p in tmp_path.iterdir()] == ["v.assay"]
    assert path.read_bytes()[18:20] == b"\1\1"


def test_what_is_in_the_log_comes_into_the_file_while_the_session_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.storage.sqlite._CHECKPOINT_S", 0.05)
    path = tmp_path / "v.assay"
    store = written(path, 3)
    timer = store.database._checkpoint  # type: ignore[attr-defined]
    if timer is not None:
        timer.join()
    shutil.copy(path, tmp_path / "copy.assay")
    assert len(open_sqlite(str(tmp_path / "copy.assay")).read("a")) == 4


def test_a_log_that_is_removed_under_an_open_session_takes_nothing_with_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "v.assay"
    store = written(path, 2)
    Path(f"{path}-wal").unlink()
    store.append("a", [told(2)])
    shutil.copy(path, tmp_path / "copy.assay")
    with closing(sqlite3.connect(tmp_path / "copy.assay")) as copy:
        assert copy.execute("SELECT COUNT(*) FROM assay_events").fetchone() == (4,)
    for i in range(3, 5):
        store.append("a", [told(i)])
    assert len(store.read("a")) == 6
    store.close()
    assert len(open_sqlite(str(path)).read("a")) == 6


def test_a_database_that_went_back_is_refused(postgres_url: str) -> None:
    store = open_postgres(postgres_url, is_new=True)
    store.create("a", [OPENED])
    store.append("a", [told(1), told(2)])
    kept = store.read("a")
    with store.database.transaction(is_reading=False) as connection:
        query = "SELECT checksum FROM assay_events WHERE assay = 'a' AND seq = 2"
        ((digest,),) = connection.execute(query)
        connection.execute("DELETE FROM assay_events WHERE seq = 3")
        values = {"digest": digest}
        connection.execute("UPDATE assay_names SET last_seq = 2, checksum = :digest", values)
    for one in (store, open_postgres(postgres_url)):
        with pytest.raises(OlderStoreError, match=r"1 label \(1 event\) newer"):
            one.read("a")
        with pytest.raises(OlderStoreError, match=r"1 label \(1 event\) newer"):
            one.append("a", [told(3)])
    store.accept_older("a")
    assert list(store.read("a")) == list(kept[:2])


def test_writers_at_once_raise_no_false_alarm(tmp_path: Path) -> None:
    path = tmp_path / "v.assay"
    written(path, 1).close()

    def work(who: int) -> int:
        own = open_sqlite(str(path))
        for i in range(15):
            own.append("a", [told(100 * who + i)])
            own.read("a", 1 + i)
        with closing(open_sqlite(str(path))) as new:
            new.read("a")
        own.close()
        return who

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == list(range(6))
    with closing(open_sqlite(str(path))) as store:
        assert len(store.read("a")) == 2 + 6 * 15


def test_a_head_never_goes_backwards_unless_it_is_accepted(tmp_path: Path) -> None:
    heads = Heads("here", tmp_path)
    heads.note("id", Head(5, "e", 4, 1.0))
    heads.note("id", Head(3, "c", 2, 1.0))
    assert heads.known("id") == Head(5, "e", 4, 1.0, "here")
    heads.note("id", Head(3, "c", 2, 1.0), is_accepted=True)
    assert heads.known("id") == Head(3, "c", 2, 1.0, "here")
    assert Heads("there", tmp_path).known("other") is None


def test_of_many_places_the_furthest_is_kept(tmp_path: Path) -> None:
    Heads("first", tmp_path).note("id", Head(99, "z", 9, 1.0))
    for i in range(50):
        Heads(f"place{i}", tmp_path).note("id", Head(1, "a", 1, 1.0))
    found = Heads("new", tmp_path).known("id")
    assert found is not None
    assert found.seq == 99
    assert (tmp_path / "id").stat().st_size < 10_000


@pytest.mark.parametrize("content", ["", "[{", '[{"seq": 1}]', "7", "\x00"])
def test_a_damaged_state_is_nothing_known(tmp_path: Path, content: str) -> None:
    (tmp_path / "id").write_text(content)
    heads = Heads("here", tmp_path)
    assert heads.known("id") is None
    heads.note("id", Head(5, "e", 4, 1.0))
    assert heads.known("id") is not None


def test_a_state_folder_that_cannot_be_made_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    heads = Heads("here", tmp_path / "file" / "heads")
    heads.note("id", Head(5, "e", 4, 1.0))
    assert heads.known("id") is None


def test_a_file_without_tables_may_be_a_copy_that_lost_its_log(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "young.assay")) as made:
        made.execute("VACUUM")  # an SQLite file, and nothing in it yet
        made.execute("PRAGMA user_version = 1")
    with pytest.raises(
        InputError, match=r"no tables. .* log \(-wal\) is missing: .*`assay backup`"
    ):
        open_sqlite(tmp_path / "young.assay")
