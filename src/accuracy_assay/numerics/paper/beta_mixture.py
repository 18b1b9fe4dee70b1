"""Quantiles and draws of a Beta whose parameters are uncertain: a mixture of Betas.

The distribution function of rho at an arm is F(r) = E_{x,y}[I_r(alpha(x), beta(y))] with x and y
independent normal variables. The incomplete Beta function is tabulated once on a grid of both
parameters and of r; an arm's normal variables then become weights on the grid (linear hats), so
an arm costs two small matrix products and no special function.

Special to this module: r a value of rho; I_r the regularised incomplete Beta function; Gx, Gy and
Gr grid points of x, of y and of r.

===============  =========================  =========================
parameters       x                          y
===============  =========================  =========================
mean, scale      f, phi = sigmoid(f)        g, psi = softplus(g)
alpha, beta      f, alpha = softplus(f)     g, beta = softplus(g)
===============  =========================  =========================
"""

from functools import cache
from typing import Literal

import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray
from scipy.special import betainc, ndtr

from accuracy_assay.numerics.paper.beta_moments import softplus
from accuracy_assay.numerics.quadrature import normal_rule
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import has_accelerator
from accuracy_assay.runtime.programs import program

__all__ = ["Parameters", "mixture_draws", "mixture_quantiles"]

Parameters = Literal["mean_scale", "alpha_beta"]

# Grids, chosen so that quantiles are within 0.005 of the exact mixture, or 0.01 if the parameters
# are certain (see the tests), and the tables take about 2 and 5 MB. Logits of 9 are rates of 1 in
# 8,000; scales go from exp(-7), a coin that lands on 0 or 1, to exp(8), a density as narrow as
# 3,000 labels make it.
_LOGITS = np.linspace(-9.0, 9.0, 121)
_LOG_SCALES = np.linspace(-7.0, 8.0, 26)
_LOG_PARAMETERS = np.linspace(-7.0, 8.0, 91)  # finer: the mean depends on the ratio of two of them
_RATES = 1.0 / (1.0 + np.exp(-np.linspace(-9.0, 9.0, 151)))
# Arms whose contraction is held at a time. Bounds memory: 1024 x Gy x Gr float32.
_ARMS_AT_ONCE = 1024
# Nodes of g (and of f in alpha and beta) that are spread over the grid of logs. Chosen by hand:
# their hats overlap on the grid for the variances that a fit leaves.
_SOFTPLUS_NODES = 12
# Smallest Beta parameter of a draw: NumPy refuses zero, to which a softplus may underflow, and at
# 1e-6 nearly every draw is 0 or 1 already.
_LEAST_PARAMETER = 1e-6
# Rounding guards: the last cell of the grid includes its right end, and a flat stretch of a
# distribution function does not divide by zero.
_LAST_CELL, _LEAST_RISE = 1e-9, 1e-12


def mixture_quantiles(
    parameters: Parameters, mean: FloatArray, variance: FloatArray, levels: tuple[float, ...]
) -> FloatArray:
    """Return quantiles of rho at each arm, shape (len(levels), A).

    Parameters
    ----------
    parameters
        What the two latent values stand for.
    mean, variance
        Moments of the latent values, (2, A).
    levels
        Probabilities of the quantiles.
    """
    table = _distribution_table(parameters)
    quantiles = np.empty((len(levels), mean.shape[1]))
    for begin in range(0, mean.shape[1], _ARMS_AT_ONCE):
        part = slice(begin, begin + _ARMS_AT_ONCE)
        if parameters == "mean_scale":
            first = _normal_hats(mean[0, part], variance[0, part], _LOGITS)
            second = _softplus_hats(mean[1, part], variance[1, part], _LOG_SCALES)
        else:
            first = _softplus_hats(mean[0, part], variance[0, part], _LOG_PARAMETERS)
            second = _softplus_hats(mean[1, part], variance[1, part], _LOG_PARAMETERS)
        distribution = _contract(table, first, second)
        for row, level in zip(quantiles, levels, strict=True):
            row[part] = _invert(distribution, level)
    return quantiles


def mixture_draws(alpha: FloatArray, beta: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return one draw of Beta(alpha, beta) for each pair of parameters."""
    return np.asarray(
        rng.beta(np.maximum(alpha, _LEAST_PARAMETER), np.maximum(beta, _LEAST_PARAMETER))
    )


@cache
def _distribution_table(parameters: Parameters) -> NDArray[np.float32]:
    """Return I_r of every pair of grid parameters, (Gx, Gy Gr)."""
    if parameters == "mean_scale":
        scale = np.exp(_LOG_SCALES)
        phi = 1.0 / (1.0 + np.exp(-_LOGITS))
        alpha, beta = phi[:, None] * scale, (1.0 - phi)[:, None] * scale
    else:
        value = np.exp(_LOG_PARAMETERS)
        alpha, beta = np.broadcast_arrays(value[:, None], value[None, :])
    table = betainc(alpha[:, :, None], beta[:, :, None], _RATES).astype(np.float32)
    return np.asarray(table.reshape(table.shape[0], -1))


def _contract(
    table: NDArray[np.float32], first: FloatArray, second: FloatArray
) -> NDArray[np.float32]:
    """Return the distribution functions at the grid of r, (A, Gr)."""
    if has_accelerator():
        return np.asarray(
            _contract_on_device(table, first.astype(np.float32), second.astype(np.float32))
        )
    part = (first.astype(np.float32) @ table).reshape(first.shape[0], second.shape[1], -1)
    mixed = second.astype(np.float32)[:, None, :] @ part
    return np.asarray(mixed[:, 0])


@program
def _contract_on_device(table: Array, first: Array, second: Array) -> Array:
    """Return the same from an accelerator: a million arms take a second instead of forty."""
    part = jnp.matmul(first, table, precision="highest")
    part = part.reshape(first.shape[0], second.shape[1], -1)
    return jnp.matmul(second[:, None, :], part, precision="highest")[:, 0]


def _normal_hats(mean: FloatArray, variance: FloatArray, grid: FloatArray) -> FloatArray:
    """Return E[hat_p(x)] for x ~ N(mean, variance), (A, Gx); mass outside goes to the ends.

    The hat's expectation is a second difference of E[max(x - p, 0)].
    """
    sd = np.sqrt(variance)[:, None]
    z = (mean[:, None] - grid) / sd
    above = sd * (z * ndtr(z) + np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
    slope = np.diff(above, axis=1) / np.diff(grid)
    ends = np.ones((mean.size, 1))
    return np.asarray(np.diff(np.concatenate([-ends, slope, 0.0 * ends], axis=1), axis=1))


def _softplus_hats(mean: FloatArray, variance: FloatArray, grid: FloatArray) -> FloatArray:
    """Return weights of log softplus(x), x ~ N(mean, variance), on an even grid of logs."""
    nodes, weights = normal_rule(_SOFTPLUS_NODES)
    x = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    value = np.log(softplus(x))
    step = grid[1] - grid[0]
    place = np.clip((value - grid[0]) / step, 0.0, grid.size - 1.0 - _LAST_CELL)
    left = place.astype(np.int64)
    share = place - left
    hats = np.zeros((mean.size, grid.size))
    row = np.arange(mean.size)[:, None]
    np.add.at(hats, (row, left), weights * (1.0 - share))
    np.add.at(hats, (row, left + 1), weights * share)
    return hats


def _invert(distribution: NDArray[np.float32], level: float) -> FloatArray:
    """Return where each row of ``distribution`` crosses ``level``, linearly interpolated."""
    right = np.clip((distribution < level).sum(axis=1), 0, _RATES.size)
    rates = np.concatenate([[0.0], _RATES, [1.0]])
    rows = np.arange(distribution.shape[0])
    padded = np.pad(distribution, ((0, 0), (1, 1)), constant_values=((0, 0), (0.0, 1.0)))
    low, high = padded[rows, right], padded[rows, right + 1]
    share = np.clip((level - low) / np.maximum(high - low, _LEAST_RISE), 0.0, 1.0)
    return np.asarray(rates[right] + share * (rates[right + 1] - rates[right]))
