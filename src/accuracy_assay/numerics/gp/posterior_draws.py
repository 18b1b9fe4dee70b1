"""Posterior draws of the process: prior draws, conditioned on the labels.

Notation: see the sub-package. Matheron's rule (Wilson et al., 2020) turns a prior draw f at
observed cells and targets into one of the posterior:

    eta - E[eta] = f* - V u,    u = H (f + e),    e ~ N(0, W^-1)

u has covariance I, since H (K + W^-1) H' = I. If labels observe mixtures, W has no inverse, and
H e is drawn as N(0, I - H K H') instead, at the cost of another factorisation. No array has the
size of all pairs of targets: S draws cost S T J.
"""

import jax
import numpy as np
from scipy.linalg import cholesky
from scipy.special import expit

from accuracy_assay.numerics.gp.anova import CellArrays
from accuracy_assay.numerics.gp.kernel_matrix import kernel
from accuracy_assay.numerics.gp.laplace import CellLabels
from accuracy_assay.numerics.gp.marginal_likelihood import AnyLabels, FittedGP
from accuracy_assay.numerics.gp.prior_draws import prior_draws
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import has_accelerator, put
from accuracy_assay.runtime.programs import program

__all__ = ["posterior_draws"]

_JITTER = 1e-9  # far below the least eigenvalue of I - H K H', the inverse of the largest of B
_kernel = program(kernel)


@program
def _times_transposed(left: jax.Array, right: jax.Array) -> jax.Array:
    return left @ right.T


def _onto(rows: jax.Array | FloatArray, columns: jax.Array) -> FloatArray:
    """Return the products of rows with rows of ``columns``, computed where those are."""
    if has_accelerator():
        return np.asarray(_times_transposed(put(rows), columns))
    return np.asarray(np.asarray(rows) @ np.asarray(columns).T)


def posterior_draws(
    fitted: FittedGP,
    labels: AnyLabels,
    targets: CellArrays,
    V: jax.Array,
    n_targets: int,
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws of eta at targets minus their mean, (S, T).

    Parameters
    ----------
    fitted, labels
        The model, and the labels it was fitted to.
    targets, V, n_targets
        The padded targets, V from `predict`, and how many targets are real.
    """
    observed = np.flatnonzero(np.asarray(fitted.cells.arm) >= 0)
    both: CellArrays = jax.tree.map(
        lambda at, seen: np.concatenate([np.asarray(at)[:n_targets], np.asarray(seen)[observed]]),
        targets,
        fitted.cells,
    )
    drawn = prior_draws(fitted.theta, both, fitted.layout, n_draws, rng)
    seen = np.zeros((n_draws, fitted.mode.H.shape[1]))
    seen[:, observed] = drawn[:, n_targets:]
    u = _label_noise(fitted, labels, seen, rng)
    return np.asarray(drawn[:, :n_targets] - _onto(u, V)[:, :n_targets])


def _label_noise(
    fitted: FittedGP, labels: AnyLabels, seen: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return u of draws at the observed cells, (S, J), with the noise of the labels."""
    H = fitted.mode.H
    if isinstance(labels, CellLabels):
        noise = rng.standard_normal(seen.shape)
        chance = expit(np.asarray(fitted.mode.eta))
        information = np.asarray(labels.n) * chance * (1.0 - chance)
        is_seen = information > 0.0
        seen = seen + is_seen * noise / np.sqrt(np.where(is_seen, information, 1.0))
        return _onto(seen, H)
    K = _kernel(fitted.tables, fitted.cells, fitted.cells)
    rest = np.eye(H.shape[0]) - _onto(_onto(H, K), H)
    root = cholesky(rest + _JITTER * np.eye(H.shape[0]), lower=True)
    noise = rng.standard_normal((seen.shape[0], H.shape[0])) @ root.T
    return np.asarray(_onto(seen, H) + noise)
