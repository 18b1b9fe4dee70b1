"""The surface of an assay as it was: fitted to the events up to a moment.

The spec is the one that holds now, so that two moments differ by what people and services said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accuracy_assay.domain.events import Event, Recorded, Told
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Store
from accuracy_assay.session.fits import Fits
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.session import Session
from accuracy_assay.session.snapshots import Snapshots

__all__ = ["PastStore", "labelled_span", "past_surface", "surface_after"]


@dataclass(frozen=True)
class PastStore:
    """A store as it was when its event ``last`` was the latest; nothing can be written."""

    store: Store
    last: int

    def create(self, assay: str, events: Sequence[Event]) -> int:
        """Refuse to write."""
        raise InputError("the past must stay as it was; got a new assay.")

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        """Refuse to write."""
        raise InputError(f"the past must stay as it was; got {len(events)} new events.")

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the events from ``from_seq`` to the last one of then."""
        if from_seq > self.last:
            return ()
        return [entry for entry in self.store.read(assay, from_seq) if entry.seq <= self.last]

    def now(self) -> float:
        """Return the time by the clock of the store."""
        return self.store.now()

    def list(self) -> tuple[str, ...]:
        """Return the names of the assays."""
        return self.store.list()

    def close(self) -> None:
        """Leave the store open: it is someone else's."""


def past_surface(session: Session, service: str | None, until: float) -> AccuracySurface:
    """Return the surface of a service by what was known at a time, in seconds since 1970."""
    last = 0
    for entry in session.journal.store.read(session.name):
        if entry.at > until:
            break
        last = entry.seq
    return surface_after(session, service, last)


def surface_after(session: Session, service: str | None, last: int) -> AccuracySurface:
    """Return the surface of a service as it was after an event; the first service if None.

    It is fitted from scratch: what is kept of fits is for now.
    """
    parts, store = session.parts(), session.journal.store
    journal = Journal(PastStore(store, last), session.name, Ledger(), session.journal.own_clock)
    snapshots = Snapshots(parts.spec, parts.rows, journal)
    section = parts.spec.service[0] if service is None else parts.spec.find_service(service)
    return Fits(parts.spec.assay, snapshots, journal).surface(section)


def labelled_span(session: Session) -> tuple[float, float] | None:
    """Return when the first and the last answers came in; None before any."""
    times = [e.at for e in session.journal.store.read(session.name) if isinstance(e.event, Told)]
    return (times[0], times[-1]) if times else None
