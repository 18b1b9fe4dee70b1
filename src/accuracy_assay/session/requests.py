"""What people want done, and the one function that does it.

Requests of several people are carried out with one reading and one writing: a store flushes to
disk at every append, which takes as long for fifty answers as for one. What each request comes to
is decided by the order of the events: a request is written on the best knowledge, and its outcome
read off the ledger afterwards.

No large library is loaded, so that ``assay tell`` can go this way too (``session.quick_tell``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from accuracy_assay.domain.events import (
    Asked,
    Event,
    Released,
    Settled,
    Skipped,
    Told,
    Undone,
)
from accuracy_assay.errors import AssayError, ConflictError, InputError, StaleError
from accuracy_assay.files.texts import require_whole
from accuracy_assay.session.answers import (
    AnswerRules,
    Confirmed,
    check_annotator,
    check_ids,
    told_event,
)
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger

if TYPE_CHECKING:
    from accuracy_assay.session.asking import Asking, Pick

__all__ = [
    "Ask",
    "GiveBack",
    "Outcome",
    "Request",
    "Settle",
    "Skip",
    "Tell",
    "Undo",
    "accepted",
    "carry_out",
    "event_of",
]

_POLITE_ATTEMPTS = 2
"""Attempts to give instances out that fail if anybody wrote in between; the next one is written
anyway. Two are enough for a few annotators who rarely meet."""


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
    ids: tuple[Any, ...]
    labels: tuple[Any, ...]
    confirmed: Confirmed = None
    seconds: tuple[float | None, ...] = ()
    replace: bool = False


@dataclass(frozen=True)
class Skip:
    """Give instances back for good, as `Assay.skip` does."""

    annotator: str
    ids: tuple[Any, ...]
    reason: str = ""


@dataclass(frozen=True)
class GiveBack:
    """Give instances back for now: anybody, this annotator too, may be asked for them."""

    annotator: str
    ids: tuple[Any, ...]


@dataclass(frozen=True)
class Undo:
    """Take back an annotator's last answers, or those to ``ids``, as `Assay.undo` does.

    With ``holds`` the annotator then holds these instances again.
    """

    annotator: str
    count: int = 1
    ids: tuple[str, ...] = ()
    holds: bool = True


@dataclass(frozen=True)
class Settle:
    """Decide what disputed instances are, as `Assay.settle` does."""

    annotator: str
    ids: tuple[Any, ...]
    labels: tuple[Any, ...]


Request: TypeAlias = Ask | Tell | Skip | GiveBack | Undo | Settle

Outcome: TypeAlias = tuple[str, ...] | AssayError
"""The instances that a request was about in the end: given, newly answered, given back, undone or
settled. An error where it was refused; nothing of it is recorded then."""


def carry_out(
    journal: Journal,
    rules: AnswerRules,
    requests: Sequence[Request],
    asking: Asking | None = None,
    *,
    is_whole: bool = False,
) -> list[Outcome]:
    """Write what the requests ask for, in one go and in their order; return what each came to.

    ``rules`` are what ids and labels are checked against; ``asking`` is needed where instances are
    asked for. With ``is_whole`` one refused request keeps all of them out, and its error is
    raised; a request that loses a race after that has its error as its outcome.
    """
    for attempt in range(_POLITE_ATTEMPTS + 1):
        with journal.reading() as ledger:
            outcomes, events = _events(ledger, journal.clock(), rules, requests, asking)
            if is_whole:
                accepted(outcomes)
            if not events:
                break
            gives_way = attempt < _POLITE_ATTEMPTS and any(
                isinstance(event, Asked) for event in events.values()
            )
            try:
                expected = ledger.seq if gives_way else None
                last = journal.append(*events.values(), expected_seq=expected)
            except StaleError:
                continue
            for seq, (k, event) in enumerate(events.items(), start=last - len(events) + 1):
                outcomes[k] = _outcome(ledger, seq, event)
            break
    return outcomes


def accepted(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """Return what requests came to; raise the first error among them."""
    made = []
    for outcome in outcomes:
        if isinstance(outcome, AssayError):
            raise outcome
        made.append(outcome)
    return made


def event_of(
    ledger: Ledger, rules: AnswerRules, request: Tell | Skip | GiveBack
) -> Told | Skipped | Released:
    """Return the event of a request, checked, whether it says anything new or not."""
    who = check_annotator(request.annotator)
    match request:
        case Tell():
            told = told_event(
                rules,
                request.ids,
                request.labels,
                who,
                request.confirmed,
                request.seconds,
                is_replacing=request.replace,
            )
            _refuse_conflict(ledger, ledger.conflict(told), who)
            return told
        case Skip():
            why = require_whole(request.reason, "reason")
            return Skipped(check_ids(rules, request.ids), who, why)
        case GiveBack():
            return Released(check_ids(rules, request.ids), who)


def _events(
    ledger: Ledger,
    now: float,
    rules: AnswerRules,
    requests: Sequence[Request],
    asking: Asking | None,
) -> tuple[list[Outcome], dict[int, Event]]:
    """Return the outcomes that are known at once, and the events to write, by request."""
    outcomes: list[Outcome] = [()] * len(requests)
    events: dict[int, Event] = {}
    promised: set[str] = set()
    writers: set[str] = set()
    for k, request in enumerate(requests):
        try:
            match request:
                case Ask():
                    assert asking is not None
                    event = _asked(ledger, now, asking, request, promised)
                case Undo():
                    event = _undone(ledger, now, rules, request)
                case Settle():
                    event = _settled(ledger, rules, request)
                case _:
                    told = event_of(ledger, rules, request)
                    # After what they write before it, it may be news.
                    is_news = told.annotator in writers or ledger.is_news(told)
                    event = told if is_news else None
        except AssayError as error:
            outcomes[k] = error
            continue
        if event is not None:
            events[k] = event
            writers.add(request.annotator)
    return outcomes, events


def _asked(
    ledger: Ledger, now: float, asking: Asking, request: Ask, promised: set[str]
) -> Event | None:
    """Return the event that gives out the first free picks, and add them to ``promised``."""
    who = check_annotator(request.annotator)
    again = asking.again(ledger, who, now, request.n)
    wanted = {pick.instance: pick for pick in (*again, *request.picks)}
    free = (
        pick
        for instance, pick in wanted.items()
        if instance not in promised and ledger.is_free(instance, who, now)
    )
    given = asking.mixed(ledger, who, now, request.n, list(islice(free, request.n)))
    promised |= {pick.instance for pick in given}
    return asking.proposal(who, given) if given else None


def _undone(ledger: Ledger, now: float, rules: AnswerRules, request: Undo) -> Event:
    who = check_annotator(request.annotator)
    ids = request.ids or tuple(ledger.last_told(who, request.count))
    if not ids:
        raise InputError(f"annotator must have told an answer to undo; got {who!r}.")
    return Undone(ids, who, now + rules.lease_s if request.holds else now)


def _settled(ledger: Ledger, rules: AnswerRules, request: Settle) -> Event:
    told = told_event(rules, request.ids, request.labels, request.annotator)
    if unanswered := [i for i in told.ids if i not in ledger.answers]:
        raise InputError(f"instance must have answers to settle; got {unanswered[0]!r}.")
    return Settled(told.ids, told.labels, told.annotator)


def _outcome(ledger: Ledger, seq: int, event: Event) -> Outcome:
    match event:
        case Told():
            try:
                _refuse_conflict(ledger, ledger.refused.get(seq), event.annotator)
            except AssayError as error:
                return error
            return ledger.repeated.get(seq, event.ids)
        case Asked():
            return ledger.granted[seq]
        case Skipped() | Released() | Undone() | Settled():
            return event.ids
        case _:
            return ()


def _refuse_conflict(ledger: Ledger, instance: str | None, annotator: str) -> None:
    """Raise an error that names an instance, if any, that was answered in another way before."""
    if instance is None:
        return
    before = ledger.answers[instance][annotator].label
    raise ConflictError(
        f"answer of {annotator!r} to instance {instance!r} must stay {before!r}, as told before; "
        "got another one, and nothing was recorded. Say that it replaces the old one "
        "(replace=True, or --replace) to change it."
    )
