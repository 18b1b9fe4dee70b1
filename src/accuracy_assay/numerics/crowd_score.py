"""Whether a service is right about each item, by who answered what, where no truth is known.

Before any answer, what the service said is true with probability rho, and any other class in
proportion to its share among all answers. People answer as in `numerics.annotators`. With A_i the
likelihood of the answers to item i where the service is right, and B_i its mean over what else may
be true,

    r_i = rho A_i / (rho A_i + (1 - rho) B_i),    rho = mean of r    (expectation maximisation)

What n items of a cell say together is close to n' labels of which y' are right, with

    w = mean of (r - rho)^2 / (rho (1 - rho)),    y' - n' rho = sum of (r - rho),    n' = n w

since the sum is linear in the rate of the cell, zero at rho, with slope n w. That holds whichever
items were asked again because of what was answered and what the service said, since r knows both.
A majority doesn't: items that look right would be left alone, with the mistakes that they hide.
Where y' would be below 0 or above n', n' is as much larger as it must be; with answers that all
say the same, that is what they say.

One more answer of a person moves r to r'. It is expected to lower the doubt r (1 - r) by
E (r' - r)^2, an item without answers (r = rho) included.

Where truth calibrates what answers are worth (`numerics.crowd_gold`), it rests on items that are
asked whatever the service said; there further answers go where the label itself is in doubt.

Notation: N items, K classes and one for what nobody answered; ``said`` (N,) are classes of the
service's answers, K for that one, -1 where the service said nothing, which is never right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.numerics.annotators import Tendencies
from accuracy_assay.numerics.crowd import Answers
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Believed", "believe", "believe_labels", "lean"]

_FIRST = 0.8
"""Where the search for rho begins, and what it is believed to be before any answer."""
_STEPS, _SETTLED = 200, 1e-7
_LEAST = 1e-6
"""Least worth of a label: with nobody who knows anything it would be none."""
_NEVER = 1e-12
"""Share of the class that nobody answered, where the service didn't either."""


@dataclass(frozen=True, eq=False)
class Believed:
    """What is believed of each item: the classes' ``chances`` (N, K + 1), and the ``rate`` rho."""

    chances: FloatArray
    said: IntArray
    rate: float
    share: FloatArray

    @property
    def right(self) -> FloatArray:
        """Probability that the service is right about each item, r (N,)."""
        found = self.chances[np.arange(self.said.size), np.maximum(self.said, 0)]
        return np.asarray(np.where(self.said >= 0, found, 0.0))

    def scores(self, cell: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the score of each item, and how many labels it is worth, (N,) each.

        ``cell`` (N,) numbers the cells; -1 is for items that don't count.
        """
        counts, rho = cell >= 0, self.rate
        away = np.where(counts & (self.said >= 0), self.right - rho, 0.0)
        n = np.bincount(cell[counts], minlength=cell.size).astype(np.float64)
        total = np.bincount(cell[counts], away[counts], cell.size)
        usual = max(float(np.mean(away[counts] ** 2)) / (rho * (1.0 - rho)), _LEAST)
        most = np.maximum(total / (1.0 - rho), -total / rho)
        worth = np.maximum(n * usual, most) / np.maximum(n, 1.0)
        each = np.where(counts & (self.said >= 0), worth[cell], 1.0)
        return self.scores_at(each), each

    def scores_at(self, worth: FloatArray) -> FloatArray:
        """Return the scores of items that are worth so many labels each, (N,)."""
        found = self.rate + (self.right - self.rate) / worth
        return np.where(self.said >= 0, found, 0.0)

    def gain(self, knows: float, usual: FloatArray) -> FloatArray:
        """Return by how much an answer of a person is expected to lower the doubt, (N,).

        ``knows`` is kappa, ``usual`` (K,) what they answer where they guess.
        """
        found = _gain(self.chances, self.right, self.said, knows, usual)
        return np.where(self.said >= 0, found, 0.0)

    def gain_of_new(self, knows: float, usual: FloatArray) -> float:
        """Return what that is for an item without answers, on average."""
        said = self.said[self.said >= 0]
        if not said.size:
            return 0.0
        kinds, count = np.unique(said, return_counts=True)
        prior = np.exp(lean(kinds, self.rate, self.share))
        each = _gain(prior, np.full(kinds.size, self.rate), kinds, knows, usual)
        return float(np.average(each, weights=count))


def believe(given: Answers, people: Tendencies, said: IntArray) -> Believed:
    """Return what is believed of each item, given how people answer.

    Examples
    --------
    >>> given = Answers(*np.array([[0, 1, 1, 2], [0, 0, 1, 1], [0, 1, 1, 0]]), 3, 2, 2)
    >>> people = Tendencies(np.array([0.8, 0.8]), np.full((2, 2), 0.5), np.array([0.5, 0.5]))
    >>> believe(given, people, np.array([0, 0, 0])).right.round(2).tolist()
    [0.92, 0.02, 0.92]
    """
    evidence = np.pad(people.evidence(given), ((0, 0), (0, 1)))
    likely = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    at, is_known = np.arange(said.size), said >= 0
    share = _with_unheard(people.share)
    own = likely[at, np.maximum(said, 0)]
    apart = 1.0 - share[np.maximum(said, 0)]
    others = (likely @ share - share[np.maximum(said, 0)] * own) / apart
    own, others = own[is_known], others[is_known]
    rate = _FIRST
    for _ in range(_STEPS if own.size else 0):
        right = rate * own / (rate * own + (1.0 - rate) * others)
        before, rate = rate, float((right.sum() + 1.0) / (right.size + 2.0))
        if abs(rate - before) < _SETTLED:
            break
    chances = likely * np.exp(lean(said, rate, people.share))
    return Believed(chances / chances.sum(axis=1, keepdims=True), said, rate, people.share)


def believe_labels(given: Answers, people: Tendencies) -> Believed:
    """Return what is believed of each item whatever a service said; ``said`` is likeliest.

    Examples
    --------
    >>> given = Answers(*np.array([[0, 1, 1], [0, 0, 1], [0, 0, 1]]), 2, 2, 2)
    >>> people = Tendencies(np.array([0.8, 0.8]), np.full((2, 2), 0.5), np.array([0.5, 0.5]))
    >>> believe_labels(given, people).right.round(2).tolist()
    [0.9, 0.5]
    """
    evidence = people.evidence(given) + np.log(people.share)
    likely = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    chances = np.pad(likely / likely.sum(axis=1, keepdims=True), ((0, 0), (0, 1)))
    return Believed(chances, chances.argmax(axis=1), _FIRST, people.share)


def lean(said: IntArray, rate: float, share: FloatArray) -> FloatArray:
    """Return the log-probability of each class before any answer, (N, K + 1).

    Examples
    --------
    >>> np.exp(lean(np.array([0]), 0.8, np.array([0.5, 0.3, 0.2]))).round(2).tolist()
    [[0.8, 0.12, 0.08, 0.0]]
    """
    at, own = np.arange(said.size), np.maximum(said, 0)
    prior = np.tile(_with_unheard(share), (said.size, 1))
    prior[at, own] = np.where(said >= 0, 0.0, prior[at, own])
    prior *= (np.where(said >= 0, 1.0 - rate, 1.0) / prior.sum(axis=1))[:, None]
    prior[at, own] = np.where(said >= 0, rate, prior[at, own])
    return np.asarray(np.log(prior))


def _with_unheard(share: FloatArray) -> FloatArray:
    found = np.append(share, _NEVER)
    return np.asarray(found / found.sum())


def _gain(
    chances: FloatArray, right: FloatArray, said: IntArray, knows: float, usual: FloatArray
) -> FloatArray:
    lucky = (1.0 - knows) * np.append(usual, 0.0)
    answers = knows * chances + lucky  # of K classes, and one that nobody answered
    if_right = np.tile(lucky, (said.size, 1))
    if_right[np.arange(said.size), np.maximum(said, 0)] += knows
    after = (right[:, None] * if_right) ** 2 / np.maximum(answers, _NEVER)
    return np.asarray(after.sum(axis=1) - right**2)
