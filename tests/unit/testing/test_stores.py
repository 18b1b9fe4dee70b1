"""Each law of a store is broken by a store that was made to break it, and only then."""

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from patience import PATIENCE_S

from accuracy_assay.domain.events import Event, Recorded
from accuracy_assay.errors import StaleError
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.testing import StoreLaws


class Forgetful(MemoryStore):
    """Each assay is the same, nothing is refused, and the last event is lost."""

    def create(self, assay: str, events: Sequence[Event]) -> int:
        if self.list():
            return 1
        return super().create("digits", events)

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        return super().append("digits", events[:-1]) + 1

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        return super().read("digits")


class Racing(MemoryStore):
    """Looks first and writes later, so that two may both believe to be first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._n_looked = itertools.count(1)
        self._both_looked = threading.Event()

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        if expected_seq not in (None, len(self.read(assay))):
            raise StaleError("late")
        if next(self._n_looked) > 1:
            self._both_looked.set()
        assert self._both_looked.wait(PATIENCE_S)
        return super().append(assay, events)


class Undated(MemoryStore):
    """Shows another clock than the one by which it dates events."""

    def now(self) -> float:
        return super().now() + 60.0


LAWS = [name for name in dir(StoreLaws) if name.startswith("test_")]
WITH_OPENER = (
    "test_every_kind_of_event_comes_back_equal_from_another_connection",
    "test_writers_at_once_lose_nothing_and_leave_no_gap",
    "test_of_two_that_expect_the_same_end_one_wins",
)


def run(law: str, store: MemoryStore) -> None:
    argument: Any = (lambda: store) if law in WITH_OPENER else store
    action: Callable[[Any], None] = getattr(StoreLaws(), law)
    action(argument)


@pytest.mark.parametrize(
    "law", [law for law in LAWS if law != "test_a_store_follows_the_protocol"]
)
def test_a_law_can_be_broken(law: str) -> None:
    run(law, MemoryStore(lambda: 5.0))
    kinds = {"one_wins": Racing, "dated_by_the_clock": Undated}
    kind = next((kind for part, kind in kinds.items() if part in law), Forgetful)
    bent = kind(lambda: 5.0)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run(law, bent)


def test_what_keeps_nothing_is_no_store() -> None:
    with pytest.raises(AssertionError):
        StoreLaws().test_a_store_follows_the_protocol(object())  # type: ignore[arg-type]


def test_a_clock_that_cannot_be_set_is_not_looked_at() -> None:
    class Unset(StoreLaws):
        now = None

    store = MemoryStore(lambda: 7.0)
    Unset().test_every_kind_of_event_comes_back_equal_from_another_connection(lambda: store)
