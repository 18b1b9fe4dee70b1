"""How far to trust each predictor and each joint prior, learned from gold rows.

::

    log P(a|x) = sum_k [s_k log M_k(a_k|x) + b_k(a_k)] + sum_j c_j G_j(a) - log Z

maximises the posterior of the gold rows under weak normal priors. If predictors err together, a
joint prior counts less than once, or even negatively. The gold rows show how much, so errors need
not be independent.

Special to this module: fold (m,) int; the rows of a fold are judged by priors that did not see
them. parameters (K + J + V,) are log s, c and b, one after another.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from accuracy_assay.numerics.joint.arm_distribution import joint_moments
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Stacked", "loss_and_slope", "stack"]


# Standard deviations of the normal priors, chosen by hand and weak against some hundred rows:
# log s around 0 (a factor of e either way, as in `sharpness`); the coefficients around their
# start, with both "not at all" and "fully" within two; the biases around 0, a third in the odds.
_LOG_SHARPNESS_SD = 1.0
_COEFFICIENT_SD = 0.5
_BIAS_SD = 0.3
# Most L-BFGS iterations; a smooth problem of a few dozen parameters ends well before.
_MAX_ITERATIONS = 100
# The same from a fit to nearly the same rows. Chosen by hand: more moved no sharpness by 1%.
_FEW_ITERATIONS = 12


class Stacked(NamedTuple):
    """Sharpness (K,), biases (K arrays (V_k,)) and coefficients (J,)."""

    sharpness: FloatArray
    biases: list[FloatArray]
    coefficients: FloatArray


def stack(
    log_m: Sequence[FloatArray],
    arm: IntArray,
    fold: IntArray,
    features: FloatArray,
    start: FloatArray,
    is_guessed: BoolArray,
    weight: FloatArray | None = None,
    near: Stacked | None = None,
) -> Stacked:
    """Return the most probable sharpness, biases and coefficients.

    Parameters
    ----------
    log_m : K arrays (m, V_k)
        Log-scores of the gold rows.
    arm, fold : (m,)
        Gold arm and fold of each row.
    features : (folds, J, A)
        G_j for the rows of each fold.
    start : (J,)
        Prior mean of the coefficients.
    is_guessed : (K,)
        Attributes without a predictor keep a sharpness of 1.
    weight : (m,), optional
        How much each gold row counts, by default once.
    near
        A fit to start from, which a few steps then move.
    """
    n_attributes, n_priors = len(log_m), start.size
    after = n_attributes + n_priors
    groups = [np.flatnonzero(fold == i) for i in range(features.shape[0])]
    folds = [
        (
            [scores[rows] for scores in log_m],
            arm[rows],
            G,
            None if weight is None else weight[rows],
        )
        for rows, G in zip(groups, features, strict=True)
    ]

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        value, slope = _penalty(parameters, n_attributes, start)
        for rows_of_fold in folds:
            more, steeper = loss_and_slope(parameters, *rows_of_fold)
            value, slope = value + more, slope + steeper
        slope[:n_attributes][~is_guessed] = 0.0
        return value, slope

    first = np.zeros(after + sum(scores.shape[1] for scores in log_m))
    first[n_attributes:after] = start
    if near is not None:
        first = np.concatenate([np.log(near.sharpness), near.coefficients, *near.biases])
    options = {"maxiter": _MAX_ITERATIONS if near is None else _FEW_ITERATIONS}
    best = minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x
    return Stacked(
        np.exp(best[:n_attributes]), _biases(best[after:], log_m), best[n_attributes:after]
    )


def loss_and_slope(
    parameters: FloatArray,
    log_m: Sequence[FloatArray],
    arm: IntArray,
    features: FloatArray,
    weight: FloatArray | None = None,
) -> tuple[float, FloatArray]:
    """Return minus the log-likelihood of gold arms and its gradient.

    Parameters
    ----------
    parameters : (K + J + V,)
        log s, c and b, one after another.
    log_m, arm, features
        Rows of one fold, their gold arms, and G_j (J, A) for them.
    weight : (m,), optional
        How much each row counts, by default once.
    """
    n_attributes = len(log_m)
    after = n_attributes + features.shape[0]
    s, c = np.exp(parameters[:n_attributes]), parameters[n_attributes:after]
    biases = _biases(parameters[after:], log_m)
    scores = [s[k] * log_m[k] + biases[k] for k in range(n_attributes)]
    tops = [table.max(axis=1, keepdims=True) for table in scores]
    N = c @ features
    factors = [np.exp(table - top) for table, top in zip(scores, tops, strict=True)]
    found = joint_moments(factors, N, weight)
    counts = 1.0 if weight is None else weight
    codes = np.unravel_index(arm, [table.shape[1] for table in log_m])
    value = float((counts * found.log_z).sum() - (counts * N[arm]).sum())
    to_s, to_b = np.empty(n_attributes), []
    for k, code in enumerate(codes):
        value += float((counts * (tops[k][:, 0] - scores[k][np.arange(arm.size), code])).sum())
        excess = found.values[k].copy()
        excess[np.arange(arm.size), code] -= 1.0
        excess *= counts if weight is None else weight[:, None]
        to_s[k] = s[k] * (excess * log_m[k]).sum()
        to_b.append(excess.sum(axis=0))
    to_c = features @ (found.arms - np.bincount(arm, weight, minlength=N.size))
    return value, np.concatenate([to_s, to_c, *to_b])


def _penalty(
    parameters: FloatArray, n_attributes: int, start: FloatArray
) -> tuple[float, FloatArray]:
    """Return minus the log-density of the normal priors and its gradient."""
    is_coefficient = slice(n_attributes, n_attributes + start.size)
    mean, sd = np.zeros_like(parameters), np.full_like(parameters, _BIAS_SD)
    mean[is_coefficient] = start
    sd[:n_attributes], sd[is_coefficient] = _LOG_SHARPNESS_SD, _COEFFICIENT_SD
    slope = (parameters - mean) / sd**2
    return float(0.5 * slope @ (parameters - mean)), slope


def _biases(flat: FloatArray, log_m: Sequence[FloatArray]) -> list[FloatArray]:
    return np.split(flat, np.cumsum([table.shape[1] for table in log_m])[:-1])
