"""Services that the same labels scored: how the errors of their surfaces go together.

Notation: k services, n labelled rows, Q questions (averages with weights over A listed arms). The
error of an average has three parts: scores of labelled rows that happened to be higher or lower
than their rates, weighted by the responses h (``study.compare.responses``); coins of rows without
a label; and what no label has told. Two services have a correlation in each:

- Their scores in one row. If answers are known and right or wrong, the answers say it
  (``study.compare.answers``); the residual of the row counts as much as they do. Else it is the
  correlation r of the residuals of all labelled rows, shrunk to zero by two rows that say nothing.
- What no label has told. If answers are known, the same as of their scores. Else the correlation
  of the logits behind the scores, t = (OR^(3/4) - 1) / (OR^(3/4) + 1) with OR the odds ratio of
  both being right (Digby 1983): services that find the same rows hard find the same arms hard.

Nothing is fitted for a pair: the work grows with services, labels and questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.answers import difference_bounds, score_covariance
from accuracy_assay.study.compare.responses import RowResponses

__all__ = ["KnownAnswers", "SharedLabels"]

_NUMBERS_AT_ONCE = 2**22
"""Numbers held at once. Bounds memory: 32 MB, a few times over."""
_MOST_ARM_PAIRS = 2**24
"""Arms times pairs of services whose coins are told apart; above it all arms have the pool's."""
_PRIOR_ROWS = 2.0
"""Rows without correlation that shrink r: two labels say nothing about it."""
_LEAST_VARIANCE = 1e-24
"""Smallest variance that a correlation is of."""


@dataclass(frozen=True, eq=False)
class KnownAnswers:
    """The answers of all services to all rows.

    Parameters
    ----------
    labelled, pool
        Codes of the answers to the labelled rows (n, k) and to the pool's (N, k).
    arm
        Position of the arm of each row of the pool, (N,).
    rate
        How likely each answer of the pool is right, (N, k).
    size
        Pool rows of each listed arm, (A,).
    is_exclusive
        Whether scores are right or wrong, so that of different answers one at most is right.
    is_counted
        Whether accuracies are those of the pool's own rows, each of one known arm.
    """

    labelled: IntArray
    pool: IntArray
    arm: IntArray
    rate: FloatArray
    size: FloatArray
    is_exclusive: bool = True
    is_counted: bool = True


@dataclass(frozen=True, eq=False)
class SharedLabels:
    """What services share.

    Parameters
    ----------
    responses
        What each surface owes to the labelled rows, in the order of the services.
    scores
        The score of each labelled row, (n, k).
    answers
        The services' answers; None if some are unknown.
    """

    responses: tuple[RowResponses, ...]
    scores: FloatArray
    answers: KnownAnswers | None = None

    def correlation(
        self, weight: FloatArray, variance: FloatArray, services: Sequence[int]
    ) -> FloatArray:
        """Return the correlations of services' averages.

        Parameters
        ----------
        weight
            Weights of the averages, (Q, A).
        variance
            Variance of each average of each service, (Q, m).
        services
            Positions of the m services.

        Returns
        -------
        array
            Shape (Q, m, m), with ones on the diagonals.
        """
        at = list(services)
        found = np.empty((weight.shape[0], len(at), len(at)))
        numbers = max(self.scores.shape[0], weight.shape[1]) * len(at)
        at_once = max(_NUMBERS_AT_ONCE // max(numbers, 1), 1)
        for start in range(0, weight.shape[0], at_once):
            part = slice(start, start + at_once)
            found[part] = self._correlation(weight[part], variance[part], at)
        return found

    def bounds(
        self, weight: FloatArray, first: int, second: int
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return the least and the largest difference of two services that rows allow, (Q,) each.

        Rows with equal answers have none, labelled rows the one that was seen, and every other
        row of the pool has one of -1 to 1. None if rows do not bound it.
        """
        known = self.answers
        if known is None or not known.is_counted:
            return None
        at = [first, second]
        share = weight / np.maximum(known.size, 1.0)
        labelled = (self.responses[first].arm, known.labelled[:, at], self.scores[:, at])
        return difference_bounds(share, labelled, (known.arm, known.pool[:, at]))

    def _correlation(self, weight: FloatArray, variance: FloatArray, at: list[int]) -> FloatArray:
        h = np.stack([self.responses[k].to_rows(weight) for k in at], axis=2)
        coin = np.stack([weight**2 @ self.responses[k].coin for k in at], axis=1)
        of_coins = np.clip(coin / np.maximum(variance, _LEAST_VARIANCE), 0.0, 1.0)
        told = np.einsum("qni,ni->qi", h**2, self._noise[:, at])
        rest = np.maximum(variance - coin, _LEAST_VARIANCE)
        if self.answers is not None and self.answers.is_exclusive:
            away = (self.scores - self._rate)[:, at]
            by_row = score_covariance(self._rate[:, at], self.answers.labelled[:, at])
            by_row += away[:, :, None] * away[:, None, :]
            of_labels = _normalised(np.einsum("qni,qnj,nij->qij", h, h, by_row, optimize=True))
            return _mixed([(1.0 - of_coins, of_labels), (of_coins, self._of_coins(weight, at))])
        among = np.ix_(at, at)
        spread = h * np.sqrt(self._noise[:, at])
        aligned = _normalised(np.einsum("qni,qnj->qij", spread, spread, optimize=True))
        of_told = np.clip(told / rest, 0.0, 1.0) * (1.0 - of_coins)
        of_untold = 1.0 - of_coins - of_told
        r, t = self._residual_correlation[among], self._logit_correlation[among]
        return _mixed([(of_told, aligned * r), (of_untold, t), (of_coins, r)])

    @cached_property
    def _noise(self) -> FloatArray:
        """Variance of each score around its rate, (n, k)."""
        return np.stack([each.noise for each in self.responses], axis=1)

    @cached_property
    def _rate(self) -> FloatArray:
        """Rate of each labelled row, (n, k)."""
        return np.stack([each.rate for each in self.responses], axis=1)

    @cached_property
    def _residual_correlation(self) -> FloatArray:
        """Correlations of the scores around their rates over all labelled rows, (k, k)."""
        away = self.scores - self._rate
        n, k = away.shape
        return _shrunk(_normalised((away.T @ away)[None])[0], n / (n + _PRIOR_ROWS), k)

    @cached_property
    def _logit_correlation(self) -> FloatArray:
        """Correlations of the logits behind the scores, (k, k), made to fit together."""
        if not np.isin(self.scores, (0.0, 1.0)).all():
            return self._residual_correlation
        right, wrong = self.scores, 1.0 - self.scores
        both, neither, first = (
            0.5 + a.T @ b for a, b in ((right, right), (wrong, wrong), (right, wrong))
        )
        odds = (both * neither / (first * first.T)) ** 0.75
        found = (odds - 1.0) / (odds + 1.0)
        np.fill_diagonal(found, 1.0)
        values, vectors = np.linalg.eigh(found)
        nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
        return np.asarray(_normalised(nearest[None])[0])

    def _of_coins(self, weight: FloatArray, at: list[int]) -> FloatArray:
        """Return the correlations of the coins of rows without a label, (Q, m, m)."""
        known = self.answers
        assert known is not None
        m, n_arms = len(at), weight.shape[1]
        one = n_arms * m**2 > _MOST_ARM_PAIRS
        rows = self._pool_part(m)
        arm = np.zeros(rows.size, dtype=np.int64) if one else known.arm[rows]
        sums = np.zeros((1 if one else n_arms, m, m))
        for i in range(m):
            for j in range(i, m):
                pair = [at[i], at[j]]
                by_row = score_covariance(known.rate[rows][:, pair], known.pool[rows][:, pair])
                sums[:, i, j] = np.bincount(arm, by_row[:, 0, 1], sums.shape[0])
                sums[:, j, i] = sums[:, i, j]
        if one:
            return np.broadcast_to(_normalised(sums), (weight.shape[0], m, m))
        share = (weight / np.maximum(known.size, 1.0)) ** 2
        return _normalised((share @ sums.reshape(n_arms, m**2)).reshape(-1, m, m))

    def _pool_part(self, m: int) -> IntArray:
        """Return rows of the pool that stand for all: fewer if services are many."""
        assert self.answers is not None
        n_rows = self.answers.pool.shape[0]
        most = max(10 * _NUMBERS_AT_ONCE // m**2, 2000)
        return (
            np.arange(n_rows)
            if n_rows <= most
            else np.linspace(0, n_rows - 1, most).astype(np.int64)
        )


def _normalised(covariance: FloatArray) -> FloatArray:
    """Return covariances (Q, m, m) as correlations; a number without variance has none."""
    deviation = np.sqrt(np.einsum("qii->qi", covariance))
    some = np.where(deviation > 0.0, deviation, 1.0)
    found = covariance / some[:, :, None] / some[:, None, :]
    m = covariance.shape[1]
    found[:, np.arange(m), np.arange(m)] = 1.0
    return np.clip(found, -1.0, 1.0)


def _shrunk(correlation: FloatArray, by: float, k: int) -> FloatArray:
    return by * correlation + (1.0 - by) * np.eye(k)


def _mixed(parts: Sequence[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Return the correlations of sums, given shares of the variance (Q, m) and correlations."""
    total = sum(np.sqrt(s[:, :, None] * s[:, None, :]) * r for s, r in parts)
    return _normalised(np.asarray(total))
