"""How narrow intervals will be after further labels, before they are bought.

Notation: T cells of the pool with posterior covariance Sigma and label noise d; G targets, each an
average of arms, which leans on cell c by L (rows of the cell without a label over those of the
arm, times the arm's weight). After n_i labels of each kind i, whose rates are P rho,

    Var = diag(L Sigma L') - diag(B (P Sigma P' + diag(d_i / n_i))^-1 B') + noise,  B = L Sigma P'

whatever the labels say, as far as the posterior is normal; noise is that of the rows left over.
What the labels say moves the rates, and with them the slopes rho (1 - rho) that Sigma and d are
made of. So the same sum is done for several draws of the arms' accuracies: the mean moves towards
each draw, as far as the labels can move it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Lookahead"]

_MOST_CELLS = 8_000
"""A memory bound: the covariance of so many cells takes half a gigabyte."""
_LEAST_NOISE = 1e-9  # of a label: a cell that is surely right leaves none, and 0 would not solve
_LEAST_RATE = 1e-6  # rates stay this far from 0 and 1, where slopes vanish


@dataclass(frozen=True, eq=False)
class Lookahead:
    """A surface, and the labels that would come next.

    Parameters
    ----------
    surface
        The surface as it is.
    aim
        What is to become narrow.
    rows
        The coming labels over cells, in their order.
    """

    surface: AccuracySurface
    aim: Aim
    rows: Affiliation

    def __post_init__(self) -> None:
        n_cells = self.posterior.support.cells.size
        if n_cells > _MOST_CELLS:
            raise InputError(
                f"a plan must be for a pool of at most {_MOST_CELLS:,} cells (arms and strata of "
                f"signals); got {n_cells:,}. Use fewer attributes or no signals."
            )

    @cached_property
    def posterior(self) -> CellPosterior:
        """The joint posterior of the cells; independent arms where the estimator left none."""
        memory = self.surface.memory
        if isinstance(memory, HasPosterior):
            return memory.posterior
        return CellPosterior.of_independent_arms(self.surface)

    @cached_property
    def _arm(self) -> IntArray:
        """Position in the surface of each arm of the pool."""
        return np.searchsorted(self.surface.arms, self.posterior.support.arms).astype(np.int64)

    @cached_property
    def _sigma(self) -> FloatArray:
        every = np.arange(self.posterior.support.cells.size)
        return self.posterior.covariance(every, every)

    @cached_property
    def _targets(self) -> FloatArray:
        """Weights of the pool's arms in each target, (G, A): every arm where one is sought."""
        if self.aim.of == "worst":
            return Aim(self.aim.half_width, "every-arm").weights(self.surface)[:, self._arm]
        return self.aim.weights(self.surface)[:, self._arm]

    def half_width(self, n_labels: int, draw: FloatArray | None = None) -> float:
        """Return the half-width after the first ``n_labels`` of the coming labels.

        ``draw`` (A,) are accuracies that the surface's arms may turn out to have.
        """
        arms = self.surface.mean[self._arm]
        if draw is None:
            later = self._variance(n_labels, None)
        else:
            arms = arms + self._moved(n_labels) * (draw[self._arm] - arms)
            later = self._variance(n_labels, arms)
        moved = self._targets @ arms
        moved = np.clip(moved, _LEAST_RATE, 1.0 - _LEAST_RATE)
        if self.aim.of in ("overall", "slice"):
            reach = NormalDist().inv_cdf(0.5 + self.surface.level / 2.0)
            return float(reach * np.sqrt(later[0]))
        # SciPy takes half a second, which sessions that plan nothing do not pay.
        from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval

        lower, upper = logit_normal_interval(moved, later, self.surface.level)
        half = (upper - lower) / 2.0
        return float(half.max() if self.aim.of == "every-arm" else half[moved.argmin()])

    def _moved(self, n_labels: int) -> FloatArray:
        """Return how much of the way to the truth the labels bring the mean of each arm, (A,).

        The mean's own deviation, seen from now, is as much of the present one as the labels cut.
        """
        now, later = self._variance(0, None), self._variance(n_labels, None)
        share = np.sqrt(np.clip(1.0 - later / np.maximum(now, _LEAST_NOISE**2), 0.0, 1.0))
        is_average = self.aim.of in ("overall", "slice")
        return np.full(self._arm.size, share[0]) if is_average else self._targets.T @ share

    def _variance(self, n_labels: int, draw: FloatArray | None) -> FloatArray:
        """Return the variance of each target after some labels, (G,)."""
        p, support = self.posterior, self.posterior.support
        first = self.rows.take(np.arange(n_labels))
        slope = np.ones(support.cells.size) if draw is None else self._slope(draw)
        coin = np.maximum(p.label_variance - p.variance, 0.0) * slope
        free = p.unlabelled if support.is_pool else support.size
        if support.is_pool and first.is_exact and n_labels:
            at = np.searchsorted(support.cells, first.indices)
            free = np.maximum(free - np.bincount(at, minlength=free.size), 0.0)
        arm, size = support.arm_of_cell, support.arm_size[support.arm_of_cell]
        lean = self._targets[:, arm] * (free / size) * slope
        variance = np.einsum("gc,gc->g", lean @ self._sigma, lean)
        if n_labels:
            variance = variance - self._learned(first, lean, slope, coin)
        noise = self._targets[:, arm] ** 2 @ (free * coin / size**2) * support.is_pool
        return np.asarray(np.maximum(variance, 0.0) + noise)

    def _learned(
        self, first: Affiliation, lean: FloatArray, slope: FloatArray, coin: FloatArray
    ) -> FloatArray:
        """Return what labels cut from the variance of each target, (G,)."""
        from scipy.linalg import solve_triangular

        p, cells = self.posterior, self.posterior.support.cells
        if first.is_exact:
            at, count = np.unique(np.searchsorted(cells, first.indices), return_counts=True)
            S = slope[at][:, None] * self._sigma[np.ix_(at, at)] * slope[at]
            B = (lean @ self._sigma[:, at]) * slope[at]
            noise = coin[at] / count
        else:
            P = np.zeros((first.n_rows, cells.size))
            np.add.at(P, (first.row_index, np.searchsorted(cells, first.indices)), first.weights)
            success = P @ p.rate
            mixed = P @ p.rate**2 - success**2  # which of its cells a row is of is noise as well
            noise = P @ coin + mixed
            P = P * slope
            S, B = P @ self._sigma @ P.T, lean @ self._sigma @ P.T
        S[np.diag_indices_from(S)] += np.maximum(noise, _LEAST_NOISE)
        half = solve_triangular(np.linalg.cholesky(S), B.T, lower=True)
        return np.asarray(np.einsum("ig,ig->g", half, half))

    def _slope(self, draw: FloatArray) -> FloatArray:
        """Return rho (1 - rho) of each cell under a draw of its arm, over what it is now, (T,)."""
        from scipy.special import expit, logit

        def inside(rate: FloatArray) -> FloatArray:
            return np.clip(rate, _LEAST_RATE, 1.0 - _LEAST_RATE)

        arm = self.posterior.support.arm_of_cell
        shift = logit(inside(draw)) - logit(inside(self.surface.mean[self._arm]))
        rate = inside(self.posterior.rate)
        moved = expit(logit(rate) + shift[arm])
        return np.asarray(moved * (1.0 - moved) / (rate * (1.0 - rate)))
