"""The people of an assay: what each has done, how well they agree, and what is left to settle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from accuracy_assay.files.texts import normal_text
from accuracy_assay.numerics.krippendorff import nominal_alpha
from accuracy_assay.session.ledger import Ledger

__all__ = ["Dispute", "Member", "Team", "count_team"]


@dataclass(frozen=True)
class Member:
    """One annotator.

    ``role`` is None where they were not invited, as when they label in a terminal; ``agrees`` the
    share of their answers that others gave as well, among instances that others answered too;
    ``seconds`` the median time of an answer. Each is None where there is nothing to tell it by.
    """

    name: str
    role: str | None
    answers: int
    held: int
    skipped: int
    agrees: float | None
    seconds: float | None


@dataclass(frozen=True)
class Dispute:
    """An instance on which annotators disagree, and what each says."""

    id: str
    answers: Mapping[str, str]


@dataclass(frozen=True)
class Team:
    """Everybody, Krippendorff's alpha over ``shared`` instances, and what is in dispute.

    ``alpha`` is 1 where all agree and 0 where they agree as often as chance would
    (`numerics.krippendorff`); None where no instance has two answers, or all answers are the same.
    """

    members: tuple[Member, ...]
    alpha: float | None
    shared: int
    disputes: tuple[Dispute, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def count_team(ledger: Ledger, now: float) -> Team:
    """Return the team as it stands at the time ``now``."""
    shared = {i: by for i, by in ledger.answers.items() if len(by) > 1}
    skipped = {who for by in ledger.skips.values() for who in by}
    held = ledger.leases.annotators()
    names = sorted(skipped | held | ledger.n_answers.keys() | ledger.access.invited.keys())
    disputed = [i for i in shared if i in ledger.disputed]
    return Team(
        tuple(_member(ledger, name, now) for name in names),
        _alpha(ledger),
        len(shared),
        tuple(
            Dispute(i, {who: answer.label for who, answer in shared[i].items()}) for i in disputed
        ),
    )


def _member(ledger: Ledger, name: str, now: float) -> Member:
    own = {i: by[name] for i, by in ledger.answers.items() if name in by}
    seconds = [answer.seconds for answer in own.values() if answer.seconds is not None]
    matches = [
        normal_text(answer.label) == normal_text(other.label)
        for i, answer in own.items()
        for who, other in ledger.answers[i].items()
        if who != name
    ]
    return Member(
        name,
        ledger.access.invited.get(name),
        len(own),
        len(ledger.leases.held_by(name, now)),
        sum(name in by for by in ledger.skips.values()),
        sum(matches) / len(matches) if matches else None,
        median(seconds) if seconds else None,
    )


def _alpha(ledger: Ledger) -> float | None:
    """Return Krippendorff's alpha of the labels, as names without an order."""
    counts = [
        [normal_text(answer.label) for answer in by.values()]
        for by in ledger.answers.values()
        if len(by) > 1
    ]
    values = sorted({label for labels in counts for label in labels})
    if len(values) < 2:
        return None
    return nominal_alpha(
        np.asarray([[labels.count(value) for value in values] for labels in counts])
    )
