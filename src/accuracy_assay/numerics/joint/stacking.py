"""How far to trust each predictor and each joint prior, learned from gold rows.

::

    log P(a|x) = sum_k [s_k log M_k(a_k|x) + b_k(a_k)] + sum_j c_j G_j(a) - log Z

maximises the posterior of the gold rows under weak normal priors. If predictors err together, a
joint prior counts less than once, or even negatively. The gold rows show how much, so errors need
not be independent. Where other predictors are heard, their `crosstalk` is learned with the rest.

Special to this module: fold (m,) int; the rows of a fold are judged by priors that did not see
them. parameters (K + J + V,) are log s, c and b, one after another, then C (V V,) if heard.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from accuracy_assay.numerics.joint.arm_distribution import joint_moments, log_partition
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Heard", "Stacked", "loss_and_slope", "row_losses", "stack"]


# Standard deviations of the normal priors, chosen by hand and weak against some hundred rows:
# log s around 0 (a factor of e either way, as in `sharpness`); the coefficients around their
# start, with both "not at all" and "fully" within two; the biases around 0, a third in the odds.
_LOG_SHARPNESS_SD = 1.0
_COEFFICIENT_SD = 0.5
_BIAS_SD = 0.3
# Of what one value's score, at its usual size, adds to the log-score of a value of another
# attribute. Of 0.025, 0.05, 0.1 and 0.2, with 500 gold rows of celeb_faces, it has the smallest
# loss of 10,000 other rows on each of three draws.
_CROSSTALK_SD = 0.1
# Most L-BFGS iterations; a smooth problem of a few dozen parameters ends well before.
_MAX_ITERATIONS = 100
# The same from a fit to nearly the same rows. Chosen by hand: more moved no sharpness by 1%.
_FEW_ITERATIONS = 12


class Stacked(NamedTuple):
    """Sharpness (K,), biases (K arrays (V_k,)), coefficients (J,), and C (V, V) if heard."""

    sharpness: FloatArray
    biases: list[FloatArray]
    coefficients: FloatArray
    crosstalk: FloatArray | None = None


class Heard(NamedTuple):
    """Scores of all predictors for each row, h (m, V), and which entries of C are free (V, V)."""

    scores: FloatArray
    is_free: BoolArray

    def take(self, rows: IntArray) -> "Heard":
        """Return some rows."""
        return Heard(self.scores[rows], self.is_free)


def stack(
    log_m: Sequence[FloatArray],
    arm: IntArray,
    fold: IntArray,
    features: FloatArray,
    start: FloatArray,
    is_guessed: BoolArray,
    weight: FloatArray | None = None,
    near: Stacked | None = None,
    heard: Heard | None = None,
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
    heard
        What other predictors say, if that is to count.
    """
    n_attributes, n_priors = len(log_m), start.size
    after = n_attributes + n_priors
    n_values = sum(scores.shape[1] for scores in log_m)
    end = after + n_values
    groups = [np.flatnonzero(fold == i) for i in range(features.shape[0])]
    folds = [
        (
            [scores[rows] for scores in log_m],
            arm[rows],
            G,
            None if weight is None else weight[rows],
            None if heard is None else heard.take(rows),
        )
        for rows, G in zip(groups, features, strict=True)
    ]

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        value, slope = _penalty(parameters, n_attributes, start, end)
        for rows_of_fold in folds:
            more, steeper = loss_and_slope(parameters, *rows_of_fold)
            value, slope = value + more, slope + steeper
        slope[:n_attributes][~is_guessed] = 0.0
        return value, slope

    first = np.zeros(end + (0 if heard is None else n_values**2))
    first[n_attributes:after] = start
    is_few = near is not None and (heard is None or near.crosstalk is not None)
    if near is not None:
        known = _parameters_of(near)[: first.size]
        first[: known.size] = known
    options = {"maxiter": _FEW_ITERATIONS if is_few else _MAX_ITERATIONS}
    best = minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x
    return Stacked(
        np.exp(best[:n_attributes]),
        _biases(best[after:end], log_m),
        best[n_attributes:after],
        None if heard is None else best[end:].reshape(n_values, n_values),
    )


def _parameters_of(fit: Stacked) -> FloatArray:
    """Return log s, c, b and, if heard, C, one after another."""
    C = np.zeros(0) if fit.crosstalk is None else fit.crosstalk.reshape(-1)
    return np.concatenate([np.log(fit.sharpness), fit.coefficients, *fit.biases, C])


def loss_and_slope(
    parameters: FloatArray,
    log_m: Sequence[FloatArray],
    arm: IntArray,
    features: FloatArray,
    weight: FloatArray | None = None,
    heard: Heard | None = None,
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
    heard
        What other predictors say of the rows, if that counts.
    """
    n_attributes = len(log_m)
    s = np.exp(parameters[:n_attributes])
    scores = _scores(parameters, log_m, features.shape[0], heard)
    tops = [table.max(axis=1, keepdims=True) for table in scores]
    N = parameters[n_attributes : n_attributes + features.shape[0]] @ features
    factors = [np.exp(table - top) for table, top in zip(scores, tops, strict=True)]
    found = joint_moments(factors, N, weight)
    counts = 1.0 if weight is None else weight
    codes = np.unravel_index(arm, [table.shape[1] for table in log_m])
    value = float((counts * found.log_z).sum() - (counts * N[arm]).sum())
    to_s, to_b, excesses = np.empty(n_attributes), [], []
    for k, code in enumerate(codes):
        value += float((counts * (tops[k][:, 0] - scores[k][np.arange(arm.size), code])).sum())
        excess = found.values[k].copy()
        excess[np.arange(arm.size), code] -= 1.0
        excess *= counts if weight is None else weight[:, None]
        to_s[k] = s[k] * (excess * log_m[k]).sum()
        to_b.append(excess.sum(axis=0))
        excesses.append(excess)
    to_c = features @ (found.arms - np.bincount(arm, weight, minlength=N.size))
    to_crosstalk = np.zeros(0)
    if heard is not None:
        to_crosstalk = np.concatenate(excesses, axis=1).T @ heard.scores * heard.is_free
    return value, np.concatenate([to_s, to_c, *to_b, to_crosstalk.reshape(-1)])


def row_losses(
    fit: Stacked,
    log_m: Sequence[FloatArray],
    arm: IntArray,
    features: FloatArray,
    heard: Heard | None = None,
) -> FloatArray:
    """Return minus the log-probability of each row's gold arm, (m,); arguments as before."""
    scores = _scores(_parameters_of(fit), log_m, features.shape[0], heard)
    tops = [table.max(axis=1, keepdims=True) for table in scores]
    N = fit.coefficients @ features
    factors = [np.exp(table - top) for table, top in zip(scores, tops, strict=True)]
    losses = log_partition(factors, N) - N[arm]
    for k, code in enumerate(np.unravel_index(arm, [table.shape[1] for table in log_m])):
        losses += tops[k][:, 0] - scores[k][np.arange(arm.size), code]
    return np.asarray(losses)


def _scores(
    parameters: FloatArray, log_m: Sequence[FloatArray], n_priors: int, heard: Heard | None
) -> list[FloatArray]:
    """Return what speaks for each value of each attribute, K of (m, V_k)."""
    after = len(log_m) + n_priors
    end = after + sum(table.shape[1] for table in log_m)
    s, biases = np.exp(parameters[: len(log_m)]), _biases(parameters[after:end], log_m)
    scores = [s[k] * table + biases[k] for k, table in enumerate(log_m)]
    if heard is None:
        return scores
    C = parameters[end:].reshape(heard.is_free.shape) * heard.is_free
    shifts = _biases((heard.scores @ C.T).T, log_m)
    return [table + shift.T for table, shift in zip(scores, shifts, strict=True)]


def _penalty(
    parameters: FloatArray, n_attributes: int, start: FloatArray, end: int
) -> tuple[float, FloatArray]:
    """Return minus the log-density of the normal priors and its gradient; C begins at ``end``."""
    is_coefficient = slice(n_attributes, n_attributes + start.size)
    mean, sd = np.zeros_like(parameters), np.full_like(parameters, _BIAS_SD)
    mean[is_coefficient] = start
    sd[:n_attributes], sd[is_coefficient] = _LOG_SHARPNESS_SD, _COEFFICIENT_SD
    sd[end:] = _CROSSTALK_SD
    slope = (parameters - mean) / sd**2
    return float(0.5 * slope @ (parameters - mean)), slope


def _biases(flat: FloatArray, log_m: Sequence[FloatArray]) -> list[FloatArray]:
    """Split by attribute along the first axis."""
    return np.split(flat, np.cumsum([table.shape[1] for table in log_m])[:-1])
