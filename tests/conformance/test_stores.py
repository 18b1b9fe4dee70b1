"""What every store promises, checked over each of them."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from accuracy_assay.domain.events import (
    Asked,
    AssayOpened,
    Event,
    Fitted,
    Predicted,
    Skipped,
    Told,
    Undone,
)
from accuracy_assay.errors import InputError, StaleError, UnknownNameError
from accuracy_assay.protocols import Store
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.storage.postgres import open_postgres
from accuracy_assay.storage.sqlite import open_sqlite

OPENED = AssayOpened({"assay": {"name": "a"}, "list": [1, {"x": None}]}, 3, "abc")
EVERY_KIND: list[Event] = [
    OPENED,
    Predicted("google", ("x1", "x2"), ("cat", "dog"), (0.5, None), 0.012),
    Asked(("x1",), "ann", 1e9, "google", ("largest",), (1.0,)),
    Told(("x1", "ü\x00\ud800"), ("cat", ""), "ann", ({"sex": "f"}, {}), (1.5, None), True),
    Skipped(("x2",), "bob", "too dark"),
    Undone(("x1",), "ann", 2e9),
    Fitted("google", 4, 2, 0.25, None),
]

Opener = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Opener]:
    """The kind of a store, and a function that opens it anew."""
    kind = request.param
    if kind == "memory":
        store = MemoryStore(lambda: 5.0)
        return kind, lambda: store
    if kind == "sqlite":
        path = str(tmp_path / "test.assay")
        return kind, lambda: open_sqlite(path, is_new=True, clock=lambda: 5.0)
    url = request.getfixturevalue("postgres_url")
    return kind, lambda: open_postgres(url, is_new=True, clock=lambda: 5.0)


@pytest.fixture
def store(open_store: tuple[str, Opener]) -> Store:
    return open_store[1]()


def told(i: int) -> Told:
    return Told((f"x{i}",), ("cat",), "ann")


def test_every_kind_of_event_comes_back_equal_from_another_connection(
    open_store: tuple[str, Opener],
) -> None:
    store = open_store[1]()
    assert store.create("a", EVERY_KIND[:1]) == 1
    assert store.append("a", EVERY_KIND[1:]) == len(EVERY_KIND)
    again = open_store[1]().read("a")
    assert [r.event for r in again] == EVERY_KIND
    assert [r.seq for r in again] == list(range(1, len(EVERY_KIND) + 1))
    assert {r.at for r in again} == {5.0}


def test_reading_starts_where_one_left_off(store: Store) -> None:
    store.create("a", [OPENED])
    store.append("a", [told(1), told(2), told(3)])
    assert [r.seq for r in store.read("a", 3)] == [3, 4]
    assert list(store.read("a", 5)) == []
    assert len(store.read("a", -2)) == 4


def test_an_append_that_expects_another_end_changes_nothing(store: Store) -> None:
    store.create("a", [OPENED])
    assert store.append("a", [told(1)], expected_seq=1) == 2
    with pytest.raises(StaleError, match="must be number 1; got 2"):
        store.append("a", [told(2), told(3)], expected_seq=1)
    assert len(store.read("a")) == 2


def test_an_event_that_cannot_be_written_takes_the_others_with_it(store: Store) -> None:
    store.create("a", [OPENED])
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.append("a", [told(1), Asked((), "ann", float("nan"), "s", (), ())])
    assert len(store.read("a")) == 1
    assert store.append("a", [told(1)]) == 2


def test_assays_of_one_store_do_not_mix(store: Store) -> None:
    store.create("b", [OPENED])
    store.create("a", [OPENED, told(1)])
    store.append("b", [told(2)])
    assert store.list() == ("a", "b")
    assert [r.event for r in store.read("a")] == [OPENED, told(1)]
    assert [r.event for r in store.read("b")] == [OPENED, told(2)]


def test_a_name_is_given_once(store: Store) -> None:
    store.create("a", [OPENED])
    with pytest.raises(InputError, match="new name; got 'a'"):
        store.create("a", [OPENED, told(1)])
    assert len(store.read("a")) == 1


def test_an_unknown_assay_is_named(store: Store) -> None:
    store.create("digits", [OPENED])
    with pytest.raises(UnknownNameError, match=r"got 'digit'\. Did you mean 'digits'"):
        store.read("digit")
    with pytest.raises(UnknownNameError, match="got 'digit'"):
        store.append("digit", [told(1)])


def test_nothing_appended_is_nothing_changed(store: Store) -> None:
    store.create("a", [OPENED])
    assert store.append("a", []) == 1


def test_writers_at_once_lose_nothing_and_leave_no_gap(open_store: tuple[str, Opener]) -> None:
    open_store[1]().create("a", [OPENED])
    failures: list[BaseException] = []

    def write(writer: int) -> None:
        try:
            own = open_store[1]()
            for i in range(10):
                own.append("a", [Told((f"{writer}-{i}",), ("cat",), f"w{writer}")])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(w,)) for w in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    events = open_store[1]().read("a")
    assert [r.seq for r in events] == list(range(1, 82))
    tells = [r.event for r in events[1:]]
    assert {e.ids[0] for e in tells if isinstance(e, Told)} == {
        f"{w}-{i}" for w in range(8) for i in range(10)
    }


def test_of_two_that_expect_the_same_end_one_wins(open_store: tuple[str, Opener]) -> None:
    open_store[1]().create("a", [OPENED])
    outcomes: list[str] = []

    def write(writer: int) -> None:
        own = open_store[1]()
        try:
            own.append("a", [told(writer)], expected_seq=1)
            outcomes.append("written")
        except StaleError:
            outcomes.append("stale")

    threads = [threading.Thread(target=write, args=(w,)) for w in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["stale"] * 5 + ["written"]
