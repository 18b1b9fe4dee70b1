"""One process's reading of an assay: it sees what others wrote, and nobody waits for a fit."""

import threading
from typing import Any

import pytest
from patience import PATIENCE_S

from accuracy_assay.domain.events import AssayOpened, Skipped, Told
from accuracy_assay.errors import StaleError
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.storage.memory import MemoryStore


@pytest.fixture
def journals() -> tuple[Journal, Journal]:
    """Two processes' readings of one assay."""
    store = MemoryStore(lambda: 5.0)
    store.create("pets", [AssayOpened({}, 3, "")])
    return tuple(Journal(store, "pets", Ledger(10)) for _ in range(2))  # type: ignore[return-value]


def test_reading_takes_in_what_others_wrote(journals: tuple[Journal, Journal]) -> None:
    first, second = journals
    first.append(Told(("a",), ("cat",), "ann"))
    assert second.ledger.answers == {}
    with second.reading() as ledger:
        assert ledger is second.ledger
        assert ledger.resolve("a").label == "cat"


def test_writing_takes_in_all_up_to_what_was_written(journals: tuple[Journal, Journal]) -> None:
    first, second = journals
    first.append(Told(("a",), ("cat",), "ann"))
    last = second.append(Told(("b",), ("dog",), "bob"), Skipped(("c",), "bob"))
    assert last == second.ledger.seq == 4
    assert list(second.ledger.answers) == ["a", "b"]
    assert list(second.ledger.skips) == ["c"]


def test_a_write_that_expects_too_little_changes_nothing(
    journals: tuple[Journal, Journal],
) -> None:
    first, second = journals
    with second.reading() as ledger:
        expected = ledger.seq
    first.append(Told(("a",), ("cat",), "ann"))
    with pytest.raises(StaleError):
        second.append(Told(("b",), ("dog",), "bob"), expected_seq=expected)
    with first.reading() as ledger:
        assert list(ledger.answers) == ["a"]


def test_threads_write_one_after_another(journals: tuple[Journal, Journal]) -> None:
    first, second = journals

    def write(journal: Journal, who: str) -> None:
        for i in range(20):
            journal.append(Told((f"{who}{i}",), ("cat",), who))

    threads = [
        threading.Thread(target=write, args=(journal, f"{k}{thread}"))
        for k, journal in enumerate(journals)
        for thread in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    with first.reading() as one, second.reading() as other:
        assert len(one.answers) == 80
        assert one.answers == other.answers


class SlowEstimator:
    """An estimator that waits until it is let go."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.begun, self.go_on = inner, threading.Event(), threading.Event()

    def fit(self, *arguments: Any) -> Any:
        self.begun.set()
        assert self.go_on.wait(PATIENCE_S)
        return self.inner.fit(*arguments)


def test_a_fit_never_blocks_a_tell(bench) -> None:
    assay = bench.create()
    slow = SlowEstimator(assay.session.parts().fits.estimator)
    assay.session.parts().fits.estimator = slow
    asking = threading.Thread(target=assay.ask, args=(3,))
    asking.start()
    assert slow.begun.wait(PATIENCE_S)
    assert assay.tell("x1", "cat") == 1  # would hang if the fit held the lock
    assert assay.status().labels == 1
    slow.go_on.set()
    asking.join(PATIENCE_S)
    assert assay.status().held == 3


def test_the_clock_is_the_store_s_and_is_asked_for_once_in_a_while() -> None:
    asked: list[float] = []

    def server() -> float:
        asked.append(5_000_000.0)
        return asked[-1]

    journal = Journal(MemoryStore(server), "pets", Ledger())
    times = [journal.clock() for _ in range(50)]
    assert len(asked) == 1
    assert times == sorted(times)
    assert 5_000_000.0 <= times[0] <= times[-1] < 5_000_060.0
    assert Journal(MemoryStore(server), "pets", Ledger(), lambda: 7.0).clock() == 7.0
