"""What an estimator leaves for a strategy: the joint posterior of the pool's cells.

Notation: T occupied cells of the pool, in the order of the support. Their accuracies rho have
posterior means ``rate`` and covariance Sigma (T, T). One label of a cell has variance
``label_variance``, including the cell's own uncertainty: rate (1 - rate) for a coin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["CellPosterior", "HasPosterior"]


@dataclass(frozen=True)
class CellPosterior:
    """The joint posterior of the pool's cells.

    Parameters
    ----------
    support
        The pool.
    rate, variance, label_variance
        Posterior mean and variance of each cell's accuracy, variance of one label, (T,).
    labelled
        Labels in each cell, (T,); zero if attributes are guessed.
    covariance
        Maps cell positions (m,), (n,) to the block (m, n) of Sigma.
    reach
        Maps weights of sums of rates (m, T) to how far each sum would move if one label of each
        cell scored one higher, (m, T); None if only the covariance tells.
    is_of_order
        Whether ``label_variance`` is what a label says of the order of several services, rather
        than of the accuracy of one.
    """

    support: Support
    rate: FloatArray
    variance: FloatArray
    label_variance: FloatArray
    labelled: FloatArray
    covariance: Callable[[IntArray, IntArray], FloatArray]
    reach: Callable[[FloatArray], FloatArray] | None = None
    is_of_order: bool = False

    @classmethod
    def of_independent_arms(cls, surface: AccuracySurface) -> CellPosterior:
        """Return a surface's arms as independent cells with their means and deviations."""
        at = np.flatnonzero(surface.support > 0.0)
        support = Support(surface.space, None, surface.arms[at], surface.support[at])
        rate, variance = surface.mean[at], surface.sd[at] ** 2
        coin = np.maximum(rate * (1.0 - rate), variance)

        def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
            return np.where(rows[:, None] == columns[None, :], variance[rows][:, None], 0.0)

        labelled = np.minimum(surface.n[at], support.size)
        return cls(support, rate, variance, coin, labelled, covariance)

    def own_cells(self, cells: IntArray, n_strata: int) -> IntArray:
        """Return the cells of this support that cells over ``n_strata`` strata lie in.

        It may know of fewer strata, those that come first: of no signals, or of no clusters.
        """
        return cells // (n_strata // self.support.n_strata)

    @property
    def unlabelled(self) -> FloatArray:
        """Pool rows of each cell that have no label, (T,)."""
        return np.maximum(self.support.size - self.labelled, 0.0)


@runtime_checkable
class HasPosterior(Protocol):
    """The memory of a surface that a strategy can read."""

    @property
    def posterior(self) -> CellPosterior:
        """The joint posterior of the pool's cells."""
        ...
