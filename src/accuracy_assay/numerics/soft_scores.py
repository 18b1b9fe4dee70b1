"""Scores in place of labels that nobody has verified, with the doubt that all of them share.

How reliable people are moves all scores together: each of those with most answers is doubted in a
direction of their own, by one standard deviation, and all others in one more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay.numerics.annotators import People
from accuracy_assay.numerics.crowd import Answers
from accuracy_assay.numerics.crowd_score import Believed, believe
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["SoftScores", "score_items"]

_SILENT = -1
_MOST_PEOPLE = 8
"""People whose reliability is doubted one by one, those with the most answers; each takes room in
a file. That of all others is doubted as if they erred together."""


@dataclass(frozen=True, eq=False)
class SoftScores:
    """Scores of labelled rows, some of which are probabilities.

    Parameters
    ----------
    score, weight
        Of each row, (m,); a row that is certain has a weight of one.
    away
        By how much scores may err together, in independent directions of one standard deviation,
        (D, m); None if that is unknown.
    explains
        Share of the variance of right and wrong that answers explain, None if unknown.
    """

    score: FloatArray
    weight: FloatArray
    away: FloatArray | None = None
    explains: float | None = None

    def others(self, count: int) -> FloatArray:
        """Return ``weight * score`` by so many other readings, (B, m); as it likes if 0."""
        assert self.away is not None
        n = self.away.shape[0]
        if count:
            draws = np.random.default_rng(count).standard_normal((count, n))
        else:
            draws = np.sqrt(n) * np.eye(n)  # their mean square is the variance
        return np.asarray(self.weight * (self.score + draws @ self.away))


def score_items(given: Answers, people: People, said: IntArray, cell: IntArray) -> SoftScores:
    """Return the score of each item by all its answers and what a service said, (N,).

    ``said`` (N,) is as in `accuracy_assay.numerics.crowd_score`. ``cell`` (N,) numbers the cells;
    -1 is for items that don't count, which say nothing of the others' rate.

    Examples
    --------
    >>> from accuracy_assay.numerics.annotators import judge_people
    >>> item, person = np.repeat(np.arange(60), 3), np.tile(np.arange(3), 60)
    >>> truth = np.arange(60) % 2
    >>> errs = (item + 7 * person) % 10 == 0  # each in every tenth item
    >>> given = Answers(item, person, np.where(errs, 1 - truth[item], truth[item]), 60, 3, 2)
    >>> said = np.where(np.arange(60) % 5 == 3, 1 - truth, truth)
    >>> found = score_items(given, judge_people(given), said, np.zeros(60, dtype=int))
    >>> round(float(np.average(found.score, weights=found.weight)), 2)
    0.84
    """
    said = np.where(cell >= 0, said, _SILENT)
    tendencies = people.tendencies

    def by(knows: FloatArray) -> Believed:
        return believe(given, replace(tendencies, knows=knows), said)

    score, weight = by(tendencies.knows).scores(cell)
    away = [
        (by(more).scores_at(weight) - by(less).scores_at(weight)) / 2.0
        for step in _steps(people, given)
        for more in [np.clip(tendencies.knows + step, 0.0, 1.0)]
        for less in [np.clip(tendencies.knows - step, 0.0, 1.0)]
    ]
    return SoftScores(score, weight, np.stack(away))


def _steps(people: People, given: Answers) -> list[FloatArray]:
    """Return by how much reliabilities may be off, in independent directions, (m,) each."""
    by_answers = np.argsort(-np.bincount(given.person, minlength=given.n_people), kind="stable")
    spread = np.where(people.is_random, 0.0, people.spread)
    groups = [*np.split(by_answers[:_MOST_PEOPLE], min(_MOST_PEOPLE, by_answers.size))]
    groups.append(by_answers[_MOST_PEOPLE:])
    every = np.arange(given.n_people)
    return [np.where(np.isin(every, group), spread, 0.0) for group in groups if group.size]
