"""One process's reading of an assay: the store, and the ledger of what was read so far."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from accuracy_assay.assay.ledger import Ledger
from accuracy_assay.domain.events import Event
from accuracy_assay.protocols import Store

__all__ = ["Journal"]


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

    def clock(self) -> float:
        """Return the time by which leases are judged: the store's, unless another is given."""
        return self.own_clock() if self.own_clock is not None else self.store.now()

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
