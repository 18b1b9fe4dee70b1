"""Draws of the process given the labels, by conditioning draws of the process before them.

Notation: see the sub-package. A draw f of the process before any label, at observed cells and
targets, becomes one of the posterior by the rule of Matheron (Wilson et al., 2020):

    eta - E[eta] = f* - V u,    u = H f + e,    e ~ N(0, I - H K H')

u has the covariance I, since H (K + W^-1) H' = I; e is the noise of the labels. Nothing is of the
size of all pairs of targets: S draws cost S T J.
"""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.linalg import cholesky

from accuracy_assay.numerics.gp.anova import CellArrays, kernel
from accuracy_assay.numerics.gp.evidence_search import FittedGP
from accuracy_assay.numerics.gp.prior_draws import prior_draws
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["posterior_draws"]

_JITTER = 1e-9  # far below the least eigenvalue of I - H K H', the inverse of the largest of B
_kernel = jax.jit(kernel, static_argnames="layout")


def posterior_draws(
    fitted: FittedGP,
    targets: CellArrays,
    V: jax.Array,
    n_targets: int,
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws of eta at targets less their mean, (S, T).

    Parameters
    ----------
    fitted
        The model.
    targets, V, n_targets
        The targets, padded, what `predict` made of them, and how many count.
    """
    theta, layout = fitted.theta, fitted.layout
    observed = np.flatnonzero(np.asarray(fitted.cells.arm) >= 0)
    both: CellArrays = jax.tree.map(
        lambda at, seen: np.concatenate([np.asarray(at)[:n_targets], np.asarray(seen)[observed]]),
        targets,
        fitted.cells,
    )
    drawn = prior_draws(theta, both, layout, n_draws, rng)
    H = np.asarray(fitted.mode.H)
    K = np.asarray(_kernel(jnp.asarray(theta), fitted.cells, fitted.cells, layout))
    noise = np.eye(H.shape[0]) - H @ K @ H.T
    root = cholesky(noise + _JITTER * np.eye(H.shape[0]), lower=True)
    u = drawn[:, n_targets:] @ H[:, observed].T
    u += rng.standard_normal((n_draws, H.shape[0])) @ root.T
    return np.asarray(drawn[:, :n_targets] - u @ np.asarray(V)[:n_targets].T)
