"""A limit on calls per second that many threads share."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from accuracy_assay.errors import InputError

__all__ = ["SLOWEST_PER_SECOND", "Pace"]

SLOWEST_PER_SECOND = 0.001
"""One call in about a quarter of an hour, chosen by hand: anything less is a typo."""


class Pace:
    """Lets at most ``per_second`` callers pass per second, one after another."""

    def __init__(
        self,
        per_second: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if per_second is not None and not SLOWEST_PER_SECOND <= per_second < math.inf:
            raise InputError(
                f"requests_per_second must be a finite number from {SLOWEST_PER_SECOND:g}; got "
                f"{per_second!r}."
            )
        self._gap_s = 0.0 if per_second is None else 1.0 / per_second
        self._clock, self._sleep = clock, sleep
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when it is this caller's turn."""
        if self._gap_s == 0.0:
            return
        with self._lock:
            turn = max(self._next, self._clock())
            self._next = turn + self._gap_s
        self._sleep(max(turn - self._clock(), 0.0))
