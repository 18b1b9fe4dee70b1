"""The posterior of a fitted model at any cells, and the moments of accuracies that follow.

Notation: T target cells, J observed ones; K* (T, J) the kernel between them. eta at the targets is
normal with mean mu + K* g and covariance K** - V V', V = K* H' (T, J). rho = sigmoid(eta); its
mean and variance are integrals over a normal, done by Gauss-Hermite quadrature.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from accuracy_assay.numerics.anova import Cells, Layout, kernel, kernel_diagonal
from accuracy_assay.numerics.evidence_search import Fitted
from accuracy_assay.numerics.laplace import Mode

__all__ = ["block_covariance", "covariance", "logistic_moments", "predict"]

FloatArray = npt.NDArray[np.float64]

_NODES = 32
_LEAST_VARIANCE = 1e-10


@partial(jax.jit, static_argnames="layout")
def _predict(
    theta: jax.Array, targets: Cells, cells: Cells, mode: Mode, layout: Layout
) -> tuple[jax.Array, jax.Array, jax.Array]:
    cross = kernel(theta, targets, cells, layout)
    V = cross @ mode.H.T
    variance = kernel_diagonal(theta, targets, layout) - jnp.sum(V * V, axis=1)
    return theta[0] + cross @ mode.g, jnp.maximum(variance, _LEAST_VARIANCE), V


def predict(fitted: Fitted, targets: Cells) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return mean and variance of eta at the targets (T,) and V (T, J)."""
    theta = jnp.asarray(fitted.theta)
    mean, variance, V = _predict(theta, targets, fitted.cells, fitted.mode, fitted.layout)
    V.block_until_ready()
    return mean, variance, V


@partial(jax.jit, static_argnames="layout")
def covariance(
    theta: jax.Array, a: Cells, V_a: jax.Array, b: Cells, V_b: jax.Array, layout: Layout
) -> jax.Array:
    """Return the posterior covariance of eta between two sets of targets, (T_a, T_b)."""
    return kernel(theta, a, b, layout) - V_a @ V_b.T


@partial(jax.jit, static_argnames="layout")
def block_covariance(
    theta: jax.Array, targets: Cells, V: jax.Array, index: jax.Array, layout: Layout
) -> jax.Array:
    """Return the posterior covariance of eta within each row of ``index`` (a, m), (a, m, m)."""

    def block(row: jax.Array) -> jax.Array:
        cells = Cells(*(part[row] for part in targets))
        return kernel(theta, cells, cells, layout) - V[row] @ V[row].T

    blocks: jax.Array = jax.lax.map(block, index, batch_size=256)
    return blocks


def logistic_moments(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of sigmoid(eta), eta ~ N(mean, variance), each of shape (T,)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    eta = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    rho = 1.0 / (1.0 + np.exp(-eta))
    first = rho @ weights
    spread = (rho - first[:, None]) ** 2 @ weights
    return first, spread
