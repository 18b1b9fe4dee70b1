import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import DamageError
from accuracy_assay.storage.chain import good_events
from accuracy_assay.storage.sql import SqlStore
from accuracy_assay.storage.sqlite import open_sqlite
from accuracy_assay.storage.verify import CheckedStore, verify_store

EVENTS = [Skipped(("x0",), "ann"), *(Told((f"x{i}",), ("cat",), "ann") for i in range(40))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(open_sqlite(str(tmp_path / "v.assay"), is_new=True)) as store:
        store.create("a", EVENTS)
        store.read("a")
    return tmp_path / "v.assay"


def verified(path: Path) -> CheckedStore:
    with closing(open_sqlite(str(path), is_saving=True)) as store:
        return verify_store(store)


def test_a_whole_store_has_no_problem(path: Path) -> None:
    found = verified(path)
    assert found.is_whole
    (only,) = found.assays
    assert (only.events, only.labels, only.unchecked, only.problem) == (41, 40, 0, None)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM assay_schema",
        "INSERT INTO assay_schema VALUES (3)",
        "UPDATE assay_schema SET version = 'x'",
        "DROP TABLE assay_schema",
        "DELETE FROM assay_names",
        "UPDATE assay_names SET name = x'ff'",
        "DROP TABLE assay_names",
    ],
)
def test_whatever_happens_to_the_other_tables_the_events_are_saved(
    path: Path, statement: str
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
        connection.commit()
    found = verified(path)
    assert [(each.name, each.events, each.labels) for each in found.assays] == [("a", 41, 40)]
    with closing(open_sqlite(str(path), is_saving=True)) as store:
        events, _ = good_events(store, "a")
    assert [recorded.event for recorded in events] == EVENTS


@pytest.mark.parametrize("table", ["assay_schema", "assay_names"])
def test_a_page_of_another_table_that_is_overwritten_costs_no_event(
    path: Path, table: str
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = connection.execute(query, (table,)).fetchone()
    content = bytearray(path.read_bytes())
    content[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(DamageError):
        open_sqlite(str(path)).read("a")
    found = verified(path)
    assert not found.is_whole
    assert [(each.name, each.events) for each in found.assays] == [("a", 41)]


def test_a_damaged_event_costs_no_other_one(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE assay_events SET payload = '{}' WHERE seq = 12")
        connection.commit()
    (only,) = verified(path).assays
    assert (only.events, only.labels, only.is_older) == (40, 39, False)
    assert "event 12 of assay 'a'" in str(only.problem)


def test_a_missing_event_costs_no_other_one(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM assay_events WHERE seq IN (7, 8)")
        connection.execute("UPDATE assay_events SET checksum = 'x' WHERE seq = 30")
        connection.commit()
    with closing(open_sqlite(str(path), is_saving=True)) as store:
        events, damage = good_events(store, "a")
    assert damage is not None
    assert {each.seq for each in events} == set(range(1, 42)) - {7, 8, 30, 31}
    assert [each.event for each in events] == [EVENTS[each.seq - 1] for each in events]


def test_of_a_store_with_pages_overwritten_what_can_be_read_is_saved(
    path: Path, rng: np.random.Generator
) -> None:
    with closing(open_sqlite(str(path))) as store:
        store.append("a", [Told((f"y{i}",), ("dog",), "ann") for i in range(400)])
        written = [recorded.event for recorded in store.read("a")]
    content = path.read_bytes()
    n_saved = []
    for page in rng.integers(1, len(content) // 4096, 12):
        damaged = bytearray(content)
        damaged[4096 * page : 4096 * (page + 1)] = rng.bytes(4096)
        path.write_bytes(damaged)
        with closing(open_sqlite(str(path), is_saving=True)) as store:
            events, _ = good_events(store, "a")
        assert all(each.event == written[each.seq - 1] for each in events)
        n_saved.append(len(events))
    assert max(n_saved) > 380


def test_a_log_that_breaks_off_is_found_where_nothing_was_seen_before(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_sqlite(str(path))
    for i in range(5):
        store.append("a", [Told((f"y{i}",), ("cat",), "ann")])
    killed = tmp_path / "killed.assay"
    shutil.copy(path, killed)
    log = bytearray(Path(f"{path}-wal").read_bytes())
    log[32 + 24 + 4120 + 50] ^= 1
    Path(f"{killed}-wal").write_bytes(log)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    found = verified(killed)
    assert "frame 2 of the log" in found.problems[0]
    assert not found.is_whole
    store.close()


def test_an_older_store_is_named_so_and_can_be_accepted(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "old.assay")
    with closing(open_sqlite(str(path))) as store:
        store.append("a", [Told(("y",), ("cat",), "ann")])
        store.read("a")
    store = open_sqlite(str(tmp_path / "old.assay"), is_saving=True)
    assert isinstance(store, SqlStore)
    (only,) = verify_store(store).assays
    assert only.is_older
    assert only.events == 41
    store.accept_older("a")
    assert verify_store(store).is_whole
    store.close()
    assert verified(tmp_path / "old.assay").is_whole
