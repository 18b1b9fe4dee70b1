"""Requests of several people, carried out at once: one reading and one writing for all of them.

A store flushes to disk at every append, which takes as long for fifty answers as for one. What
each request comes to is decided by the order of the events, as everywhere: a request is written on
the best knowledge, and its outcome read off the ledger afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from accuracy_assay.domain.events import Event, Released, Skipped, Told, Undone
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.files.texts import require_whole
from accuracy_assay.session.answers import Confirmed, check_annotator, check_ids, told_event
from accuracy_assay.session.asking import Asking, Pick
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.recording import refuse_conflict
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec

__all__ = ["Ask", "GiveBack", "Outcome", "Request", "Skip", "Tell", "Undo", "carry_out"]


@dataclass(frozen=True)
class Ask:
    """Give an annotator at most ``n`` of the picks, the first that are free."""

    annotator: str
    n: int
    picks: tuple[Pick, ...]


@dataclass(frozen=True)
class Tell:
    """Record answers, as `Assay.tell` does."""

    annotator: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    confirmed: Confirmed = None
    seconds: tuple[float | None, ...] = ()
    replace: bool = False


@dataclass(frozen=True)
class Skip:
    """Give instances back for good, as `Assay.skip` does."""

    annotator: str
    ids: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class GiveBack:
    """Give instances back for now, as `Assay.give_back` does."""

    annotator: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Undo:
    """Take back an annotator's last answer, as `Assay.undo` does."""

    annotator: str


Request: TypeAlias = Ask | Tell | Skip | GiveBack | Undo

Outcome: TypeAlias = tuple[str, ...] | AssayError
"""The instances that a request was about in the end: given, newly answered, given back or undone.
An error where it was refused; nothing of it is recorded then."""


def carry_out(
    spec: Spec, rows: AssayRows, journal: Journal, asking: Asking, requests: Sequence[Request]
) -> list[Outcome]:
    """Write what the requests ask for, all at once, and return what each came to."""
    outcomes: list[Outcome] = [()] * len(requests)
    events: list[Event] = []
    places: list[int] = []
    promised: set[str] = set()
    with journal.reading() as ledger:
        for place, request in enumerate(requests):
            try:
                event = _event(spec, rows, asking, ledger, request, promised)
            except AssayError as error:
                outcomes[place] = error
                continue
            if event is not None:
                events.append(event)
                places.append(place)
        new = [_new_ids(ledger, event) for event in events]
        if events:
            first = journal.append(*events) - len(events) + 1
            for offset, (place, event) in enumerate(zip(places, events, strict=True)):
                outcomes[place] = _outcome(ledger, first + offset, event, new[offset])
    return outcomes


def _event(
    spec: Spec,
    rows: AssayRows,
    asking: Asking,
    ledger: Ledger,
    request: Request,
    promised: set[str],
) -> Event | None:
    """Return the event of a request, None where there is nothing to write."""
    who = check_annotator(request.annotator)
    match request:
        case Ask():
            now = asking.journal.clock()
            wanted = (*asking.again(ledger, who, now, request.n), *request.picks)
            free = list(
                islice(
                    (
                        pick
                        for pick in wanted
                        if pick.instance not in promised
                        and ledger.is_free(pick.instance, who, now)
                    ),
                    request.n,
                )
            )
            promised |= {pick.instance for pick in free}
            return asking.proposal(who, free) if free else None
        case Tell():
            told = told_event(
                spec,
                rows,
                request.ids,
                request.labels,
                who,
                request.confirmed,
                request.seconds,
                is_replacing=request.replace,
            )
            refuse_conflict(ledger, ledger.conflict(told), who)
            return told if ledger.is_news(told) else None
        case Skip():
            return Skipped(
                check_ids(rows, request.ids), who, require_whole(request.reason, "reason")
            )
        case GiveBack():
            names = check_ids(rows, request.ids)
            return Released(names, who) if names else None
        case Undo():
            ids = tuple(ledger.last_told(who, 1))
            if not ids:
                raise InputError(f"annotator must have told an answer to undo; got {who!r}.")
            return Undone(ids, who, asking.journal.clock() + 60.0 * spec.assay.lease_minutes)


def _new_ids(ledger: Ledger, event: Event) -> tuple[str, ...]:
    """Return the answers of an event that say more than was told before."""
    return ledger.new_ids(event) if isinstance(event, Told) else ()


def _outcome(ledger: Ledger, seq: int, event: Event, new: tuple[str, ...]) -> Outcome:
    if isinstance(event, Told):
        try:
            refuse_conflict(ledger, ledger.refused.get(seq), event.annotator)
        except AssayError as error:
            return error
        return new
    if seq in ledger.granted:
        return ledger.granted[seq]
    return event.ids if isinstance(event, Skipped | Released | Undone) else ()
