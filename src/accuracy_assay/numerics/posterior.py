"""The posterior of a fitted model at any cells, and the moments of accuracies that follow.

Notation: T target cells, J observed ones; K* (T, J) the kernel between them. eta at the targets is
normal with mean mu + K* weights and covariance K** - V V', V = K* H' (T, J). rho = sigmoid(eta);
its mean and variance are integrals over a normal, done by Gauss-Hermite quadrature.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from accuracy_assay.numerics.anova import Cells, Layout, kernel, kernel_diagonal
from accuracy_assay.numerics.evidence_search import Fitted

__all__ = ["covariance", "logistic_moments", "mixed_variance", "predict"]

FloatArray = npt.NDArray[np.float64]

_NODES = 32
_LEAST_VARIANCE = 1e-10


@partial(jax.jit, static_argnames="layout")
def _prior(
    theta: jax.Array, targets: Cells, cells: Cells, layout: Layout
) -> tuple[jax.Array, jax.Array]:
    """Return K* and the diagonal of K**."""
    return kernel(theta, targets, cells, layout), kernel_diagonal(theta, targets, layout)


@jax.jit
def _condition(
    mu: jax.Array, cross: jax.Array, prior: jax.Array, H: jax.Array, weights: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    V = cross @ H.T
    variance = prior - jnp.sum(V * V, axis=1)
    return mu + cross @ weights, jnp.maximum(variance, _LEAST_VARIANCE), V


def predict(fitted: Fitted, targets: Cells) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return mean and variance of eta at the targets (T,) and V (T, J)."""
    theta = jnp.asarray(fitted.theta)
    prior = _prior(theta, targets, fitted.cells, fitted.layout)
    mean, variance, V = _condition(theta[0], *prior, fitted.mode.H, fitted.weights)
    V.block_until_ready()
    return mean, variance, V


@partial(jax.jit, static_argnames="layout")
def covariance(
    theta: jax.Array, a: Cells, V_a: jax.Array, b: Cells, V_b: jax.Array, layout: Layout
) -> jax.Array:
    """Return the posterior covariance of eta between two sets of targets, (T_a, T_b)."""
    return kernel(theta, a, b, layout) - V_a @ V_b.T


@partial(jax.jit, static_argnames="layout")
def mixed_variance(
    theta: jax.Array,
    targets: Cells,
    V: jax.Array,
    index: jax.Array,
    weight: jax.Array,
    layout: Layout,
) -> jax.Array:
    """Return the posterior variance of sum_m weight_am eta at target index_am, (a,) of (a, m)."""

    def variance(row: tuple[jax.Array, jax.Array]) -> jax.Array:
        at, w = row
        cells = Cells(*(part[at] for part in targets))
        explained = w @ V[at]
        return w @ kernel(theta, cells, cells, layout) @ w - explained @ explained

    variances: jax.Array = jax.lax.map(variance, (index, weight), batch_size=256)
    return variances


def logistic_moments(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of sigmoid(eta), eta ~ N(mean, variance), each of shape (T,)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    weights = weights / weights.sum()
    eta = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    rho = 1.0 / (1.0 + np.exp(-eta))
    first = rho @ weights
    spread = (rho - first[:, None]) ** 2 @ weights
    return first, spread
