"""Verdicts of several people: a metric for each of them, and one for what most of them say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from accuracy_assay.numerics.crowd import Answers, settle_votes, weigh_answers
from accuracy_assay.readers.answer import Answer

__all__ = ["Judged", "People", "settled", "with_people"]

People = dict[str, dict[str, dict[str, str]]]
"""By service and metric, each person and the metric of that person's verdicts."""


@dataclass(slots=True)
class Judged:
    """Who judged answers by a metric, how many answers several of them did, and how they differ.

    Examples
    --------
    >>> found = Judged()
    >>> found.add({"ann": {0: 1.0, 1: 0.0}, "ben": {0: 0.0}})
    >>> found.several, found.torn
    (1, 1)
    """

    people: set[str] = field(default_factory=set)
    several: int = 0
    torn: int = 0

    def add(self, verdicts: Mapping[str, Mapping[int, float]]) -> None:
        """Count the verdicts of each person on the answers of one service, by row."""
        by_row: dict[int, list[float]] = {}
        for own in verdicts.values():
            for row, value in own.items():
                by_row.setdefault(row, []).append(value)
        given = [set(values) for values in by_row.values() if len(values) > 1]
        self.people |= verdicts.keys()
        self.several += len(given)
        self.torn += sum(len(values) > 1 for values in given)

    @property
    def reason(self) -> str:
        """What stands in for a truth."""
        return (
            f"it is what most of {len(self.people)} people say; of {self.several:,} answers that "
            f"several of them judged, they disagree about {self.torn:,}"
        )


def with_people(answers: Iterable[Answer]) -> tuple[list[Answer], People]:
    """Return answers whose scores say whose verdicts they are, if there are several people.

    Examples
    --------
    >>> said = [Answer("m", "q", "4", {"right": 1.0}, annotator=who) for who in ("ann", "ben")]
    >>> [list(answer.scores) for answer in with_people(said)[0]]
    [['right by ann'], ['right by ben']]
    """
    listed = list(answers)
    several = {answer.annotator for answer in listed if answer.annotator is not None}
    people: People = {}
    if len(several) < 2:
        return listed, people
    found = []
    for answer in listed:
        person = answer.annotator
        if person is None:
            found.append(answer)
            continue
        own = {metric: f"{metric} by {person}" for metric in answer.scores}
        of_service = people.setdefault(answer.service, {})
        for metric, name in own.items():
            of_service.setdefault(metric, {})[person] = name
        found.append(replace(answer, scores={own[name]: x for name, x in answer.scores.items()}))
    return found, people


def settled(verdicts: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """Return what most people say of each row, or their mean where verdicts are not 0 or 1.

    Ties go to the more reliable people, as everywhere.

    Parameters
    ----------
    verdicts
        By person, the verdict on each row.

    Examples
    --------
    >>> settled({"ann": {0: 1.0, 1: 0.0}, "ben": {0: 1.0}, "eve": {0: 0.0}})
    {0: 1.0, 1: 0.0}
    >>> settled({"ann": {0: 0.5}, "ben": {0: 1.0}})
    {0: 0.75}
    """
    given = [(row, who, x) for who, own in enumerate(verdicts.values()) for row, x in own.items()]
    rows = sorted({row for row, _, _ in given})
    if not rows:
        return {}
    at = {row: number for number, row in enumerate(rows)}
    item = np.array([at[row] for row, _, _ in given])
    value = np.array([x for _, _, x in given])
    if np.isin(value, (0.0, 1.0)).all():
        person = np.array([who for _, who, _ in given])
        wrong = (value == 0.0).astype(np.int64)  # right is the first class: "right" < "wrong"
        said = Answers(item, person, wrong, len(rows), len(verdicts), 2)
        score = 1.0 - settle_votes(said.votes, weigh_answers(said))
    else:
        score = np.bincount(item, value) / np.bincount(item)
    return dict(zip(rows, score.tolist(), strict=True))
