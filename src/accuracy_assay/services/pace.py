"""A limit on calls per second that many threads share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["Pace"]


class Pace:
    """Lets callers pass one after another, at most ``per_second`` of them in a second."""

    def __init__(
        self,
        per_second: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
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
