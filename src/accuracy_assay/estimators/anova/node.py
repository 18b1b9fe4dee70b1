"""The posterior over the pool's cells at one of several weighted values of theta.

Notation: T pool cells, those of the support, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

from accuracy_assay.numerics.gp.anova import CellArrays
from accuracy_assay.numerics.gp.kernel_product import kernel_among, kernel_times
from accuracy_assay.numerics.gp.marginal_likelihood import AnyLabels, FittedGP, respond
from accuracy_assay.numerics.gp.mixture import Mixtures
from accuracy_assay.numerics.gp.posterior import (
    Targets,
    covariance,
    logistic_terms,
    mixed_variance,
    predict,
    predict_far,
)
from accuracy_assay.numerics.gp.posterior_draws import posterior_draws
from accuracy_assay.numerics.gp.prior_factor import take_cells
from accuracy_assay.numerics.gp.slice_effects import with_effects
from accuracy_assay.numerics.quadrature import average_sigmoid, logistic_moments
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.padding import pad_rows, padded_size
from accuracy_assay.runtime.precision import precision

__all__ = ["Node"]

# Sums of up to this many cells are padded in number, to compile for fewer shapes. Chosen by hand:
# 16,000 pairs are few; 128 copies of an arm with thousands of clusters would take minutes.
_FEW_CELLS = 128


@dataclass(frozen=True, eq=False)
class Node:
    """One fit, its weight, and what it says about the pool's cells.

    Parameters
    ----------
    fitted, weight
        theta with the posterior at the observed cells, and its probability among the nodes.
    pool
        The pool's cells as padded arrays, with their loadings on the fit's slice effects; the
        first ``n_cells`` are real.
    is_average
        Whether their rates are averages over all clusters that there may be.
    """

    fitted: FittedGP
    weight: float
    pool: CellArrays
    n_cells: int
    is_average: bool = False

    @property
    def g(self) -> FloatArray:
        """Slope of the log-likelihood at the observed cells, padded, (J,)."""
        return np.asarray(self.fitted.mode.g)

    def moments_at(self, cells: CellArrays, n_cells: int) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of rho at cells of arms outside the pool.

        They are padded arrays with ``n_cells`` real.
        """
        with precision():
            eta, variance = predict_far(self.fitted, with_effects(cells, self.fitted.effects))
        mean, spread = (np.asarray(part)[:n_cells] for part in (eta, variance))
        return logistic_moments(mean, spread, self._between_clusters)

    @property
    def _between_clusters(self) -> float:
        """Variance of the logits between clusters; zero if there are none."""
        return float(np.exp(self.fitted.theta[self.fitted.layout.slices["c"]]).sum())

    @property
    def _within(self) -> float:
        """Variance of the logits over which rates of the pool's cells are averaged."""
        return self._between_clusters if self.is_average else 0.0

    @cached_property
    def _prediction(self) -> tuple[jax.Array, jax.Array, jax.Array]:
        with precision():
            return predict(self.fitted, self.pool)

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho at the pool's cells, (T,) each."""
        eta, variance = (np.asarray(part)[: self.n_cells] for part in self._prediction[:2])
        return logistic_moments(eta, variance, self._within)

    @cached_property
    def _targets(self) -> Targets:
        eta, variance, V = self._prediction
        with precision():
            moments = np.asarray(eta), np.asarray(variance)
            terms = jnp.asarray(logistic_terms(*moments, self._within))
            return Targets(self.pool, V, variance, terms, jnp.arange(eta.size))

    @cached_property
    def terms(self) -> FloatArray:
        """`logistic_terms` of the pool's cells, (T, terms + 1)."""
        return np.asarray(self._targets.terms)[: self.n_cells]

    @cached_property
    def logit_sd(self) -> FloatArray:
        """Standard deviation of the pool's logits, (T,)."""
        variance = np.asarray(self._prediction[1])[: self.n_cells]
        return np.asarray(np.sqrt(variance))

    @cached_property
    def _explained(self) -> FloatArray:
        """V at the pool's cells, on the host, (T, J)."""
        return np.asarray(self._prediction[2])[: self.n_cells]

    @property
    def logit_mean(self) -> FloatArray:
        """Mean of the pool's logits, (T,)."""
        return np.asarray(self._prediction[0])[: self.n_cells]

    def logit_covariance(self, at: IntArray) -> FloatArray:
        """Return the posterior covariance of the logits of a few pool cells, (m, m)."""
        cells = take_cells(self.pool, at)
        prior = kernel_among(self.fitted.theta, cells, self.fitted.layout)
        return np.asarray(prior - self._explained[at] @ self._explained[at].T)

    def times(self, x: FloatArray) -> FloatArray:
        """Return the posterior covariance of the pool's logits times x, (T, m)."""
        cells = take_cells(self.pool, slice(0, self.n_cells))
        prior = kernel_times(self.fitted.theta, cells, self.fitted.layout, x)
        return np.asarray(prior - self._explained @ (self._explained.T @ x))

    def among(self, sums: csr_array) -> FloatArray:
        """Return the posterior covariance of sums of the pool's logits, (A, T) in, (A, A) out."""
        cells = take_cells(self.pool, slice(0, self.n_cells))
        prior = kernel_times(self.fitted.theta, cells, self.fitted.layout, sums.T.toarray())
        explained = sums @ self._explained
        return np.asarray(sums @ prior - explained @ explained.T)

    def respond(self, labels: Mixtures, others: Sequence[Mixtures]) -> FloatArray:
        """Return how far the pool's logits move if labels observe other mixtures, (T, B)."""
        with precision():
            return respond(self.fitted, labels, others, self.pool)[: self.n_cells]

    def covariance(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the posterior covariance of rho between pool cells, (m, n)."""
        with precision():
            at = (put(pad_rows(part, padded_size(part.size))) for part in (rows, columns))
            block = np.asarray(covariance(self.fitted.tables, self._targets, *at))
        return block[: rows.size, : columns.size]

    def draw(self, labels: AnyLabels, count: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of rho at the pool's cells, (S, T), given the labels of the fit."""
        eta, _, V = self._prediction
        with precision():
            away = posterior_draws(self.fitted, labels, self.pool, V, self.n_cells, count, rng)
        return average_sigmoid(np.asarray(eta)[: self.n_cells] + away, self._within)

    def mixed_variance(self, index: IntArray, weight: FloatArray) -> FloatArray:
        """Return the variance of the weighted sum of rho over each row of ``index``, (a,)."""
        n_sums, n_cells = index.shape
        size = padded_size(n_sums) if n_cells <= _FEW_CELLS else n_sums
        with precision():
            padded = (put(pad_rows(part, size)) for part in (index, weight))
            variance = mixed_variance(self.fitted.tables, self._targets, *padded)
            return np.asarray(variance)[:n_sums]
