"""A pace holds however many threads call."""

import threading

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.services.pace import Pace


class Clock:
    """Time that passes only where someone sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleeps: list[float] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


def test_calls_at_once_are_spread_evenly() -> None:
    clock = Clock()
    pace = Pace(4.0, clock.time, clock.sleep)
    passed = []
    for _ in range(5):
        pace.wait()
        passed.append(clock.now)
    assert passed == [100.0, 100.25, 100.5, 100.75, 101.0]


def test_a_pause_is_not_saved_up() -> None:
    clock = Clock()
    pace = Pace(2.0, clock.time, clock.sleep)
    pace.wait()
    clock.now += 60.0
    passed = []
    for _ in range(3):
        pace.wait()
        passed.append(clock.now)
    assert passed == [160.0, 160.5, 161.0]


def test_without_a_limit_nobody_sleeps() -> None:
    clock = Clock()
    pace = Pace(None, clock.time, clock.sleep)
    for _ in range(3):
        pace.wait()
    assert clock.sleeps == []


def test_threads_share_one_limit() -> None:
    turns: list[float] = []
    pace = Pace(10.0, lambda: 0.0, turns.append)  # a clock that stands still
    threads = [threading.Thread(target=pace.wait) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(turns) == pytest.approx([i / 10.0 for i in range(20)])


@pytest.mark.parametrize("per_second", [0.0, -1.0, 1e-300, float("nan"), float("inf")])
def test_a_pace_that_no_clock_can_keep_is_refused(per_second: float) -> None:
    with pytest.raises(InputError, match=r"requests_per_second must be .*; got "):
        Pace(per_second)
