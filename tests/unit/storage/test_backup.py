import shutil
import threading
from contextlib import closing
from pathlib import Path

import pytest

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import DamageError, InputError, OlderStoreError
from accuracy_assay.storage.backup import back_up, copy_into
from accuracy_assay.storage.postgres import open_postgres
from accuracy_assay.storage.sql import SqlStore
from accuracy_assay.storage.sqlite import open_sqlite

OPENED = Skipped(("x0",), "ann")


def told(i: int) -> Told:
    return Told((f"x{i}",), ("cat",), "ann")


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> SqlStore:
    if request.param == "sqlite":
        made = open_sqlite(str(tmp_path / "v.assay"), is_new=True)
    else:
        made = open_postgres(request.getfixturevalue("postgres_url"), is_new=True)
    made.create("a", [OPENED, told(1), told(2)])
    made.create("b", [OPENED])
    return made


def test_a_copy_is_the_same_assay_and_needs_no_log(store: SqlStore, tmp_path: Path) -> None:
    made = back_up(store, tmp_path / "copy.assay")
    assert (made.assays, made.events, made.labels) == (("a", "b"), 4, 2)
    names = {path.name for path in tmp_path.iterdir()} - {"v.assay", "v.assay-wal", "v.assay-shm"}
    assert names == {"copy.assay"}
    assert (tmp_path / "copy.assay").read_bytes()[18:20] == b"\1\1"
    with closing(open_sqlite(str(tmp_path / "copy.assay"))) as copy:
        assert list(copy.read("a")) == list(store.read("a"))
        assert all(event.is_checked for event in copy.read("a"))
        assert copy.append("a", [told(3)]) == 4


def test_a_copy_may_be_replaced_by_a_later_one_and_by_no_other(
    store: SqlStore, tmp_path: Path
) -> None:
    path = tmp_path / "copy.assay"
    back_up(store, path)
    store.append("a", [told(3)])
    assert back_up(store, path).labels == 3
    with closing(open_sqlite(str(path))) as copy:
        copy.read("a")
        copy.append("a", [told(4)])
        copy.read("a")
    with pytest.raises(InputError, match=r"must not replace what it does not hold; got '.*copy"):
        back_up(store, path)
    assert back_up(store, path, is_replacing=True).labels == 3
    with closing(open_sqlite(str(path))) as restored:  # on purpose, so that nothing is said
        assert len(restored.read("a")) == 4


def test_a_copy_replaces_no_store_of_others_and_no_other_file(
    store: SqlStore, tmp_path: Path
) -> None:
    other = tmp_path / "other.assay"
    with closing(open_sqlite(str(other), is_new=True)) as made:
        made.create("a", [OPENED])
    note = tmp_path / "note.txt"
    note.write_text("prose")
    for path, is_replacing in ((other, False), (note, False), (note, True)):
        before = path.read_bytes()
        with pytest.raises(InputError, match="must"):
            back_up(store, path, is_replacing=is_replacing)
        assert path.read_bytes() == before


def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    store = open_sqlite(str(tmp_path / "v.assay"), is_new=True)
    store.create("a", [OPENED])
    is_over = threading.Event()

    def write() -> None:
        own = open_sqlite(str(tmp_path / "v.assay"))
        i = 0
        while not is_over.is_set():
            own.append("a", [told(i)])
            i += 1
        own.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = [back_up(store, tmp_path / "copy.assay").labels for _ in range(5)]
    finally:
        is_over.set()
        writer.join()
    assert counts == sorted(counts)


def test_a_damaged_store_and_an_older_one_are_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "v.assay"
    store = open_sqlite(str(path), is_new=True)
    store.create("a", [OPENED, told(1)])
    store.close()
    shutil.copy(path, tmp_path / "old.assay")
    with closing(open_sqlite(str(path))) as again:
        again.append("a", [told(2)])
        again.read("a")
    with (
        closing(open_sqlite(str(tmp_path / "old.assay"))) as old,
        pytest.raises(OlderStoreError, match="1 label"),
    ):
        back_up(old, tmp_path / "copy.assay")
    with store.database.transaction(is_reading=False) as connection:
        connection.execute("UPDATE assay_events SET kind = 'Tord' WHERE seq = 2")
    with pytest.raises(DamageError, match="event 2"):
        back_up(store, tmp_path / "copy.assay")
    assert not (tmp_path / "copy.assay").exists()
    store.close()


def test_a_copy_goes_back_into_a_database(tmp_path: Path, postgres_url: str) -> None:
    store = open_sqlite(str(tmp_path / "v.assay"), is_new=True)
    store.create("a", [OPENED, told(1)])
    target = open_postgres(postgres_url, is_new=True)
    assert copy_into(store, target).labels == 1
    assert list(target.read("a")) == list(store.read("a"))
    assert target.append("a", [told(2)]) == 3
    with pytest.raises(InputError, match="no assay of a name"):
        copy_into(store, target)
