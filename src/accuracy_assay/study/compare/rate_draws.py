"""Joint draws of the rates behind a surface, cell by cell.

Notation: T cells of a support, S draws. If the estimator left the joint posterior of the cells
(``domain.posterior``), each rate has a normal logit with its own mean and variance, and the logits
have the correlations of the rates. Else a cell has the rate of its arm.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.intervals.logit_normal import match_moments
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["draw_arms", "draw_cells"]

_DRAWS = 512
"""As many as a surface has."""
_LEAST_VARIANCE = 1e-18
"""Smallest variance of a rate: a known one has zero, which would make 0 / 0."""
_JITTER = 1e-9
"""Share of a variance added before a root is taken: rounding may push a correlation of one above
one."""


def draw_cells(
    surface: AccuracySurface, support: Support, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the mean rate of each cell of ``support``, (T,), and joint draws of them, (S, T).

    The surface must be of rates, with ``target`` the population.
    """
    if isinstance(surface.memory, HasPosterior):
        posterior = surface.memory.posterior
        if np.array_equal(posterior.support.cells, support.cells):
            return posterior.rate, _draw_posterior(posterior, rng)
    at = np.searchsorted(surface.arms, support.cells // support.n_strata)
    return surface.mean[at], draw_arms(surface, rng)[:, at]


def draw_arms(surface: AccuracySurface, rng: np.random.Generator) -> FloatArray:
    """Return joint draws of the listed arms whose means are the surface's, (S, A)."""
    if surface.draws is None:
        m, s = match_moments(surface.mean, surface.sd**2)
        drawn = expit(m + s * rng.standard_normal((_DRAWS, m.size)))
    else:
        made = surface.joint_draws
        assert made is not None
        drawn = rng.permutation(made.astype(np.float64))
    return _centred(drawn, surface.mean)


def _draw_posterior(posterior: CellPosterior, rng: np.random.Generator) -> FloatArray:
    every = np.arange(posterior.rate.size)
    covariance = posterior.covariance(every, every)
    deviation = np.sqrt(np.maximum(np.diag(covariance), _LEAST_VARIANCE))
    correlation = covariance / deviation[:, None] / deviation
    z = rng.standard_normal((_DRAWS, every.size)) @ _root(correlation).T
    m, s = match_moments(posterior.rate, posterior.variance)
    drawn = expit(m + s * z)
    return _centred(drawn, posterior.rate)


def _centred(draws: FloatArray, mean: FloatArray) -> FloatArray:
    """Return draws shifted to the known means."""
    return np.asarray(np.clip(draws + (mean - draws.mean(axis=0)), 0.0, 1.0))


def _root(correlation: FloatArray) -> FloatArray:
    """Return a root of a correlation matrix, as nearly as possible."""
    try:
        return np.asarray(np.linalg.cholesky(correlation + _JITTER * np.eye(len(correlation))))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(correlation)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
