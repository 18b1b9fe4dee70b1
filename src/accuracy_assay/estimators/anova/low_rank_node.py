"""The posterior over the pool's cells if they are too many for an exact one.

Notation: T pool cells, those of the support, in its order. See ``numerics.gp.low_rank``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.low_rank import LowRankPosterior, fit_low_rank
from accuracy_assay.numerics.gp.marginal_likelihood import AnyLabels, FittedGP
from accuracy_assay.numerics.gp.nested_effects import Level
from accuracy_assay.numerics.gp.posterior import logistic_terms, rate_covariance
from accuracy_assay.numerics.gp.prior_factor import PriorFactor, factorise_prior, take_cells
from accuracy_assay.numerics.quadrature import logistic_moments
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["LowRankNode", "fit_low_rank_node"]

_MANY_VALUES = 256
"""An attribute with more values has its own level: its effects would use up the rank, and a level
costs the same whatever their number."""
_NUMBERS_AT_ONCE = 2**24
"""Numbers of rows of R in memory for sums over cells: 128 MB."""


@dataclass(frozen=True, eq=False)
class LowRankNode:
    """The posterior at one theta, and what it says about the pool's cells.

    Parameters
    ----------
    fitted
        The fit that theta was learned from, of a part of the cells.
    pool, n_cells
        The pool's cells as padded arrays; the first ``n_cells`` are real.
    posterior
        The posterior of their logits.
    prior
        The prior that it came from; the posterior overwrote its factor.
    """

    fitted: FittedGP
    pool: CellArrays
    n_cells: int
    posterior: LowRankPosterior
    prior: PriorFactor
    weight: float = 1.0

    @property
    def g(self) -> FloatArray:
        """Slope of the log-likelihood at the observed cells, (J,)."""
        return self.posterior.g

    def moments_at(self, cells: CellArrays, n_cells: int) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of rho at cells of arms outside the pool."""
        cells = take_cells(cells, slice(0, n_cells))
        F, rest = self.prior.at(cells)
        fitted, big = self.fitted, _big_attribute(self.fitted.layout)
        own = np.exp(fitted.theta[fitted.layout.slices["o"]][0]) * np.asarray(cells.own)
        groups = [np.full(n_cells, -1) for _ in self.posterior.levels]  # the arms are all new
        if big is not None:
            level = self.posterior.levels[-1]
            known = np.full(fitted.layout.sizes[big], -1)
            known[np.asarray(self.pool.codes)[: self.n_cells, big]] = level.group
            groups[-1] = known[np.asarray(cells.codes)[:, big]]
            rest = rest + np.where(groups[-1] < 0, level.s[0], 0.0)
        mean, variance = self.posterior.elsewhere(F, rest + own, groups)
        return logistic_moments(mean, variance)

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho at the pool's cells, (T,) each."""
        return logistic_moments(self.posterior.mean, self.posterior.variance)

    @cached_property
    def terms(self) -> FloatArray:
        """`logistic_terms` of the pool's cells, (T, terms + 1)."""
        return logistic_terms(self.posterior.mean, self.posterior.variance)

    @cached_property
    def logit_sd(self) -> FloatArray:
        """Standard deviation of the pool's logits, (T,)."""
        return np.sqrt(self.posterior.variance)

    @property
    def logit_mean(self) -> FloatArray:
        """Mean of the pool's logits, (T,)."""
        return self.posterior.mean

    def logit_covariance(self, at: IntArray) -> FloatArray:
        """Return the posterior covariance of the logits of a few pool cells, (m, m)."""
        return self.posterior.between(at, at)

    def times(self, x: FloatArray) -> FloatArray:
        """Return the posterior covariance of the pool's logits times x, (T, m)."""
        return self.posterior.times(x)

    def among(self, sums: csr_array) -> FloatArray:
        """Return the posterior covariance of sums of the pool's logits, (A, T) in, (A, A) out."""
        return np.asarray(sums @ self.times(sums.T.toarray()))

    def covariance(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the posterior covariance of rho between pool cells, (m, n)."""
        deviation, C = self.logit_sd, self.posterior.between(rows, columns)
        C /= deviation[rows][:, None] * deviation[columns]
        is_same = (rows[:, None] == columns).astype(np.float64)
        return rate_covariance(C, is_same, self.terms[rows], self.terms[columns])

    def draw(self, labels: AnyLabels, count: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of rho at the pool's cells, (S, T); the labels are in the posterior."""
        drawn = self.posterior.draw(count, rng)
        return np.asarray(expit(drawn, out=drawn))

    def mixed_variance(self, index: IntArray, weight: FloatArray) -> FloatArray:
        """Return the variance of the weighted sum of rho over each row of ``index``, (a,)."""
        deviation, terms = self.logit_sd, self.terms
        variance = np.empty(index.shape[0])
        size = index.shape[1] * self.posterior.R.shape[1]
        at_once = max(_NUMBERS_AT_ONCE // size, 1)
        for start in range(0, index.shape[0], at_once):
            part = slice(start, start + at_once)
            at, w = index[part], weight[part]
            C = self.posterior.within(at) / (deviation[at][:, :, None] * deviation[at][:, None])
            is_same = (at[:, :, None] == at[:, None, :]).astype(np.float64)
            block = rate_covariance(C, is_same, terms[at], terms[at])
            variance[part] = np.einsum("ac,acd,ad->a", w, block, w)
        return variance


def fit_low_rank_node(
    fitted: FittedGP,
    pool: CellArrays,
    n_cells: int,
    observed: IntArray,
    y: FloatArray,
    n: FloatArray,
    start: FloatArray,
    *,
    rank: int,
) -> LowRankNode:
    """Return the posterior over the pool at the theta of ``fitted``.

    Parameters
    ----------
    fitted
        The fit of a part of the cells.
    pool, n_cells
        The pool's cells, padded, and how many are real.
    observed, y, n
        Positions of the observed cells in the pool, (J,), their successes and trials.
    start
        A guess of the slope of the log-likelihood there.
    rank
        Columns of the prior's factor.
    """
    theta, layout = fitted.theta, fitted.layout
    cells = take_cells(pool, slice(0, n_cells))
    shared = theta.copy()
    shared[layout.slices["o"]] = -np.inf
    big = _big_attribute(layout)
    if big is not None:
        shared[layout.slices["v"].start + big] = -np.inf
    # Always the same columns: a fit must depend on nothing but its labels.
    prior = factorise_prior(shared, cells, layout, rank, np.random.default_rng(0))
    own = np.exp(theta[layout.slices["o"]][0]) * np.asarray(cells.own)
    levels = []
    arm, of_arm = np.unique(np.asarray(cells.arm), return_inverse=True)
    if arm.size == n_cells:
        prior.rest[:] += own
    else:
        of_group = np.zeros(arm.size)
        of_group[of_arm] = own
        levels.append(Level(of_arm, of_group))
    if big is not None:
        value, of_value = np.unique(np.asarray(cells.codes)[:, big], return_inverse=True)
        effect = np.exp(theta[layout.slices["v"]][big])
        levels.append(Level(of_value, np.full(value.size, effect)))
    posterior = fit_low_rank(prior, levels, observed, y, n, start)
    return LowRankNode(fitted, pool, n_cells, posterior, prior)


def _big_attribute(layout: Layout) -> int | None:
    """Return the attribute with the most values, if very many, and no signal groups."""
    sizes = [0 if layout.ordered[k] else layout.sizes[k] for k in range(layout.n_attributes)]
    most = int(np.argmax(sizes))
    return most if sizes[most] > _MANY_VALUES and layout.n_groups == 1 else None
