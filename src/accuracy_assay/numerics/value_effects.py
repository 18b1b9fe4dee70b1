"""What the values of one more column add to existing predictions.

Notation: m rows with scores y in [0, 1], predicted logits o, and codes c of the column's values
0 to V - 1. The column shifts the logit of a row by the effect of its value,

    logit q_i = o_i + u_c(i),   u_v ~ N(0, tau^2),

with tau at the maximum of Laplace's marginal likelihood over a short grid that includes 0, so a
useless column changes nothing. R_v = sum of y - sigmoid(o) and H_v = sum of its variance over the
rows of value v.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["chance_of_luck", "fit_effects", "held_out_gain", "log_score"]

_TAUS = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Deviations of effects to try besides zero, in logits: from what 1,000 labels hardly show to what
turns a rate of one half into five sixths."""
_USUAL_TAU = 0.5
"""Deviation that the permutation test assumes: the middle of the grid."""
_STEPS = 6
"""Newton steps: one value's effect under a normal prior is a smooth concave problem."""
_PERMUTATIONS_AT_ONCE = 4_000_000
"""Permuted entries in memory at a time: 64 MB."""


def log_score(logit: FloatArray, score: FloatArray) -> FloatArray:
    """Return y log q + (1 - y) log(1 - q) of each row, (m,)."""
    return np.asarray(score * logit - np.logaddexp(0.0, logit))


def fit_effects(offset: FloatArray, score: FloatArray, code: IntArray, size: int) -> FloatArray:
    """Return the effects of a column's values, (V,), all zero if they do not help."""
    best, effects = 0.0, np.zeros(size)
    before = log_score(offset, score).sum()
    for tau in _TAUS:
        found, information = _newton(offset, score, code, size, tau)
        gain = log_score(offset + found[code], score).sum() - before
        marginal = gain - 0.5 * np.sum((found / tau) ** 2 + np.log1p(tau**2 * information))
        if marginal > best:
            best, effects = float(marginal), found
    return effects


def held_out_gain(
    offset: FloatArray, score: FloatArray, code: IntArray, fold: IntArray
) -> FloatArray:
    """Return how much the column raises each row's log score, learned from other folds, (m,).

    Parameters
    ----------
    offset
        Logits, themselves predicted without the row's own fold.
    score, code, fold
        Score, value and fold of each row.
    """
    size = int(code.max()) + 1
    gain = np.zeros(offset.size)
    for each in np.unique(fold):
        is_out = fold == each
        effects = fit_effects(offset[~is_out], score[~is_out], code[~is_out], size)
        shifted = offset[is_out] + effects[code[is_out]]
        gain[is_out] = log_score(shifted, score[is_out]) - log_score(offset[is_out], score[is_out])
    return gain


def chance_of_luck(
    offset: FloatArray,
    score: FloatArray,
    code: IntArray,
    rng: np.random.Generator,
    permutations: int = 1999,
) -> float:
    """Return the p-value of a column: how often its values, shuffled, help as much.

    The statistic is the log Bayes factor of effects with the usual deviation t, to second order:
    half of the sum over values of R^2 / (H + 1/t^2) - log(1 + t^2 H).
    """
    rate = expit(offset)
    rest, information = score - rate, rate * (1.0 - rate)
    seen = _bayes_factors(code[None], rest, information)[0]
    at_once = max(_PERMUTATIONS_AT_ONCE // code.size, 1)
    n_as_good, left = 0, permutations
    while left > 0:
        count = min(at_once, left)
        dealt = rng.permuted(np.broadcast_to(code, (count, code.size)), axis=1)
        n_as_good += int(np.sum(_bayes_factors(dealt, rest, information) >= seen))
        left -= count
    return (1 + n_as_good) / (1 + permutations)


def _bayes_factors(codes: IntArray, rest: FloatArray, information: FloatArray) -> FloatArray:
    """Return the log Bayes factor of each row of codes (B, m), (B,)."""
    n_tables, size = codes.shape[0], int(codes.max()) + 1
    place = (np.arange(n_tables)[:, None] * size + codes).ravel()
    shape, n_places = (n_tables, size), n_tables * size
    R = sum_by_group(place, np.tile(rest, n_tables), n_places).reshape(shape)
    H = sum_by_group(place, np.tile(information, n_tables), n_places).reshape(shape)
    precision = 1.0 / _USUAL_TAU**2
    return np.asarray(0.5 * np.sum(R**2 / (H + precision) - np.log1p(H / precision), axis=1))


def _newton(
    offset: FloatArray, score: FloatArray, code: IntArray, size: int, tau: float
) -> tuple[FloatArray, FloatArray]:
    """Return the most probable effects (V,) and the labels' information about each."""
    effects = np.zeros(size)
    for _ in range(_STEPS):
        rate = expit(offset + effects[code])
        slope = sum_by_group(code, score - rate, size) - effects / tau**2
        information = sum_by_group(code, rate * (1.0 - rate), size)
        effects = effects + slope / (information + 1.0 / tau**2)
    return effects, information
