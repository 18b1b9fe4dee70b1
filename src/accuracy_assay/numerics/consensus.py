"""What the answers of many services say about each other, before any label: a consensus.

The answers that services give to a row are alternatives, one at most of which is right. A service
is right with probability p_s, whatever the row, and else gives any of the K - 1 other answers (the
one-coin model; Dawid and Skene, 1979). So each vote for an alternative adds

    w_s = log(p_s / (1 - p_s)) + log(K - 1)

to its log-odds, and p_s is the mean probability of the service's own answers: expectation
maximisation over the whole pool. Services err together on hard rows, so these probabilities are
too sure of themselves: they order rows, and labels say what they are worth.

Notation: n rows, k services. Codes (n, k) of two services are equal in a row if their answers are;
negative where a service gave none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["consensus"]

_STEPS = 30
"""Steps of expectation-maximisation; p moves by less than 0.001 after about ten."""
_FIRST = 0.6
"""p of every service at first: above one half, so that the first guess is the majority."""
_LEAST = 0.02
"""p is neither lower than this nor higher than one minus it, or one vote would decide alone."""


def consensus(
    codes: IntArray, families: Sequence[int] | None = None, n_pool: int | None = None
) -> FloatArray:
    """Return how probable each answer is, judged by the other services' answers, (n, k).

    What the service itself adds by giving the answer is left out.

    Parameters
    ----------
    codes
        The answers.
    families
        A number for each service; those with the same number do not judge one another. By default
        each is a family of its own.
    n_pool
        First rows, from which it is learned how good services are; all by default.

    Examples
    --------
    >>> said = np.array([[0, 0, 1], [2, 2, 2], [1, 0, 0], [0, 0, 0]] * 5)
    >>> consensus(said).round(2)[0].tolist()
    [0.94, 0.47, 0.0]
    """
    pool = _Votes.of(codes[:n_pool])
    rate = np.full(codes.shape[1], _FIRST)
    for _ in range(_STEPS):
        weight = pool.weight(rate)
        found = pool.probability(weight, pool.totals(weight))
        rate = np.clip(pool.mean(found), _LEAST, 1.0 - _LEAST)
    weight = pool.weight(rate)
    votes = pool if n_pool is None else replace(_Votes.of(codes), options=pool.options)
    own = np.arange(codes.shape[1]) if families is None else np.asarray(families)
    table = np.zeros(codes.shape)
    for family in np.unique(own):
        is_own = own == family
        others = votes.totals(np.where(is_own, 0.0, weight))
        for s in np.flatnonzero(is_own).tolist():
            table[:, s] = votes.answers_of(s, others)
    return table


@dataclass(frozen=True, eq=False)
class _Votes:
    """The answers as a list of votes: row, service and alternative of each; V in all.

    Alternatives are numbered over all rows, those of a row one after the other; ``row_of`` (M,) is
    the row of each.
    """

    row: IntArray
    service: IntArray
    alternative: IntArray
    row_of: IntArray
    n_rows: int
    n_services: int
    options: float

    @classmethod
    def of(cls, codes: IntArray) -> _Votes:
        n, k = codes.shape
        said = np.flatnonzero(codes.ravel() >= 0)
        row, service = said // k, said % k
        answer = codes.ravel()[said]
        width = int(answer.max(initial=0)) + 1
        kinds, alternative = np.unique(row * width + answer, return_inverse=True)
        return cls(row, service, alternative, kinds // width, n, k, _options(answer))

    def weight(self, rate: FloatArray) -> FloatArray:
        """Return the log-odds that a vote of each service adds, (k,)."""
        return np.asarray(np.log(rate / (1.0 - rate)) + np.log(max(self.options - 1.0, 1.0)))

    def totals(self, weight: FloatArray) -> FloatArray:
        """Return the log-odds of each alternative, (M,)."""
        found = np.bincount(self.alternative, weight[self.service], self.row_of.size)
        return np.asarray(found, dtype=np.float64)

    def _posterior(self, totals: FloatArray) -> FloatArray:
        """Return the probability of each alternative, (M,); a row may have others."""
        top = np.zeros(self.n_rows)
        np.maximum.at(top, self.row_of, totals)
        odds = np.exp(totals - top[self.row_of])
        seen = np.bincount(self.row_of, minlength=self.n_rows)
        other = np.maximum(self.options - seen, 0.0) * np.exp(-top)
        every = np.bincount(self.row_of, odds, self.n_rows) + other
        return np.asarray(odds / every[self.row_of])

    def probability(self, weight: FloatArray, totals: FloatArray) -> FloatArray:
        """Return the probability of each vote's alternative, (V,)."""
        return self._posterior(totals)[self.alternative]

    def mean(self, found: FloatArray) -> FloatArray:
        """Return the mean of votes' probabilities over all rows by service, (k,)."""
        return np.bincount(self.service, found, self.n_services) / max(self.n_rows, 1)

    def answers_of(self, service: int, totals: FloatArray) -> FloatArray:
        """Return the probability of one service's answer to each row, 0 for none, (n,)."""
        is_own: BoolArray = self.service == service
        found = np.zeros(self.n_rows)
        found[self.row[is_own]] = self._posterior(totals)[self.alternative[is_own]]
        return found


def _options(answer: IntArray) -> float:
    """Return how many answers there seem to be: the perplexity of all answers, at least two."""
    share = np.bincount(answer) / max(answer.size, 1)
    share = share[share > 0.0]
    return max(float(np.exp(-(share * np.log(share)).sum())), 2.0)
