"""How far labels are verified: who gave them, how many were checked, and what they may hide.

People who answer an item alike may be wrong alike, so agreement alone proves nothing. Gold answers
do: with them, the answers of people are evidence about every item, and gold alone is the truth.
Without gold, the label of an item is what most people answered. How often that is wrong cannot be
seen: in three real crowds it was 0.8, 0.8 and 1.5 times as often as answers visibly differed from
it. So a multiple of that share is taken for the most that an accuracy may be off: an assumption,
and named as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from accuracy_assay.domain.detail import Detail

__all__ = ["LabelTrust"]

_TOGETHER = 1.6
"""How many times as often as answers differ from the majority it is assumed to be wrong, at most;
docs/decisions/0016 has the crowds."""
_TELLING = 0.35
"""Share of the scores that answers must explain to narrow an interval noticeably: with less, gold
alone does as well, as a real crowd of 59% right answers showed."""


@dataclass(frozen=True, slots=True)
class LabelTrust(Detail):
    """What is known about the answers behind a surface.

    Parameters
    ----------
    items, annotators, answers
        How many items were answered, by how many people, with how many answers.
    checked
        Items with a gold answer and at least one of a person.
    right
        Share of the answers to those that are right; None without any.
    differ
        Share of all answers that differ from what most people answered.
    explains
        Share of the variance of the gold items' scores that people's answers explain; None if that
        cannot be said.
    is_verified
        Whether gold answers are the labels.

    Examples
    --------
    >>> print(LabelTrust(412, 9, 1300, 60, 0.71, 0.3, 0.5, is_verified=True))
    labels: 412 items, 9 annotators, about 71% of answers right (60 checked)
    """

    key: ClassVar[str] = "label_trust"

    items: int
    annotators: int
    answers: int
    checked: int
    right: float | None
    differ: float
    explains: float | None = None
    is_verified: bool = False

    @property
    def slack(self) -> float:
        """How far accuracies may be off because labels are not verified."""
        return 0.0 if self.is_verified else min(_TOGETHER * self.differ, 1.0)

    @property
    def adds_little(self) -> bool:
        """Whether gold items show that the answers say little about the service."""
        return self.explains is not None and self.explains < _TELLING

    def __str__(self) -> str:
        who = f"labels: {_count(self.items, 'item')}, {_count(self.annotators, 'annotator')}"
        if self.is_verified:
            right = "" if self.right is None else f", about {self.right:.0%} of answers right"
            said = f"{who}{right} ({self.checked:,} checked)"
            if self.adds_little:
                said += "; more answers of these annotators will add little"
            return said
        if self.answers <= self.items:
            return f"{who}, not verified: no item was answered twice, and none has a gold answer"
        return (
            f"{who}, not verified: {self.differ:.0%} of answers differ from the majority. If "
            f"annotators are wrong together, and the majority at most {_TOGETHER:g} times as "
            "often as that (an assumption), every accuracy may be off by up to "
            f"{100.0 * self.slack:.0f} points"
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
