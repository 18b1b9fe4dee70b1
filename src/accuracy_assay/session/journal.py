"""One process's reading of an assay: the store, and the ledger of what was read so far."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from accuracy_assay.domain.events import Event
from accuracy_assay.session.ledger import Ledger

if TYPE_CHECKING:
    from accuracy_assay.protocols import Store

__all__ = ["Journal"]

# Two clocks of machines drift apart by milliseconds in so long; asking a database costs a round
# trip each time.
_ASK_AGAIN_SECONDS = 60.0


@dataclass
class Journal:
    """The events of one assay, read as they come and written one at a time.

    Threads of one process share it; its lock is held for reading and writing only, never for a
    fit.
    """

    store: Store
    name: str
    ledger: Ledger
    own_clock: Callable[[], float] | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _ahead: float = 0.0
    _asked_at: float | None = None

    def clock(self) -> float:
        """Return the time by which leases are judged: the store's, unless another is given.

        The store is asked once a minute; in between a clock that never jumps counts on.
        """
        if self.own_clock is not None:
            return self.own_clock()
        with self._lock:
            elapsed = time.monotonic()
            if self._asked_at is None or elapsed - self._asked_at > _ASK_AGAIN_SECONDS:
                self._ahead, self._asked_at = self.store.now() - elapsed, elapsed
            return elapsed + self._ahead

    def glance(self) -> tuple[Ledger, float]:
        """Return the ledger as this process last read it, and the time; waits for nothing.

        Another thread may be reading on meanwhile, so only what is looked up in one step is safe.
        """
        is_own = self.own_clock is not None or self._asked_at is None
        return self.ledger, self.clock() if is_own else time.monotonic() + self._ahead

    @contextmanager
    def reading(self) -> Iterator[Ledger]:
        """Give the ledger as it stands now; nobody else in this process changes it meanwhile."""
        with self._lock:
            self.ledger.apply(self.store.read(self.name, self.ledger.seq + 1))
            yield self.ledger

    def append(self, *events: Event, expected_seq: int | None = None) -> int:
        """Write events, all or none, take in all up to them, and return the last number."""
        with self._lock:
            seq = self.store.append(self.name, events, expected_seq)
            with self.reading():
                return seq
