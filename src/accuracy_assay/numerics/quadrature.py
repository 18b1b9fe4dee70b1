"""Expectations under one or two independent normal variables, by Gauss-Hermite nodes.

Notation: a rule is (nodes x (Q,), weights (Q,)) for the standard normal, weights sum to one; for
latent values with mean mu (B,) and variance v (B,) the nodes are mu + sqrt(v) x, shape (B, Q).
``place`` and ``expect`` run inside compiled code; the other functions are NumPy.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

if TYPE_CHECKING:
    from jax import Array

__all__ = [
    "NODES_OF_MOMENTS",
    "average_sigmoid",
    "expect",
    "expect_pair",
    "logistic_moments",
    "normal_rule",
    "place",
    "sigmoid_at_nodes",
]

NODES_OF_MOMENTS = 32
"""Nodes for moments of a sigmoid: errors stay below 1e-6 up to a variance of 4 (see the test)."""

_NODES_WITHIN = 24
"""Nodes of an average that is itself integrated: errors stay below 1e-5 up to a variance of 4."""


@cache
def normal_rule(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes (Q,) and weights (Q,), read-only, for the standard normal density.

    Polynomials up to degree ``2 n_nodes - 1`` are integrated exactly.

    Examples
    --------
    >>> x, w = normal_rule(3)
    >>> round(float(w @ x**4), 6)
    3.0
    """
    x, w = np.polynomial.hermite_e.hermegauss(n_nodes)
    w = w / w.sum()
    x.setflags(write=False)
    w.setflags(write=False)
    return x, w


def average_sigmoid(eta: FloatArray, within: float) -> FloatArray:
    """Return E[sigmoid(eta + u)] with u ~ N(0, within), of any shape.

    Examples
    --------
    >>> average_sigmoid(np.array([0.0, 2.0]), 4.0).round(3).tolist()
    [0.5, 0.775]
    """
    nodes, weights = normal_rule(_NODES_WITHIN if within > 0.0 else 1)
    total = np.zeros_like(eta)
    for x, weight in zip(np.sqrt(within) * nodes, weights, strict=True):
        total += weight * (1.0 / (1.0 + np.exp(-(eta + x))))
    return np.asarray(total)


def sigmoid_at_nodes(mean: FloatArray, variance: FloatArray, within: float = 0.0) -> FloatArray:
    """Return sigmoid(mu + sqrt(v) x) at the ``NODES_OF_MOMENTS`` nodes, shape (B, Q).

    With ``within`` it is averaged over a further normal number of that variance.
    """
    nodes, _ = normal_rule(NODES_OF_MOMENTS)
    return average_sigmoid(mean[:, None] + np.sqrt(variance)[:, None] * nodes, within)


def logistic_moments(
    mean: FloatArray, variance: FloatArray, within: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of sigmoid(eta), eta ~ N(mean, variance), each of shape (B,).

    With ``within``, of E[sigmoid(eta + u)], u ~ N(0, within): the average has the same mean as
    sigmoid(eta + u) and less variance.

    Examples
    --------
    >>> first, spread = logistic_moments(np.zeros(1), np.ones(1))
    >>> round(float(first[0]), 6), round(float(spread[0]), 6)
    (0.5, 0.043379)
    """
    _, weights = normal_rule(NODES_OF_MOMENTS)
    rho = sigmoid_at_nodes(mean, variance, within)
    first = rho @ weights
    spread = (rho - first[:, None]) ** 2 @ weights
    return first, spread


def place(mean: Array, variance: Array, n_nodes: int) -> Array:
    """Return the nodes of each normal variable, shape (B, Q)."""
    import jax.numpy as jnp  # here, since surfaces use the moments above without a compiler

    x = jnp.asarray(normal_rule(n_nodes)[0], mean.dtype)
    return mean[..., None] + jnp.sqrt(variance)[..., None] * x


def expect(values: Array) -> Array:
    """Average ``values`` (B, Q) taken at the nodes of one variable; returns (B,)."""
    import jax.numpy as jnp

    return values @ jnp.asarray(normal_rule(values.shape[-1])[1], values.dtype)


def expect_pair(values: Array) -> Array:
    """Average ``values`` (B, Q1, Q2) taken at the nodes of two independent variables."""
    return expect(expect(values))
