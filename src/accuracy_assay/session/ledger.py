"""What the events add up to: answers, leases, skips, predictions and costs.

The order of the events decides every race: an instance belongs to whom it was given first, and an
answer that contradicts an earlier one of the same annotator counts for nothing unless it says that
it replaces it. So any two processes that read the same events agree.

The law of the budget: at no time are more than ``budget`` answers paid for or held. An answer is
paid for when it was asked for and came while it was held, or came late and there was room left. A
late answer without room, and one that nobody asked for, is kept and costs nothing. Attributes that
were to be confirmed with an answer, at a price, are paid for as far as it confirms them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from accuracy_assay.domain.events import (
    Asked,
    AssayOpened,
    Claimed,
    Edited,
    Event,
    Extended,
    Fitted,
    Invited,
    PoolChanged,
    Predicted,
    Recorded,
    Released,
    Revoked,
    Settled,
    SignedIn,
    Skipped,
    Told,
    Undone,
)
from accuracy_assay.domain.person_names import one_name
from accuracy_assay.errors import StoreError
from accuracy_assay.files.texts import normal_text, same_value
from accuracy_assay.session.access_book import AccessBook
from accuracy_assay.session.leases import Leases
from accuracy_assay.session.sightings import Sightings

__all__ = ["CLAIM_SECONDS", "Answer", "Ledger", "Resolved"]

CLAIM_SECONDS = 1800.0
"""How long a claim holds where the run that made it is on another machine and cannot be looked up:
longer than a slow service needs for the rows that a run claims at a time."""

_DECIMALS = 6
"""Of prices that are added up."""
_NOT_DRAWN = (0.0, 0.0)
"""Chances of an instance that was told without having been asked for."""


@dataclass(frozen=True)
class Answer:
    """One annotator's answer to one instance."""

    label: str
    attributes: Mapping[str, str]
    seconds: float | None = None


@dataclass(frozen=True)
class Resolved:
    """What an instance is taken to be, given all answers to it.

    ``votes`` counts the answers by label; ``label`` has the most, the earliest where several do,
    unless someone has settled what it is.
    """

    label: str
    attributes: Mapping[str, str]
    votes: Mapping[str, int]
    is_settled: bool = False

    @property
    def is_disputed(self) -> bool:
        """Whether annotators disagree, and nobody has settled it."""
        return len(self.votes) > 1 and not self.is_settled


@dataclass
class Ledger:
    """The state of an assay after its events so far. `apply` is the only way to change it.

    ``chances`` has every instance that was given out or told, in that order, with the chance that
    it had then and the least that any other had; ``at_random`` those of them that were drawn from
    all free instances alike. ``n_answers`` counts answers by annotator,
    ``disputed`` holds the instances on which annotators disagree. ``half_widths`` are those of the
    spec's goal by labels, for each service, in the order of the fits. The answers of ``experts``
    are the truth; instances whose truth was sought because annotators disagreed, or were likely
    to, are ``routed``: no random sample. ``purposes`` says what an instance was asked of an
    annotator for and ``confirm`` what was to be confirmed with it, as `Asked` does, and
    ``told_at`` when the answer came. ``label_seq`` and
    ``labelled_at`` are number and time of the last event that changed a label. ``refused``,
    ``granted`` and ``repeated`` say what events came to, by number: the instance whose answer
    contradicts an earlier one; what was given out; and what was new of answers that were partly
    or wholly known before.
    """

    budget: int = 0
    answers_wanted: int = 1
    opened: AssayOpened | None = None
    edited: Edited | None = None
    edit_seq: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    versions: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    seq: int = 0
    label_seq: int = 0
    labelled_at: float | None = None
    prediction_seq: dict[str, int] = field(default_factory=dict)
    n_rounds: int = 0
    n_paid: int = 0
    paid: dict[str, int] = field(default_factory=dict)
    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    n_answers: Counter[str] = field(default_factory=Counter)
    disputed: set[str] = field(default_factory=set)
    leases: Leases = field(default_factory=Leases)
    skips: dict[str, set[str]] = field(default_factory=dict)
    asked: dict[str, set[str]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    chances: dict[str, tuple[float, float]] = field(default_factory=dict)
    at_random: set[str] = field(default_factory=set)
    experts: frozenset[str] = frozenset()
    routed: set[str] = field(default_factory=set)
    purposes: dict[tuple[str, str], str] = field(default_factory=dict)
    confirm: dict[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    confirmed_paid: dict[str, float] = field(default_factory=dict)
    told_at: dict[tuple[str, str], float] = field(default_factory=dict)
    told_by: dict[str, list[str]] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)
    settled_by: dict[str, str] = field(default_factory=dict)
    sightings: Sightings = field(default_factory=Sightings)
    access: AccessBook = field(default_factory=AccessBook)
    predictions: dict[str, dict[str, tuple[str, float | None]]] = field(default_factory=dict)
    claims: dict[str, dict[str, tuple[str, float]]] = field(default_factory=dict)
    claimed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    fits: dict[str, Fitted] = field(default_factory=dict)
    expectations: dict[str, dict[int, float]] = field(default_factory=dict)
    known_to: dict[str, dict[int, tuple[float, float]]] = field(default_factory=dict)
    half_widths: dict[str, dict[int, float]] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    granted: dict[int, tuple[str, ...]] = field(default_factory=dict)
    repeated: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def apply(self, recorded: Iterable[Recorded]) -> None:
        """Take in events; each must be the next one."""
        for entry in recorded:
            if entry.seq != self.seq + 1:
                raise StoreError(f"the next event must be {self.seq + 1}; got {entry.seq}.")
            self._apply(entry)
            if self.label_seq == entry.seq:
                self.labelled_at = entry.at
            self.seq = entry.seq

    @property
    def spec(self) -> Mapping[str, Any]:
        """The spec as it now is, as it was written; empty before there is an assay."""
        return {} if self.opened is None else (self.edited or self.opened).spec

    def resolve(self, instance: str) -> Resolved:
        """Return what an answered instance is taken to be."""
        answers = self.answers[instance].values()
        votes = _votes(answers)
        attributes: dict[str, str] = {}
        for answer in answers:
            attributes |= answer.attributes
        settled = self.truth_of(instance)
        label = max(votes, key=votes.__getitem__) if settled is None else settled
        return Resolved(label, attributes, votes, settled is not None)

    def shown_with(self, instance: str) -> frozenset[str]:
        """Return the columns that had been shown to those who labelled an instance.

        Of a label that was there before the assay, they are those of the first spec.
        """
        who = [*self.answers.get(instance, ())]
        if not who:
            return self.sightings.first or frozenset()
        who += [self.settled_by[instance]] if instance in self.settled_by else []
        return self.sightings.seen_by(instance, who)

    def truth_of(self, instance: str) -> str | None:
        """Return what someone settled, or what experts answered; None where nobody did."""
        settled = self.settled.get(instance)
        if settled is not None or not self.experts:
            return settled
        by = self.answers.get(instance, {})
        votes = _votes([answer for who, answer in by.items() if who in self.experts])
        return max(votes, key=votes.__getitem__) if votes else None

    def seen_seq(self, *services: str) -> int:
        """Return the last event that a surface depends on, given whose answers it rests on."""
        predicted = (self.prediction_seq.get(service, 0) for service in services)
        return max(self.label_seq, self.edit_seq, *predicted)

    def last_told(self, annotator: str, count: int) -> list[str]:
        """Return the instances that an annotator answered last, the latest first."""
        found: dict[str, None] = {}
        for instance in reversed(self.told_by.get(annotator, [])):
            if len(found) == count:
                break
            if annotator in self.answers.get(instance, ()):
                found[instance] = None
        return list(found)

    def last_answers(self, annotator: str, count: int) -> dict[str, Answer]:
        """Return an annotator's last answers by instance, the latest first."""
        return {i: self.answers[i][annotator] for i in self.last_told(annotator, count)}

    def spent(self, now: float) -> float:
        """Return the part of the budget that is used: answers that were paid for, and leases.

        It is a whole number of labels where no confirmation has a price.
        """
        held: float = self.leases.n_held(now)
        if self.confirm:
            held += sum(sum(self.confirm.get(p, {}).values()) for p in self.leases.pairs(now))
        return round(self.used + held, _DECIMALS)

    @property
    def used(self) -> float:
        """The part of the budget that was paid for."""
        return round(self.n_paid + sum(self.confirmed_paid.values()), _DECIMALS)

    @property
    def to_confirm(self) -> dict[str, tuple[str, ...]]:
        """The attributes that each instance was last asked with."""
        return {instance: tuple(prices) for (instance, _), prices in self.confirm.items()}

    def room(self, now: float) -> float:
        """Return what is left of the budget."""
        return max(self.budget - self.spent(now), 0)

    def is_free(
        self, instance: str, annotator: str, now: float, *, is_extra: bool = False
    ) -> bool:
        """Return whether an annotator may be given an instance.

        With ``is_extra`` it needs no further answer, as where its truth is known.
        """
        answers = self.answers.get(instance, {})
        if annotator in answers or annotator in self.skips.get(instance, ()):
            return False
        if self.leases.is_held(instance, annotator, now):
            return False
        if is_extra:
            return True
        return len(answers) + self.leases.n_holders(instance, now) < self.answers_wanted

    def conflict(self, told: Told) -> str | None:
        """Return the first instance that the annotator had answered in another way."""
        for instance, label in zip(told.ids, told.labels, strict=True):
            before = self.answers.get(instance, {}).get(told.annotator)
            if before is None or told.is_replacing:
                continue
            if not same_value(before.label, label):
                return instance
        return None

    def is_news(self, event: Told | Skipped | Released) -> bool:
        """Return whether an event would change anything."""
        if isinstance(event, Told):
            return bool(self.new_ids(event))
        who = event.annotator
        is_held = any(self.leases.until(i, who) is not None for i in event.ids)
        if isinstance(event, Released):
            return is_held
        return is_held or any(who not in self.skips.get(i, ()) for i in event.ids)

    def new_ids(self, told: Told) -> tuple[str, ...]:
        """Return the instances whose answers say more than was told before."""
        return tuple(i for position, i in enumerate(told.ids) if self._is_new(told, position))

    def _is_new(self, told: Told, position: int) -> bool:
        before = self.answers.get(told.ids[position], {}).get(told.annotator)
        known = told.attributes[position] if told.attributes else {}
        return (
            before is None
            or not same_value(before.label, told.labels[position])
            or not known.items() <= before.attributes.items()
        )

    def _apply(self, entry: Recorded) -> None:
        event = _by_one_name(entry.event)
        match event:
            case AssayOpened():
                self.opened = event
                self.columns |= event.columns
                self._follow(entry.at, event.spec)
            case PoolChanged():
                self.columns |= event.columns
                self.edit_seq = entry.seq
            case Edited():
                self._edit(entry.seq, entry.at, event)
            case Claimed():
                self._claim(entry.seq, entry.at, event)
            case Predicted():
                self._predict(event)
                self.prediction_seq[event.service] = entry.seq
            case Asked():
                self._ask(entry.seq, entry.at, event)
            case Told():
                self._tell(entry.seq, entry.at, event)
            case Skipped():
                for instance in event.ids:
                    self.skips.setdefault(instance, set()).add(event.annotator)
                    self._release(instance, event.annotator)
            case Released():
                for instance in event.ids:
                    self._release(instance, event.annotator)
            case Extended():
                self._extend(entry.at, event)
            case Undone():
                self._undo(entry.seq, entry.at, event)
            case Settled():
                self._settle(entry.seq, event)
            case Fitted():
                self._fit(event)
            case Invited() | SignedIn() | Revoked():
                self.access.apply(entry.at, event)

    def _edit(self, seq: int, at: float, event: Edited) -> None:
        self.edited, self.edit_seq = event, seq
        self.half_widths.clear()  # they may have been of another goal
        self._follow(at, event.spec)

    def _follow(self, at: float, spec: Mapping[str, Any]) -> None:
        """Take the budget, the number of opinions and versions from a spec that holds them."""
        self.budget = spec.get("assay", {}).get("budget", self.budget)
        label = spec.get("label", {})
        self.answers_wanted = label.get("annotators", self.answers_wanted)
        named = (a["name"] for a in spec.get("annotator", ()) if a.get("expert"))
        experts = frozenset(map(one_name, (*named, *label.get("experts", ()))))
        if experts != self.experts:
            self.experts = experts
            for instance in self.answers:
                self._weigh(instance)
        for service in spec.get("service", ()):
            known, version = self.versions.setdefault(service["name"], []), service.get("version")
            if version is not None and (not known or known[-1][1] != version):
                known.append((at, version))
        self.sightings.follow(spec, self.leases.pairs(at))
        minutes = spec.get("assay", {}).get("lease_minutes")
        if minutes is not None:
            before = 0.0 if math.isinf(self.leases.longest_s) else self.leases.longest_s
            self.leases.longest_s = max(before, 60.0 * minutes)

    def _fit(self, event: Fitted) -> None:
        self.fits[event.service] = event
        if event.expected_macro_mse is not None:
            by_labels = self.expectations.setdefault(event.service, {})
            by_labels[event.n_labels] = event.expected_macro_mse
        if event.half_width is not None:
            self.half_widths.setdefault(event.service, {})[event.n_labels] = event.half_width
        if event.known_to is not None:
            self.known_to.setdefault(event.service, {})[event.n_labels] = event.known_to

    def is_unclaimed(
        self, service: str, instance: str, runner: str, now: float, dead: Iterable[str] = ()
    ) -> bool:
        """Return whether a run may let a service predict an instance."""
        if instance in self.predictions.get(service, ()):
            return False
        holder, until = self.claims.get(service, {}).get(instance, (runner, now))
        is_over = not now < until <= now + 2.0 * CLAIM_SECONDS  # later: a clock that had jumped
        return holder == runner or is_over or holder in dead

    def _claim(self, seq: int, at: float, event: Claimed) -> None:
        """Give those instances that no other run is at, in the order of the events."""
        service, runner = event.service, event.runner
        free = [i for i in event.ids if self.is_unclaimed(service, i, runner, at, event.dead)]
        claims = self.claims.setdefault(service, {})
        for instance in free:
            claims[instance] = (runner, event.until)
        self.claimed[seq] = tuple(free)

    def _predict(self, event: Predicted) -> None:
        known = self.predictions.setdefault(event.service, {})
        rows = zip(event.ids, event.predictions, event.confidences, strict=True)
        for instance, prediction, confidence in rows:
            known.setdefault(instance, (prediction, confidence))
            self.claims.get(event.service, {}).pop(instance, None)
        self.cost[event.service] = self.cost.get(event.service, 0.0) + event.cost

    def _ask(self, seq: int, at: float, event: Asked) -> None:
        """Give those instances that are free when the event stands, within the budget."""
        self.leases.expire(at)
        left = self.room(at)
        reason_of = dict(zip(event.ids, event.reasons, strict=True))
        least = event.least or (0.0,) * len(event.ids)
        chances = dict(zip(event.ids, zip(event.probabilities, least, strict=True), strict=True))
        drawn = {i for i, is_random in zip(event.ids, event.at_random, strict=False) if is_random}
        purpose = {i: what for i, what in zip(event.ids, event.purposes, strict=False) if what}
        confirm = dict(zip(event.ids, event.confirm, strict=False))
        who, cost, free = event.annotator, 0.0, list[str]()
        for instance in event.ids:
            if not self.is_free(instance, who, at, is_extra=instance in purpose):
                continue
            price = 1.0 + sum(confirm.get(instance, {}).values())
            if round(cost + price, _DECIMALS) > left:  # a label alone may still be paid for
                price = 1.0
                confirm.pop(instance, None)
            if round(cost + price, _DECIMALS) > left:
                break
            cost += price
            free.append(instance)
        for instance in free:
            if instance not in self.answers and instance not in self.leases:
                self.chances.pop(instance, None)  # a lease that ran out counts for nothing
                self.chances[instance] = chances[instance]
                self.at_random.discard(instance)
                self.at_random |= {instance} & drawn
            self.leases.give(instance, event.annotator, event.until)
            self.sightings.see(instance, who)
            self.asked.setdefault(instance, set()).add(event.annotator)
            self.reasons[instance] = reason_of[instance]
            if instance in purpose:
                self.purposes[instance, who] = purpose[instance]
            self.confirm.pop((instance, who), None)
            if confirm.get(instance):
                self.confirm[instance, who] = confirm[instance]
        self.granted[seq] = tuple(free)
        self.n_rounds += 1

    def _tell(self, seq: int, at: float, event: Told) -> None:
        refused = self.conflict(event)
        if refused is not None:
            self.refused[seq] = refused
            return
        new = self.new_ids(event)
        if len(new) < len(event.ids):
            self.repeated[seq] = new
        self.leases.expire(at)
        attributes = event.attributes or ({},) * len(event.ids)
        seconds = event.seconds or (None,) * len(event.ids)
        for instance, label, known, took in zip(
            event.ids, event.labels, attributes, seconds, strict=True
        ):
            by = self.answers.setdefault(instance, {})
            purpose = self.purposes.get((instance, event.annotator))
            if event.annotator in self.experts and purpose == "second":
                self.routed.add(instance)
            self.told_at[instance, event.annotator] = at
            self.chances.setdefault(instance, _NOT_DRAWN)
            before = by.get(event.annotator)
            self.n_answers[event.annotator] += before is None
            confirmed = {**before.attributes, **known} if before else known
            by[event.annotator] = Answer(label, confirmed, took)
            if before is None or (before.label, before.attributes) != (label, confirmed):
                self.label_seq = seq
                self.sightings.see(instance, event.annotator)
                self.told_by.setdefault(event.annotator, []).append(instance)
            self._weigh(instance)
            self._release(instance, event.annotator)
            self._pay(instance, at)

    def _settle(self, seq: int, event: Settled) -> None:
        self.settled |= dict(zip(event.ids, event.labels, strict=True))
        for instance in event.ids:
            self.settled_by[instance] = event.annotator
            self.sightings.see(instance, event.annotator)
        self.routed |= set(event.ids)
        self.disputed.difference_update(event.ids)
        self.label_seq = seq

    def _extend(self, at: float, event: Extended) -> None:
        """Let leases end later; one that ran out, or that an answer ended, stays over."""
        self.leases.expire(at)
        for instance in event.ids:
            if self.leases.until(instance, event.annotator) is not None:
                self.leases.give(instance, event.annotator, event.until)

    def _undo(self, seq: int, at: float, event: Undone) -> None:
        self.leases.expire(at)
        for instance in event.ids:
            by = self.answers.get(instance, {})
            if by.pop(event.annotator, None) is None:
                continue
            if not by:
                del self.answers[instance]
            self.n_answers -= Counter([event.annotator])
            self._weigh(instance)
            self._pay(instance, at)
            price = 1.0 + sum(self.confirm.get((instance, event.annotator), {}).values())
            if price <= self.room(at):
                self.leases.give(instance, event.annotator, event.until)
            self.label_seq = seq

    def _pay(self, instance: str, at: float) -> None:
        """Count the answers to an instance that were asked for, as far as there is room.

        A lease that an answer has just ended leaves room for it.
        """
        asked, given = len(self.asked.get(instance, ())), len(self.answers.get(instance, ()))
        self.n_paid -= self.paid.pop(instance, 0)
        self.confirmed_paid.pop(instance, None)
        if paid := min(asked, given, int(self.room(at))):
            self.paid[instance] = paid
            self.n_paid += paid
        confirmed = (
            price
            for who, answer in self.answers.get(instance, {}).items()
            for name, price in self.confirm.get((instance, who), {}).items()
            if name in answer.attributes
        )
        if cost := min(sum(confirmed), self.room(at)):
            self.confirmed_paid[instance] = cost

    def _release(self, instance: str, annotator: str) -> None:
        """End an annotator's lease, and all of them once there are answers enough."""
        if instance not in self.leases:
            return
        self.leases.end(instance, annotator)
        if len(self.answers.get(instance, {})) >= self.answers_wanted:
            self.leases.end_all(instance)

    def _weigh(self, instance: str) -> None:
        """Note whether annotators disagree on an instance, and nobody has settled it."""
        answers = self.answers.get(instance, {}).values()
        is_open = len(answers) > 1 and self.truth_of(instance) is None
        if is_open and len(_votes(answers)) > 1:
            self.disputed.add(instance)
        else:
            self.disputed.discard(instance)


def _by_one_name(event: Event) -> Event:
    """Return an event with its annotator's name in the one form; old versions wrote others."""
    name = getattr(event, "annotator", "")
    kept = one_name(name)
    if kept == name or not kept:
        return event
    changed: Any = event
    renamed: Event = replace(changed, annotator=kept)
    return renamed


def _votes(answers: Collection[Answer]) -> dict[str, int]:
    """Return how many answers each label has; one value may be written in several ways."""
    if len(answers) == 1:
        return {answer.label: 1 for answer in answers}
    spelling: dict[str, str] = {}
    for answer in answers:
        spelling.setdefault(normal_text(answer.label), answer.label)
    return Counter(spelling[normal_text(answer.label)] for answer in answers)
