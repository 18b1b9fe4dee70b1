"""The joint posterior of arms that a surface answers by: shared factors and what is left over.

A fitted surface and one read from a file hold the same numbers, so both give the same answers.

Notation: A listed arms, r factors. The accuracy of arm a moves with its own standard normal x_a by
t_1 x + t_2 He_2(x) / sqrt(2!) + t_3 He_3(x) / sqrt(3!), plus an independent part of variance t_0.
x_a t_1 is F_a z, with z the r factors, plus what no factor explains. An average is then a weighted
sum as in ``numerics.intervals.weighted_sum``, at a cost of A r.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.numerics.intervals.weighted_sum import Interval, SumParts, sum_interval
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["FactoredArms", "OtherOverall", "interval_by_draws"]

OtherOverall = tuple[float, float, float, float]
"""The mean, the ends of the interval and the standard deviation of an overall accuracy."""

_FEW_ARMS = 16
"""Averages of up to this many arms use draws: a few coins make them lumpy and skewed, which a sum
of many is not."""
_MOST_DRAWN_ARMS = 8192
"""On surfaces of more arms no average uses draws: to draw ten times as many takes half a
minute."""
_LEAST_VARIANCE = 1e-24
"""Smallest variance of an average: a known one has zero, which would make 0 / 0."""


def interval_by_draws(
    draws: npt.NDArray[np.float32],
    weight: FloatArray,
    mean: float,
    level: float,
    away: FloatArray | None = None,
    variance: float = 0.0,
) -> Interval:
    """Return the interval of an average with weights (A,) by draws (S, A), moved to its mean.

    ``away`` (S,) is what a doubt moved the draws by. It is taken back, and the interval is
    stretched by the whole ``variance`` of the doubt instead, which knows sizes too.
    """
    at = np.flatnonzero(weight)
    drawn = draws[:, at].astype(np.float64) @ weight[at]
    if away is not None:
        drawn -= away
    drawn += mean - drawn.mean()
    tail = (1.0 - level) / 2.0
    lower, upper = np.quantile(drawn, [tail, 1.0 - tail])
    sd = float(drawn.std())
    if not variance > 0.0:
        return float(lower), float(upper), sd
    wider = float(np.sqrt(sd**2 + variance))
    stretch = wider / max(sd, np.sqrt(_LEAST_VARIANCE))
    return mean - stretch * (mean - float(lower)), mean + stretch * (float(upper) - mean), wider


@dataclass(frozen=True, eq=False)
class FactoredArms:
    """The joint posterior of arms by factors.

    Parameters
    ----------
    mean
        Posterior mean of each arm, (A,).
    F
        Factors, (A, r), of the precision of a file: 16 bits. Each is off by one part in two
        thousand, which sums do not show.
    terms
        t_0 to t_3 of each arm, (A, 4), of 32 bits.
    draws
        Joint draws, (S, A), for averages of few arms, or a function that makes them.
    support
        Pool rows of each arm, (A,), which only the doubt asks for.
    doubt
        What other calibrations of guessed attributes would say; the draws follow its shifts, the
        factors do not.
    sharing
        Positions of the arms that share a factor, if they are known and ``F`` is rounded.
    """

    mean: FloatArray
    F: npt.NDArray[np.float32]
    terms: FloatArray
    draws: npt.NDArray[np.float32] | Callable[[], npt.NDArray[np.float32]]
    support: FloatArray | None = None
    doubt: Doubt | None = None
    sharing: IntArray | None = None

    def __post_init__(self) -> None:
        # What a file would round is rounded at once, so that saving changes no answer.
        if self.sharing is None:
            at = np.flatnonzero(self.F.any(axis=1))
            object.__setattr__(self, "F", _rounded(self.F[at], at, self.mean.size))
            object.__setattr__(self, "sharing", at)
        object.__setattr__(self, "terms", self.terms.astype(np.float32).astype(np.float64))

    @classmethod
    def of_pool(
        cls,
        mean: FloatArray,
        F: npt.NDArray[np.float32],
        in_pool: IntArray,
        terms: FloatArray,
        draws: npt.NDArray[np.float32] | Callable[[], npt.NDArray[np.float32]],
        support: FloatArray | None = None,
        doubt: Doubt | None = None,
    ) -> FactoredArms:
        """Return the posterior where only the arms of a pool share factors, ``F`` (a, r)."""
        kept = np.flatnonzero(F.any(axis=1))
        at = in_pool[kept]
        rounded = _rounded(F if kept.size == F.shape[0] else F[kept], at, mean.size)
        return cls(mean, rounded, terms, draws, support, doubt, at)

    @cached_property
    def _drawn(self) -> npt.NDArray[np.float32]:
        return self.draws() if callable(self.draws) else self.draws

    @cached_property
    def _shared(self) -> tuple[IntArray, npt.NDArray[np.float32]]:
        """Positions of the arms that share a factor, those of the pool, and their factors."""
        assert self.sharing is not None
        at = self.sharing
        return at, self.F if at.size == self.F.shape[0] else self.F[at]

    def _reached(self, weight: FloatArray) -> FloatArray:
        """Return the covariance of the average with t_1 x of each arm, (A,)."""
        reached = self._unshared * weight
        at, F = self._shared
        if self.F.shape[0] <= _MOST_DRAWN_ARMS:  # as one product, whose rounding files have seen
            return np.asarray(self.F @ (self.F.T @ weight.astype(np.float32)) + reached)
        reached[at] += F @ (F.T @ weight[at].astype(np.float32))
        return reached

    @cached_property
    def _unshared(self) -> FloatArray:
        """Variance of t_1 x that no factor explains, (A,)."""
        shared, (at, F) = np.zeros(self.mean.size), self._shared
        shared[at] = np.einsum("ar,ar->a", F, F, dtype=np.float64)
        return np.asarray(np.maximum(self.terms[:, 1] ** 2 - shared, 0.0))

    def factored(self) -> FactoredArms:
        """Return what a file keeps: this."""
        return self

    def other_overall(self, level: float) -> OtherOverall | None:
        """Return None: only the fit knows; a file keeps what it said."""
        return None

    def intervals(self, weight: FloatArray, level: float) -> list[Interval]:
        """Return the intervals of averages, one for each row of ``weight`` (m, A)."""
        return [self._interval(row, level) for row in weight]

    def _interval(self, weight: FloatArray, level: float) -> Interval:
        mean = float(weight @ self.mean)
        if np.count_nonzero(weight) <= _FEW_ARMS and self._shared[0].size <= _MOST_DRAWN_ARMS:
            away = None if self.doubt is None else self.doubt.drawn_away(weight, len(self._drawn))
            return interval_by_draws(
                self._drawn, weight, mean, level, away, self._doubtful(weight)
            )
        t0, t1, t2, t3 = self.terms.T
        reached = self._reached(weight)
        length = np.sqrt(max(float(weight @ reached), _LEAST_VARIANCE))
        r = np.clip(reached / np.where(t1 > 0.0, t1 * length, np.inf), -1.0, 1.0)
        a = (float(length), float(weight * t2 @ r**2), float(weight * t3 @ r**3))
        own = t0 + t2**2 * (1.0 - r**4) + t3**2 * (1.0 - r**6)
        rest = float(weight**2 @ own) + self._doubtful(weight)
        return sum_interval([SumParts(1.0, mean, a, rest)], level)

    def _doubtful(self, weight: FloatArray) -> float:
        """Return the variance that other calibrations add to an average with weights (A,)."""
        if self.doubt is None or self.support is None:
            return 0.0
        return self.doubt.variance(weight, self.mean, self.support)


def _rounded(F: npt.NDArray[np.float32], at: IntArray, n_arms: int) -> npt.NDArray[np.float32]:
    """Return the factors of arms at some positions in the precision of a file; zero for others."""
    rounded = np.zeros((n_arms, F.shape[1]), np.float32)
    rounded[at] = F.astype(np.float16)
    return rounded
