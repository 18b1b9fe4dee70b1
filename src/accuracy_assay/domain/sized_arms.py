"""Averages over arms whose sizes are estimated too, from joint draws of both.

Notation: S draws, A listed arms. In draw s, arm a has the accuracy R_sa and N_sa pool rows; the
surface's own support is the mean of N. An average gives arm a the weight w_a. Arms with the same
ratio of weight and support are averaged as the pool has them, by N_sa; such groups are then
weighed by the sum of their weights. So the whole pool, and any part of it, is a ratio of sums in
which only the sum of the sizes counts, while a client's own mix keeps its own shares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.averages import JointArms
from accuracy_assay.domain.doubt import Doubt, alike_arms
from accuracy_assay.domain.factored_arms import FactoredArms, OtherOverall
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.intervals.weighted_sum import Interval
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["SizedArms", "reshared"]

_NO_ROWS = 1e-12
"""Size of arms that have no rows in a draw; their accuracies then count equally."""


@dataclass(frozen=True, eq=False)
class SizedArms:
    """The joint posterior of arms and their sizes.

    Parameters
    ----------
    mean, support
        Posterior mean and expected pool rows of each arm, (A,).
    draws, sizes
        Draws of the accuracies and of the pool rows, (S, A).
    observed
        The joint posterior that they come from, None in a file.
    """

    mean: FloatArray
    support: FloatArray
    draws: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.float32]
    observed: JointArms | None = None

    def __post_init__(self) -> None:
        if self.sizes.shape != self.draws.shape:
            raise InputError(
                f"sizes must have the shape of the draws, {self.draws.shape}; got "
                f"{self.sizes.shape}."
            )
        if self.sizes.size and not (self.sizes.min() >= 0.0 and np.isfinite(self.sizes.max())):
            raise InputError(
                f"sizes must be finite and at least 0; got {self.sizes.min():g} to "
                f"{self.sizes.max():g}."
            )

    @property
    def doubt(self) -> Doubt | None:
        """None: the draws of accuracies and sizes hold it."""
        return None

    def intervals(self, weight: FloatArray, level: float) -> list[Interval]:
        """Return the intervals of averages, one per row of ``weight`` (m, A)."""
        return [self._interval(row, level) for row in weight]

    def factored(self) -> FactoredArms | None:
        """Return None: a file keeps the draws."""
        return None

    def other_overall(self, level: float) -> OtherOverall | None:
        """Return the overall accuracy for the other target, as the fit knows it."""
        return None if self.observed is None else self.observed.other_overall(level)

    def drawn(self, weight: FloatArray) -> FloatArray:
        """Return draws of an average with weights (A,), moved to its mean, (S,)."""
        total = np.zeros(self.draws.shape[0])
        for at in alike_arms(weight, self.support):
            size = self.sizes[:, at].astype(np.float64) + _NO_ROWS
            right = (self.draws[:, at] * size).sum(axis=1)
            total += weight[at].sum() * right / size.sum(axis=1)
        return np.asarray(total + (weight @ self.mean - total.mean()))

    def _interval(self, weight: FloatArray, level: float) -> Interval:
        drawn, tail = self.drawn(weight), (1.0 - level) / 2.0
        lower, upper = np.quantile(drawn, [tail, 1.0 - tail])
        return float(lower), float(upper), float(drawn.std())


def reshared(weight: FloatArray, support: FloatArray, other: FloatArray) -> FloatArray:
    """Return weights (A,) given by one surface's sizes as the same question has them by another's.

    Arms that the question takes as the pool has them are shared out by the other sizes.
    """
    if np.array_equal(support, other):
        return weight
    shared = np.zeros_like(weight)
    for at in alike_arms(weight, support):
        size = other[at] + _NO_ROWS
        shared[at] = weight[at].sum() * size / size.sum()
    return shared
