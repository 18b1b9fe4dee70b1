"""The store in memory behaves as one on disk; the rest of its laws are those of every store."""

import pytest

from accuracy_assay.domain.events import Asked, AssayOpened, Told
from accuracy_assay.storage.memory import MemoryStore

OPENED = AssayOpened({"name": "a"}, 3, "abc")
TOLD = Told(("x1",), ("cat",), "ann")


def test_what_the_caller_changes_later_does_not_change_the_store() -> None:
    spec = {"name": "a"}
    store = MemoryStore()
    store.create("a", [AssayOpened(spec, 3, "abc")])
    spec["name"] = "b"
    assert store.read("a")[0].event == OPENED


def test_what_a_reader_does_to_its_list_does_not_change_the_store() -> None:
    store = MemoryStore()
    store.create("a", [OPENED, TOLD])
    read = store.read("a")
    assert isinstance(read, list)
    read.clear()
    assert len(store.read("a")) == 2


def test_events_carry_the_time_of_their_append() -> None:
    times = iter([1.0, 2.0])
    store = MemoryStore(lambda: next(times))
    store.create("a", [OPENED, TOLD])
    store.append("a", [TOLD])
    assert [record.at for record in store.read("a")] == [1.0, 1.0, 2.0]


def test_what_no_file_could_hold_is_refused_here_too() -> None:
    store = MemoryStore()
    store.create("a", [OPENED])
    with pytest.raises(ValueError, match="JSON"):
        store.append("a", [TOLD, Asked((), "ann", float("inf"), "s", (), ())])
    assert len(store.read("a")) == 1


def test_two_stores_share_nothing() -> None:
    MemoryStore().create("a", [OPENED])
    assert MemoryStore().list() == ()
