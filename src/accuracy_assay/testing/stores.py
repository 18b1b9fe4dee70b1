"""What every store keeps to: events come back equal, in order, all or none, whoever writes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ClassVar

import pytest

from accuracy_assay.domain.events import (
    Asked,
    AssayOpened,
    Claimed,
    Edited,
    Event,
    Extended,
    Fitted,
    Invited,
    PoolChanged,
    Predicted,
    Released,
    Revoked,
    Settled,
    SignedIn,
    Skipped,
    Told,
    Undone,
)
from accuracy_assay.errors import InputError, StaleError, UnknownNameError
from accuracy_assay.protocols import Store
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["Opener", "StoreLaws"]

Opener = Callable[[], Store]
"""Opens the same store anew, as another process would."""

_OPENED = AssayOpened({"assay": {"name": "a"}, "list": [1, {"x": None}]}, 3, "abc")
_EVERY_KIND: tuple[Event, ...] = (
    _OPENED,
    Predicted("google", ("x1", "x2"), ("cat", "dog"), (0.5, None), 0.012),
    Asked(("x1",), "ann", 1e9, "google", ("largest",), (1.0,)),
    Told(("x1", "ü\x00\U0001f600"), ("cat", ""), "ann", ({"sex": "f"}, {}), (1.5, None), True),
    Skipped(("x2",), "bob", "too dark"),
    Released(("x1",), "ann"),
    Extended(("x1",), "ann", 2e9),
    Edited({"assay": {"budget": 5}}, ("assay.budget",)),
    PoolChanged({"sex": "ab"}),
    Claimed("google", ("x1",), "host:1:ab", 5.5, ("host:2:cd",)),
    Undone(("x1",), "ann", 2e9),
    Settled(("x1",), ("dog",), "admin"),
    Invited("ann", "annotator", "ab12", 2e9, False),
    SignedIn("ab12", "cd34", 3e9),
    Revoked("ann"),
    Fitted("google", 4, 2, 0.25, None),
)

_N_WRITERS, _N_EACH = 8, 10
"""Chosen by hand: more writers make it likelier that a faulty store loses an event, and slower."""


class StoreLaws(Laws):
    """Laws of a `Store`; override the fixture ``open_store``.

    ``now`` is what the store's clock shows in the laws, or None where it cannot be set.
    """

    now: ClassVar[float | None] = 5.0

    @pytest.fixture
    def open_store(self) -> Opener:
        """Return a function that opens one empty store, anew at each call."""
        raise NotImplementedError("say how the store is opened")

    @pytest.fixture
    def store(self, open_store: Opener) -> Store:
        """Return the store, opened once."""
        return open_store()

    def test_a_store_follows_the_protocol(self, store: Store) -> None:
        """It creates, appends, reads, lists and closes."""
        assert missing_part(store, Store) is None

    def test_every_kind_of_event_comes_back_equal_from_another_connection(
        self, open_store: Opener
    ) -> None:
        """Whatever texts and numbers they hold."""
        store = open_store()
        assert store.create("a", _EVERY_KIND[:1]) == 1
        assert store.append("a", _EVERY_KIND[1:]) == len(_EVERY_KIND)
        again = open_store().read("a")
        assert [r.event for r in again] == list(_EVERY_KIND)
        assert [r.seq for r in again] == list(range(1, len(_EVERY_KIND) + 1))
        if self.now is not None:
            assert {r.at for r in again} == {self.now}

    def test_events_are_dated_by_the_clock_that_the_store_shows(self, store: Store) -> None:
        """Whatever the clock of the machine that asks."""
        before = store.now()
        store.create("a", [_OPENED])
        (opened,) = store.read("a")
        assert before <= opened.at <= store.now()

    def test_reading_starts_where_one_left_off(self, store: Store) -> None:
        """From any number on, the first being 1."""
        store.create("a", [_OPENED])
        store.append("a", [_told(1), _told(2), _told(3)])
        assert [r.seq for r in store.read("a", 3)] == [3, 4]
        assert list(store.read("a", 5)) == []
        assert len(store.read("a", -2)) == 4

    def test_an_append_that_expects_another_end_changes_nothing(self, store: Store) -> None:
        """Others wrote in the meantime."""
        store.create("a", [_OPENED])
        assert store.append("a", [_told(1)], expected_seq=1) == 2
        with pytest.raises(StaleError, match="must be number 1; got 2"):
            store.append("a", [_told(2), _told(3)], expected_seq=1)
        assert len(store.read("a")) == 2

    def test_an_event_that_cannot_be_written_takes_the_others_with_it(self, store: Store) -> None:
        """All or none."""
        store.create("a", [_OPENED])
        with pytest.raises(ValueError, match="not JSON compliant"):
            store.append("a", [_told(1), Asked((), "ann", float("nan"), "s", (), ())])
        assert len(store.read("a")) == 1
        assert store.append("a", [_told(1)]) == 2

    def test_assays_of_one_store_do_not_mix(self, store: Store) -> None:
        """Each is a list of its own."""
        store.create("b", [_OPENED])
        store.create("a", [_OPENED, _told(1)])
        store.append("b", [_told(2)])
        assert store.list() == ("a", "b")
        assert [r.event for r in store.read("a")] == [_OPENED, _told(1)]
        assert [r.event for r in store.read("b")] == [_OPENED, _told(2)]

    def test_a_name_is_given_once(self, store: Store) -> None:
        """A second assay of the same name is refused."""
        store.create("a", [_OPENED])
        with pytest.raises(InputError, match="new name; got 'a'"):
            store.create("a", [_OPENED, _told(1)])
        assert len(store.read("a")) == 1

    def test_an_unknown_assay_is_named(self, store: Store) -> None:
        """With the nearest that there is."""
        store.create("digits", [_OPENED])
        with pytest.raises(UnknownNameError, match=r"got 'digit'\. Did you mean 'digits'"):
            store.read("digit")
        with pytest.raises(UnknownNameError, match="got 'digit'"):
            store.append("digit", [_told(1)])

    def test_nothing_appended_is_nothing_changed(self, store: Store) -> None:
        """The last number stays."""
        store.create("a", [_OPENED])
        assert store.append("a", []) == 1

    def test_writers_at_once_lose_nothing_and_leave_no_gap(self, open_store: Opener) -> None:
        """Each through a connection of its own."""
        open_store().create("a", [_OPENED])

        def write(writer: int) -> None:
            own = open_store()
            for i in range(_N_EACH):
                own.append("a", [Told((f"{writer}-{i}",), ("cat",), f"w{writer}")])

        _run_at_once(write, _N_WRITERS)
        events = open_store().read("a")
        assert [r.seq for r in events] == list(range(1, _N_WRITERS * _N_EACH + 2))
        tells = [r.event for r in events[1:]]
        assert {e.ids[0] for e in tells if isinstance(e, Told)} == {
            f"{w}-{i}" for w in range(_N_WRITERS) for i in range(_N_EACH)
        }

    def test_of_two_that_expect_the_same_end_one_wins(self, open_store: Opener) -> None:
        """The others are told that they are late."""
        open_store().create("a", [_OPENED])
        outcomes: list[str] = []

        def write(writer: int) -> None:
            own = open_store()
            try:
                own.append("a", [_told(writer)], expected_seq=1)
                outcomes.append("written")
            except StaleError:
                outcomes.append("stale")

        _run_at_once(write, 6)
        assert sorted(outcomes) == ["stale"] * 5 + ["written"]


def _told(i: int) -> Told:
    return Told((f"x{i}",), ("cat",), "ann")


def _run_at_once(work: Callable[[int], None], n: int) -> None:
    """Run ``work`` in ``n`` threads and raise what the first of them raised, if any did."""
    failures: list[BaseException] = []

    def guarded(i: int) -> None:
        try:
            work(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
