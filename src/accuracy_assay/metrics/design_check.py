"""The overall accuracy from the way labels were drawn, without any model.

Notation: N rows of the pool with scores y and mean p; K the rows that were taken before draw t and
have a score, R those that were not. Draw t took row i of R, where each row had a known chance,
q of the row that was drawn and at least f of any. For a number c that is fixed before the draw

    Y_t = N c + sum over K of (y - c) + (y_i - c) / q

is N p on average if f > 0 (Des Raj, 1956, with a control variate c), however the chances came
about, and so is any average of them whose weights were fixed before each draw. The variance of Y_t
is at most (R / f) times the mean of (y - c)^2 over R, so the weights are f / R, and

    variance of the mean = (p (1 - p) + mean excess) / (N^2 sum of f / R),

with (c - p)^2 in the excess. The interval holds the p whose distance to the mean is at most z
deviations (Wilson). Draws with f = 0 are left out: what could not be drawn was not sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["DesignCheck", "design_check", "disagreement"]

_FEWEST_RANDOM = 5.0
"""Random labels that the draws must be worth: with fewer, the interval covers most of [0, 1]."""
_PLAIN_LABELS = 10.0
"""Random labels at which c relies as much on the check as on the plain mean of the labels, which
is steadier but biased. Any value gives a valid interval; this one makes it short."""


@dataclass(frozen=True)
class DesignCheck:
    """The overall accuracy by the design alone.

    ``unbiased`` may lie outside [0, 1], which ``mean`` does not; ``worth`` is the number of
    uniformly drawn labels that would say as much.
    """

    unbiased: float
    lower: float
    upper: float
    level: float
    worth: float

    @property
    def mean(self) -> float:
        """The estimate as a share."""
        return min(max(self.unbiased, 0.0), 1.0)


def design_check(
    scores: FloatArray,
    chances: FloatArray,
    least: FloatArray,
    n_pool: int,
    *,
    level: float = 0.9,
    is_pool: bool = True,
) -> DesignCheck | None:
    """Return the overall accuracy by the design, or None if the draws cannot tell.

    Parameters
    ----------
    scores
        Scores of the rows that were taken, in that order, (m,); NaN where no answer came.
    chances, least
        The chance of each when it was taken and the least of any row then, (m,); zero for rows
        that were not drawn by chance.
    n_pool
        Rows of the pool.
    level
        Probability of the interval.
    is_pool
        Whether the accuracy is the pool's own, rather than the rate behind it.

    Examples
    --------
    Every second of 100 uniform draws is right.

    >>> chance = 1.0 / (1000.0 - np.arange(100))
    >>> check = design_check(np.arange(100) % 2.0, chance, chance, 1000)
    >>> print(f"{check.mean:.2f} ({check.lower:.2f} to {check.upper:.2f})")
    0.50 (0.42 to 0.58)
    """
    is_answered = np.isfinite(scores)
    rest = n_pool - np.arange(scores.size, dtype=np.float64)
    weight = np.where(is_answered & (least > 0.0), least / rest, 0.0)
    worth = n_pool**2 * float(weight.sum())
    if worth < _FEWEST_RANDOM:
        return None
    known, n_known, total, weighed = 0.0, 0, 0.0, 0.0
    centre = np.zeros(scores.size)
    for t in np.flatnonzero(is_answered):
        plain = (known + 0.5) / (n_known + 1.0)
        so_far = n_pool**2 * weighed
        own = min(max(total / weighed / n_pool, 0.0), 1.0) if weighed > 0.0 else plain
        c = centre[t] = (_PLAIN_LABELS * plain + so_far * own) / (_PLAIN_LABELS + so_far)
        if weight[t] > 0.0:
            drawn = (scores[t] - c) / chances[t]
            total += weight[t] * (n_pool * c + known - n_known * c + drawn)
            weighed += weight[t]
        known, n_known = known + float(scores[t]), n_known + 1
    mean = total / weighed / n_pool
    excess = float(weight @ (centre - min(max(mean, 0.0), 1.0)) ** 2) / weighed
    share = 1.0 / worth + (0.0 if is_pool else 1.0 / n_pool)
    lower, upper = _score_interval(mean, share, excess / worth, level)
    return DesignCheck(mean, lower, upper, level, worth)


def disagreement(overall: Sequence[float], check: Sequence[float]) -> str | None:
    """Return in words that two intervals share no value, or None if they do.

    Each is a mean with the ends of its interval.

    Examples
    --------
    >>> disagreement((0.9, 0.88, 0.92), (0.8, 0.74, 0.86))  # doctest: +ELLIPSIS
    'the model says 90.0% (88.0% to 92.0%) overall, but from how labels were drawn it is 80.0%...
    >>> disagreement((0.9, 0.88, 0.92), (0.85, 0.8, 0.9)) is None
    True
    """
    if check[2] >= overall[1] and overall[2] >= check[1]:
        return None
    model, design = (f"{m:.1%} ({low:.1%} to {high:.1%})" for m, low, high in (overall, check))
    return (
        f"the model says {model} overall, but from how labels were drawn it is {design}: "
        "find out why before you rely on the model"
    )


def _score_interval(mean: float, share: float, more: float, level: float) -> tuple[float, float]:
    """Return the p with (mean - p)^2 <= z^2 (share p (1 - p) + more), within [0, 1]."""
    z_sq = NormalDist().inv_cdf(0.5 + level / 2.0) ** 2
    a, b = 1.0 + z_sq * share, mean + z_sq * share / 2.0
    reach = sqrt(max(b**2 - a * (mean**2 - z_sq * more), 0.0))
    low, high = (b - reach) / a, (b + reach) / a
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
