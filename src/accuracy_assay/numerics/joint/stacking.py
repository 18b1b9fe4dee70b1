"""How far to trust each predictor and each joint prior, learned from gold rows.

Notation
--------
m, A       gold rows, arms; K attributes of V_k values, V = sum_k V_k
log_m      K arrays (m, V_k): log M_k of each row (`calibration_loss`)
G_f        (A,) log-ratio of joint prior f to the product of its marginals
fold       (m,) rows of fold j are judged by priors that did not see them

    log P(a|x) = sum_k [t_k log M_k(a_k|x) + b_k(a_k)] + sum_f c_f G_f(a) - log Z

maximises the posterior of the gold rows under weak normal priors: log t_k ~ (0, 1), b ~ (0, 0.3),
c ~ (start, 0.5). Predictors that err together make a prior count less than once or even against
itself; the gold rows know, and no assumption of independent errors is needed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from accuracy_assay.numerics.joint.joint_moments import joint_moments
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Stacked", "loss_and_slope", "stack"]


_BIAS_SD = 0.3
_COEFFICIENT_SD = 0.5
_MAX_ITERATIONS = 100


class Stacked(NamedTuple):
    """Temperatures (K,), biases (K arrays (V_k,)) and coefficients (F,)."""

    temperatures: FloatArray
    biases: list[FloatArray]
    coefficients: FloatArray


def stack(
    log_m: Sequence[FloatArray],
    arm: IntArray,
    fold: IntArray,
    features: FloatArray,
    start: FloatArray,
    is_guessed: BoolArray,
) -> Stacked:
    """Return the most probable temperatures, biases and coefficients.

    Parameters
    ----------
    log_m : K arrays (m, V_k)
        Log-scores of the gold rows.
    arm, fold : (m,)
        Gold arm and fold of each row.
    features : (folds, F, A)
        G_f for the rows of each fold.
    start : (F,)
        Prior mean of the coefficients.
    is_guessed : (K,)
        Attributes without a predictor keep the temperature 1.
    """
    k, f = len(log_m), start.size
    groups = [np.flatnonzero(fold == j) for j in range(features.shape[0])]
    folds = [
        ([scores[rows] for scores in log_m], arm[rows], own)
        for rows, own in zip(groups, features, strict=True)
    ]

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        value, slope = _penalty(parameters, k, start)
        for own_m, own_arm, own_features in folds:
            more, steeper = loss_and_slope(parameters, own_m, own_arm, own_features)
            value, slope = value + more, slope + steeper
        slope[:k][~is_guessed] = 0.0
        return value, slope

    first = np.zeros(k + f + sum(scores.shape[1] for scores in log_m))
    first[k : k + f] = start
    options = {"maxiter": _MAX_ITERATIONS}
    best = minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x
    return Stacked(np.exp(best[:k]), _biases(best[k + f :], log_m), best[k : k + f])


def loss_and_slope(
    parameters: FloatArray, log_m: Sequence[FloatArray], arm: IntArray, features: FloatArray
) -> tuple[float, FloatArray]:
    """Return minus the log-likelihood of gold arms and its gradient.

    Parameters
    ----------
    parameters : (K + F + V,)
        log t, c and b, one after another.
    log_m, arm, features
        Rows of one fold, their gold arms, and G_f (F, A) for them.
    """
    k, f = len(log_m), features.shape[0]
    t, c = np.exp(parameters[:k]), parameters[k : k + f]
    biases = _biases(parameters[k + f :], log_m)
    scores = [t[i] * log_m[i] + biases[i] for i in range(k)]
    tops = [table.max(axis=1, keepdims=True) for table in scores]
    N = c @ features
    factors = [np.exp(table - top) for table, top in zip(scores, tops, strict=True)]
    found = joint_moments(factors, N)
    codes = np.unravel_index(arm, [table.shape[1] for table in log_m])
    value = float(found.log_z.sum() - N[arm].sum())
    to_t, to_b = np.empty(k), []
    for i, code in enumerate(codes):
        value += float((tops[i][:, 0] - scores[i][np.arange(arm.size), code]).sum())
        excess = found.values[i].copy()
        excess[np.arange(arm.size), code] -= 1.0
        to_t[i] = t[i] * (excess * log_m[i]).sum()
        to_b.append(excess.sum(axis=0))
    to_c = features @ (found.arms - np.bincount(arm, minlength=N.size))
    return value, np.concatenate([to_t, to_c, *to_b])


def _penalty(parameters: FloatArray, k: int, start: FloatArray) -> tuple[float, FloatArray]:
    """Return minus the log-density of the normal priors and its gradient."""
    mean, sd = np.zeros_like(parameters), np.full_like(parameters, _BIAS_SD)
    mean[k : k + start.size] = start
    sd[:k], sd[k : k + start.size] = 1.0, _COEFFICIENT_SD
    slope = (parameters - mean) / sd**2
    return float(0.5 * slope @ (parameters - mean)), slope


def _biases(flat: FloatArray, log_m: Sequence[FloatArray]) -> list[FloatArray]:
    return np.split(flat, np.cumsum([table.shape[1] for table in log_m])[:-1])
