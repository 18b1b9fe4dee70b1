"""A store in memory: for trials and tests; it ends with the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from accuracy_assay.domain.events import Event, Recorded, decode, encode
from accuracy_assay.errors import InputError, StaleError, UnknownNameError

__all__ = ["MemoryStore"]

_Events = list[Recorded]


class MemoryStore:
    """Events in lists, behind one lock.

    Events pass through their JSON form, so that what cannot be stored elsewhere fails here too.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._assays: dict[str, list[Recorded]] = {}

    def create(self, assay: str, events: Sequence[Event]) -> int:
        """Start an assay with its first events."""
        with self._lock:
            if assay in self._assays:
                raise InputError(f"a new assay must have a new name; got {assay!r}.")
            self._assays[assay] = []
            return self._add(assay, events)

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        """Add events at the end; all of them or none."""
        with self._lock:
            last = len(self._events(assay))
            if expected_seq is not None and expected_seq != last:
                raise StaleError(f"the last event must be number {expected_seq}; got {last}.")
            return self._add(assay, events)

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the events from number ``from_seq`` on."""
        with self._lock:
            return self._events(assay)[max(from_seq, 1) - 1 :]

    def now(self) -> float:
        """Return the time by the clock that dates the events."""
        return self._clock()

    def list(self) -> tuple[str, ...]:
        """Return the names of the assays, sorted."""
        with self._lock:
            return tuple(sorted(self._assays))

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _events(self, assay: str) -> _Events:
        if assay not in self._assays:
            raise UnknownNameError("assay", assay, sorted(self._assays))
        return self._assays[assay]

    def _add(self, assay: str, events: Sequence[Event]) -> int:
        stored = self._assays[assay]
        written = [decode(*encode(event)) for event in events]
        now = self._clock()
        stored += [Recorded(len(stored) + i + 1, now, event) for i, event in enumerate(written)]
        return len(stored)
