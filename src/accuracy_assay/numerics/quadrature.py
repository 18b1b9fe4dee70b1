"""Expectations under one or two independent normal variables, by Gauss-Hermite nodes.

Notation: a rule is (nodes (Q,), weights (Q,)) for the standard normal, weights sum to one; for
latent values with mean mu (B,) and variance v (B,) the nodes are mu + sqrt(v) x, shape (B, Q).
"""

from functools import cache

import jax.numpy as jnp
import numpy as np
from jax import Array

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["expect", "expect_pair", "normal_rule", "place"]


@cache
def normal_rule(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights that integrate against the standard normal density.

    Parameters
    ----------
    n_nodes
        Number of nodes; polynomials up to degree ``2 n_nodes - 1`` are integrated exactly.

    Returns
    -------
    tuple of ndarray
        Nodes (Q,) and weights (Q,), both read-only; the weights sum to one.

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


def place(mean: Array, variance: Array, n_nodes: int) -> Array:
    """Return the nodes of each normal variable, shape (B, Q)."""
    x = jnp.asarray(normal_rule(n_nodes)[0], mean.dtype)
    return mean[..., None] + jnp.sqrt(variance)[..., None] * x


def expect(values: Array) -> Array:
    """Average ``values`` (B, Q) taken at the nodes of one variable; returns (B,)."""
    return values @ jnp.asarray(normal_rule(values.shape[-1])[1], values.dtype)


def expect_pair(values: Array) -> Array:
    """Average ``values`` (B, Q1, Q2) taken at the nodes of two independent variables."""
    return expect(expect(values))
