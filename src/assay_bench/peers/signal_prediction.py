"""What the free signals say of the score of a row, learned from the labels of other rows.

    f(x) = 1/2 + x' beta,   beta = C X' (y - 1/2),   C = (X' X + diag(p))^-1

x holds a one and, for each signal, one indicator per stratum: with one signal, f is the mean score
of a stratum, drawn towards that of all rows by so many labels as p says. p is the same for every
stratum, the one of least leave-one-out error. Attributes take no part, so that without a signal f
is a constant.

Notation: J observed cells (an arm and a stratum) with n labels of score y each, h = x' C x the
leverage of a label. Left out of its own fit, a label is predicted by

    f_(-i) = y_i - (y_i - f_i) / (1 - h_i) = own y_i + rest,

which is linear in its score. So sums over the labels of a cell need no more than the sums of their
scores and squares, and nothing depends on how labels are split.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from assay_bench.peers.effects import n_signal_strata, one_hot_strata, sum_by_group

__all__ = ["LabelledCells", "LeftOut", "PoolCells", "SignalPrediction"]


# Labels that draw the mean of all rows towards one half: as many as keep it defined.
_LABELS_AT_HALF = 1.0
# Labels that may draw a stratum towards all rows: from hardly any to more than a stratum mostly
# has, in steps of about three.
_LABELS_AT_MEAN = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# Cells with no more labels than this count as unobserved: rounding leaves such traces.
_LEAST_LABELS = 1e-9


@dataclass(frozen=True, eq=False)
class LabelledCells:
    """Observed cells: arm, features x (J, P), labels n, and sums of scores and their squares."""

    arm: IntArray
    x: FloatArray
    n: FloatArray
    score: FloatArray
    square: FloatArray

    @classmethod
    def of(cls, observations: Observations) -> LabelledCells:
        """Return the cells that have labels, over clusters."""
        support, rows = observations.support, observations.affiliation
        cells, inverse = np.unique(rows.indices // support.n_clusters, return_inverse=True)

        def total(values: FloatArray) -> FloatArray:
            return sum_by_group(inverse, rows.weights * values[rows.row_index], cells.size)

        n = total(observations.count)
        seen = n > _LEAST_LABELS
        return cls(
            cells[seen] // n_signal_strata(support),
            _features(support, cells[seen]),
            n[seen],
            total(observations.score)[seen],
            total(observations.score_sq)[seen],
        )

    def take(self, chosen: BoolArray) -> LabelledCells:
        """Return some of the cells."""
        x, n, score, square = (p[chosen] for p in (self.x, self.n, self.score, self.square))
        return LabelledCells(self.arm[chosen], x, n, score, square)


@dataclass(frozen=True, eq=False)
class PoolCells:
    """Cells of the pool: arm, features x (J, P) and number of rows."""

    arm: IntArray
    x: FloatArray
    size: FloatArray

    @classmethod
    def of(cls, support: Support) -> PoolCells:
        """Return the occupied cells."""
        cells = support.cells // support.n_clusters
        return cls(cells // n_signal_strata(support), _features(support, cells), support.size)

    def take(self, chosen: BoolArray) -> PoolCells:
        """Return some of the cells."""
        return PoolCells(self.arm[chosen], self.x[chosen], self.size[chosen])


@dataclass(frozen=True, eq=False)
class SignalPrediction:
    """The fitted prediction: coefficients (P,) and C (P, P)."""

    beta: FloatArray
    C: FloatArray

    @classmethod
    def fit(cls, labels: LabelledCells) -> SignalPrediction:
        """Return the prediction whose labels' worth p has the least leave-one-out error."""
        fits = [cls._at(labels, worth) for worth in _LABELS_AT_MEAN]
        return min(fits, key=lambda fit: LeftOut.of(fit, labels).squared_error)

    @classmethod
    def _at(cls, labels: LabelledCells, worth: float) -> SignalPrediction:
        penalty = np.full(labels.x.shape[1], worth)
        penalty[0] = _LABELS_AT_HALF
        information = (labels.x * labels.n[:, None]).T @ labels.x + np.diag(penalty)
        C = np.asarray(np.linalg.inv(information), dtype=np.float64)
        return cls(C @ (labels.x.T @ (labels.score - 0.5 * labels.n)), C)

    def at(self, x: FloatArray) -> FloatArray:
        """Return f at features ``x`` (m, P)."""
        return np.asarray(0.5 + x @ self.beta)

    def leverage(self, x: FloatArray) -> FloatArray:
        """Return x' C x."""
        return np.asarray(np.einsum("ij,jk,ik->i", x, self.C, x))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Predictions of labels from all others, ``own * y + rest`` in each cell."""

    labels: LabelledCells
    own: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, fit: SignalPrediction, labels: LabelledCells) -> LeftOut:
        """Return what ``fit`` would have said of each label without it."""
        # A fraction of a label, where attributes are guessed, has no more than that to leave out.
        h = fit.leverage(labels.x) * np.minimum(labels.n, 1.0)
        return cls(labels, -h / (1.0 - h), fit.at(labels.x) / (1.0 - h))

    @cached_property
    def total(self) -> FloatArray:
        """Sum of the predictions in each cell."""
        return self.own * self.labels.score + self.rest * self.labels.n

    @cached_property
    def product(self) -> FloatArray:
        """Sum of score times prediction in each cell."""
        return self.own * self.labels.square + self.rest * self.labels.score

    @cached_property
    def square(self) -> FloatArray:
        """Sum of the squared predictions in each cell."""
        return self.own * self.product + self.rest * self.total

    @property
    def squared_error(self) -> float:
        """Sum over labels of (y_i - f_(-i))^2."""
        return float((self.labels.square - 2.0 * self.product + self.square).sum())


def _features(support: Support, cells: IntArray) -> FloatArray:
    return np.hstack([np.ones((cells.size, 1)), one_hot_strata(support, cells)])
