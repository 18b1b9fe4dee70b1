"""How much more accurate one service is than another: per arm, and for an average of arms.

Notation: A listed arms. A difference is the first service's accuracy minus the second's, in
[-1, 1]. ``probability`` is that of the first being better; a tie counts half.

There are two kinds. `IndependentDifferences` compares two surfaces as if they had separate labels:
a normal variable with mean m - m' and variance s^2 + s'^2. `PairedDifferences` holds joint draws
from rows that both services answered (`study.compare.paired_fit`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.intervals.lattice import interval_of_draws
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.number_text import points_text

__all__ = ["Difference", "Differences", "IndependentDifferences", "PairedDifferences"]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more accurate one service is than another for what was asked.

    Parameters
    ----------
    mean, sd, lower, upper
        The difference of their accuracies with its central interval.
    level
        Probability of the interval.
    probability
        Probability that the first service is better.
    """

    mean: float
    sd: float
    lower: float
    upper: float
    level: float
    probability: float

    def __str__(self) -> str:
        ends = (self.mean, self.lower, self.upper)
        mean, lower, upper = (points_text(value, is_signed=True) for value in ends)
        return (
            f"{mean} points ({self.level:.0%} interval {lower} to {upper}; better with a "
            f"probability of {self.probability:.0%})"
        )


class Differences(Protocol):
    """Differences of all listed arms; every array has shape (A,)."""

    @property
    def level(self) -> float:
        """Probability of the intervals."""
        ...

    @property
    def mean(self) -> FloatArray:
        """Expected differences."""
        ...

    @property
    def sd(self) -> FloatArray:
        """Standard deviations."""
        ...

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends."""
        ...

    @property
    def probability(self) -> FloatArray:
        """Probability that the first service is better."""
        ...

    def at_most(self, bound: float) -> FloatArray:
        """Return the probability of a difference of at most ``bound``."""
        ...

    def over(self, weight: FloatArray) -> Difference:
        """Return the difference of an average of the arms with weights that sum to one, (A,)."""
        ...

    def reverse(self) -> Differences:
        """Return the differences of the second service to the first."""
        ...


@dataclass(frozen=True, eq=False)
class IndependentDifferences:
    """Differences of two surfaces over the same arms, as if they had separate labels."""

    first: AccuracySurface
    second: AccuracySurface

    @property
    def level(self) -> float:
        """Probability of the intervals."""
        return self.first.level

    @property
    def mean(self) -> FloatArray:
        """Expected differences, (A,)."""
        return np.asarray(self.first.mean - self.second.mean)

    @property
    def sd(self) -> FloatArray:
        """Standard deviations, (A,)."""
        return np.hypot(self.first.sd, self.second.sd)

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends, (A,) each."""
        reach = _quantile(self.level) * self.sd
        return _within_bounds(self.mean - reach), _within_bounds(self.mean + reach)

    @property
    def probability(self) -> FloatArray:
        """Probability that the first service is better, (A,)."""
        return _above(self.mean, self.sd)

    def at_most(self, bound: float) -> FloatArray:
        """Return the probability of a difference of at most ``bound``, (A,)."""
        below = np.where(self.sd == 0.0, self.mean <= bound, _above(bound - self.mean, self.sd))
        return np.asarray(below, dtype=np.float64)

    def over(self, weight: FloatArray) -> Difference:
        """Return the difference of an average of the arms."""
        a, b = self.first.average(weight), self.second.average(weight)
        mean, sd = a.mean - b.mean, float(np.hypot(a.sd, b.sd))
        reach = _quantile(self.level) * sd
        better = float(_above(np.array([mean]), np.array([sd]))[0])
        return Difference(mean, sd, mean - reach, mean + reach, self.level, better)

    def reverse(self) -> IndependentDifferences:
        """Return the differences of the second service to the first."""
        return IndependentDifferences(self.second, self.first)


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """Differences known by joint draws.

    Parameters
    ----------
    mean
        Expected differences, shape (A,).
    at
        Positions of the arms whose difference is not certain before any label, shape (B,); all
        others have zero.
    draws
        Joint draws of their differences, shape (S, B).
    level
        Probability of the intervals.
    """

    mean: FloatArray
    at: IntArray
    draws: FloatArray
    level: float = 0.9

    @cached_property
    def sd(self) -> FloatArray:
        """Standard deviations, (A,)."""
        return self._spread(self.draws.std(axis=0))

    @cached_property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends, (A,) each; widened on a short lattice to hold the mean."""
        lower, upper = (self._spread(end) for end in interval_of_draws(self.draws, self.level))
        return np.minimum(lower, self.mean), np.maximum(upper, self.mean)

    @cached_property
    def probability(self) -> FloatArray:
        """Probability that the first service is better, (A,)."""
        return self._spread(_share_above_zero(self.draws), elsewhere=0.5)

    def at_most(self, bound: float) -> FloatArray:
        """Return the probability of a difference of at most ``bound``, (A,)."""
        return self._spread((self.draws <= bound).mean(axis=0), elsewhere=float(bound >= 0.0))

    def over(self, weight: FloatArray) -> Difference:
        """Return the difference of an average of the arms."""
        used = np.flatnonzero(weight)
        if used.size == 1:
            return self._of_arm(int(used[0]))
        drawn = self.draws @ weight[self.at]
        mean = float(weight @ self.mean)
        lower, upper = (float(end[0]) for end in interval_of_draws(drawn[:, None], self.level))
        return Difference(
            mean,
            float(drawn.std()),
            min(lower, mean),
            max(upper, mean),
            self.level,
            float(_share_above_zero(drawn)),
        )

    def reverse(self) -> PairedDifferences:
        """Return the differences of the second service to the first."""
        return PairedDifferences(-self.mean, self.at, -self.draws, self.level)

    def _of_arm(self, arm: int) -> Difference:
        lower, upper = (float(end[arm]) for end in self.interval)
        mean, sd, better = (float(x[arm]) for x in (self.mean, self.sd, self.probability))
        return Difference(mean, sd, lower, upper, self.level, better)

    def _spread(self, values: FloatArray, elsewhere: float = 0.0) -> FloatArray:
        every = np.full(self.mean.shape, elsewhere)
        every[self.at] = values + 0.0  # no minus zero
        return every


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + level / 2.0)


def _within_bounds(ends: FloatArray) -> FloatArray:
    return np.clip(ends, -1.0, 1.0)


def _above(mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the probability that normal variables, some of them certain, lie above zero."""
    certain = 0.5 + 0.5 * np.sign(mean)
    return np.where(sd > 0.0, ndtr(mean / np.where(sd > 0.0, sd, 1.0)), certain)


def _share_above_zero(draws: FloatArray) -> FloatArray:
    """Return the share of draws above zero; zeros count half."""
    return np.asarray((0.5 + 0.5 * np.sign(draws)).mean(axis=0))
