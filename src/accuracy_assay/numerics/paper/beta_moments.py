"""Mean and variance of an arm's accuracy under q, equations (our:est) and (mean_variance).

V[rho] is the total variance: the Beta's variance at given parameters, averaged, plus the variance
of its mean. With mean phi(f) and scale psi(g), f and g independent at an arm,
::

    E[rho] = E[phi],  V[rho] = E[phi (1 - phi)] E[1 / (1 + psi)] + Var[phi]
"""

from typing import TypeAlias

import numpy as np

from accuracy_assay.numerics.quadrature import NODES_OF_MOMENTS, logistic_moments, normal_rule
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["alpha_beta_moments", "bernoulli_moments", "mean_scale_moments", "softplus"]

MeanAndVariance: TypeAlias = tuple[FloatArray, FloatArray]

# A softplus that underflows would make a Beta parameter zero. This is the smallest round number
# whose logarithm and inverse are finite.
_LEAST_SOFTPLUS = 1e-300


def bernoulli_moments(mean: FloatArray, variance: FloatArray) -> MeanAndVariance:
    """Return E and V of rho = sigmoid(f), both (A,)."""
    return logistic_moments(mean[0], variance[0])


def mean_scale_moments(mean: FloatArray, variance: FloatArray) -> MeanAndVariance:
    """Return E and V of rho ~ Beta with mean sigmoid(f) and scale softplus(g)."""
    expected, of_phi = bernoulli_moments(mean, variance)
    psi, weights = _softplus_nodes(mean[1], variance[1])
    coin = expected * (1.0 - expected) - of_phi
    return expected, of_phi + coin * ((1.0 / (1.0 + psi)) @ weights)


def alpha_beta_moments(mean: FloatArray, variance: FloatArray) -> MeanAndVariance:
    """Return E and V of rho ~ Beta(softplus(f), softplus(g))."""
    alpha, weights = _softplus_nodes(mean[0], variance[0])
    beta, _ = _softplus_nodes(mean[1], variance[1])
    a, total = alpha[:, :, None], alpha[:, :, None] + beta[:, None, :]
    expected = (a / total) @ weights @ weights
    square = (a * (a + 1.0) / (total * (total + 1.0))) @ weights @ weights
    return expected, np.maximum(square - expected**2, 0.0)


def softplus(x: FloatArray) -> FloatArray:
    """Return log(1 + exp(x)), never zero."""
    return np.maximum(np.logaddexp(0.0, x), _LEAST_SOFTPLUS)


def _softplus_nodes(mean: FloatArray, variance: FloatArray) -> MeanAndVariance:
    """Return the softplus at the quadrature nodes (A, Q) and the weights (Q,)."""
    nodes, weights = normal_rule(NODES_OF_MOMENTS)
    return softplus(mean[:, None] + np.sqrt(variance)[:, None] * nodes), weights
