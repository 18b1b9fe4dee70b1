"""The people of an assay: what each has done, how reliable they are, what is left to settle."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from accuracy_assay.files.texts import normal_text
from accuracy_assay.numerics.krippendorff import nominal_alpha
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.crowd_labels import CrowdLabels
from accuracy_assay.session.ledger import Ledger

__all__ = ["Confusion", "Dispute", "Drift", "Member", "Team", "count_team"]

_DRAWS = 200
"""Draws of instances for the interval of alpha: its ends then move by a twentieth of its width."""
_LEAST_HALF = 10
"""Fewest answers of either half by which someone is said to drift."""
_FAR = 1.645
"""Deviations between two halves from which they differ: one in ten does by chance."""
_LEAST_DRIFT = 0.05
"""Smallest difference that is worth a word."""
_SHOWN_CONFUSIONS = 10


@dataclass(frozen=True)
class Drift:
    """How reliable someone was in the first and the second half of their answers."""

    early: float
    late: float
    is_clear: bool


@dataclass(frozen=True)
class Member:
    """One annotator.

    ``role`` is None where they were not invited, as when they label in a terminal; ``agrees`` the
    share of their answers that others gave as well, among instances that others answered too;
    ``seconds`` the median time of an answer.

    ``checked`` counts answers to instances whose truth is known, ``right`` those that are right.
    ``reliability`` (mean, lower, upper) is the share of right answers to a typical instance, by
    known truth and by what others answered: where they disagree nobody is blamed, and where they
    err together it is too high. ``answers_at_random`` says that the answers have hardly anything
    to do with the instances; they count for nothing. Each is None where nothing tells.
    """

    name: str
    role: str | None
    answers: int
    held: int
    skipped: int
    agrees: float | None
    seconds: float | None
    is_expert: bool = False
    checked: int = 0
    right: int = 0
    reliability: tuple[float, float, float] | None = None
    answers_at_random: bool = False
    drift: Drift | None = None


@dataclass(frozen=True)
class Dispute:
    """An instance on which annotators disagree, and what each says.

    ``taken`` is what it counts as until it is settled, and ``why`` says by which rule. Where no
    majority decides it ``is_open``, and comes before others.
    """

    id: str
    answers: Mapping[str, str]
    taken: str | None = None
    why: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class Confusion:
    """How often people answered one thing where another is true, or is taken to be."""

    truth: str
    answer: str
    count: int


@dataclass(frozen=True)
class Team:
    """Everybody, Krippendorff's alpha over ``shared`` instances, and what is in dispute.

    ``alpha`` is 1 where all agree and 0 where they agree as often as chance would
    (`numerics.krippendorff`), ``alpha_interval`` holds it in 90% of samples of instances; None
    where no instance has two answers, or all answers are the same. ``confusions`` are the most
    frequent wrong answers. ``trust`` says how far the labels are verified, None as long as no two
    answers can be compared.
    """

    members: tuple[Member, ...]
    alpha: float | None
    shared: int
    disputes: tuple[Dispute, ...]
    alpha_interval: tuple[float, float] | None = None
    confusions: tuple[Confusion, ...] = ()
    trust: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def count_team(ledger: Ledger, now: float, crowd: CrowdLabels | None = None) -> Team:
    """Return the team as it stands at the time ``now``.

    ``crowd`` is what answers of several people add up to; without it nobody's reliability is
    known.
    """
    shared = {i: by for i, by in ledger.answers.items() if len(by) > 1}
    skipped = {who for by in ledger.skips.values() for who in by}
    held = ledger.leases.annotators()
    names = sorted(skipped | held | ledger.n_answers.keys() | ledger.access.invited.keys())
    disputes = [_dispute(ledger, i, crowd) for i in shared if i in ledger.disputed]
    disputes.sort(key=lambda dispute: not dispute.is_open)
    counts = _shared_counts(ledger)
    return Team(
        tuple(_member(ledger, name, now, crowd) for name in names),
        None if counts is None else nominal_alpha(counts),
        len(shared),
        tuple(disputes),
        None if counts is None else _alpha_interval(counts),
        _confusions(ledger, crowd),
        None if crowd is None else str(crowd.trust),
    )


def _member(ledger: Ledger, name: str, now: float, crowd: CrowdLabels | None) -> Member:
    own = {i: by[name] for i, by in ledger.answers.items() if name in by}
    seconds = [answer.seconds for answer in own.values() if answer.seconds is not None]
    matches = [
        normal_text(answer.label) == normal_text(other.label)
        for i, answer in own.items()
        for who, other in ledger.answers[i].items()
        if who != name
    ]
    member = Member(
        name,
        ledger.access.invited.get(name),
        len(own),
        len(ledger.leases.held_by(name, now)),
        sum(name in by for by in ledger.skips.values()),
        sum(matches) / len(matches) if matches else None,
        median(seconds) if seconds else None,
        name in ledger.experts,
    )
    return member if crowd is None else _judged(member, ledger, crowd)


def _judged(member: Member, ledger: Ledger, crowd: CrowdLabels) -> Member:
    """Return a member with what their answers say of them."""
    if member.name not in crowd.names:
        return member
    person, answers = crowd.names.index(member.name), crowd.crowd.answers
    is_own = answers.person == person
    checked, right = crowd.checks(is_own)
    values = asdict(member) | {"checked": checked, "right": right}
    people = crowd.people
    if people is not None and people.compared[person]:
        known = (people.accuracy[person], people.lower[person], people.upper[person])
        values["reliability"] = tuple(map(float, known))
        values["answers_at_random"] = bool(people.is_random[person])
        values["drift"] = _drift(ledger, crowd, person, np.flatnonzero(is_own))
    return Member(**values)


def _drift(ledger: Ledger, crowd: CrowdLabels, person: int, own: IntArray) -> Drift | None:
    """Return how reliable someone was early and late; None with too few answers."""
    assert crowd.people is not None
    own = own[np.any(crowd.people.at_grid[own] != 0.0, axis=1)]
    if own.size < 2 * _LEAST_HALF:
        return None
    ids, name = crowd.crowd.ids.to_list(), crowd.names[person]
    when = [ledger.told_at.get((ids[k], name), 0.0) for k in crowd.crowd.answers.item[own]]
    order = own[np.argsort(when, kind="stable")]
    halves = [crowd.people.of_part(person, half) for half in np.array_split(order, 2)]
    (early, *first), (late, *second) = halves
    spread = [(upper - lower) / (2.0 * _FAR) for lower, upper in (first, second)]
    is_clear = abs(late - early) > max(_FAR * math.hypot(*spread), _LEAST_DRIFT)
    return Drift(early, late, bool(is_clear))


def _dispute(ledger: Ledger, instance: str, crowd: CrowdLabels | None) -> Dispute:
    """Return a dispute with what it counts as, and why."""
    by = {who: answer.label for who, answer in ledger.answers[instance].items()}
    if crowd is not None and instance not in crowd.labels:
        why = "only people who answer at random answered it"
        return Dispute(instance, by, None, why, is_open=True)
    known = ledger.resolve(instance) if crowd is None else crowd.labels[instance]
    guessers = frozenset() if crowd is None else crowd.guessers
    votes = Counter(normal_text(label) for who, label in by.items() if who not in guessers)
    most = max(votes.values(), default=0)
    is_tie = sum(count == most for count in votes.values()) > 1
    why = "a tie: it goes to who is more reliable" if is_tie else "the majority"
    if guessers & by.keys() and not is_tie:
        why = "the majority of those who don't answer at random"
    if ledger.experts:
        why += ", until an expert answers"
    return Dispute(instance, by, known.label, why, is_tie)


def _confusions(ledger: Ledger, crowd: CrowdLabels | None) -> tuple[Confusion, ...]:
    """Return the most frequent answers that differ from what an instance is, or is taken to be.

    What happened once is a slip, not a confusion.
    """
    if crowd is None:
        return ()
    count = Counter(
        (normal_text(crowd.labels[i].label), normal_text(answer.label))
        for i, by in ledger.answers.items()
        if i in crowd.labels
        for who, answer in by.items()
        if who not in crowd.guessers
    )
    wrong = [Confusion(t, a, n) for (t, a), n in count.items() if t != a and n > 1]
    return tuple(sorted(wrong, key=lambda c: (-c.count, c.truth, c.answer))[:_SHOWN_CONFUSIONS])


def _shared_counts(ledger: Ledger) -> IntArray | None:
    """Return how often each answer was given to each shared instance; None if all are the same."""
    every = [
        Counter(normal_text(answer.label) for answer in by.values())
        for by in ledger.answers.values()
        if len(by) > 1
    ]
    values = sorted({label for labels in every for label in labels})
    if len(values) < 2:
        return None
    return np.asarray([[labels[value] for value in values] for labels in every])


def _alpha_interval(counts: IntArray) -> tuple[float, float] | None:
    """Return the ends of a 90% interval of alpha, by drawing instances again."""
    rng, n = np.random.default_rng(0), len(counts)
    found = [nominal_alpha(counts[rng.integers(0, n, n)]) for _ in range(_DRAWS)]
    drawn: FloatArray = np.asarray([alpha for alpha in found if alpha is not None])
    if not drawn.size:
        return None
    lower, upper = np.quantile(drawn, [0.05, 0.95])
    return float(lower), float(upper)
