"""Simultaneous bounds of many quantities, from joint draws.

Notation: S draws of Q quantities x, (S, Q), with means m, (Q,). Each side of a quantity has its
own spread, upwards s^2 = 2 mean((x - m)_+^2), to follow a skewed posterior. The reach z is the
``confidence`` quantile, over draws, of the largest (x_q - m_q) / s_q. With that probability every
x_q is at most m_q + z s_q, however they depend on one another. Quantities that move together cost
less than as many independent ones.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from scipy.special import ndtr

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["all_positive", "reach_above", "spread_above"]

_CHUNK = 4096
"""Quantities at a time. Bounds memory: 512 draws of this many take 17 MB."""
_LEAST_TAIL, _LEAST_REACHED = 5, 1
"""Fewest draws beyond what is read off the draws. A probability with five beyond it is off by half
of its tail. A reach may rest on a single draw: it is off by more, but to both sides, so that over
many gates it is exceeded as often as asked for."""


def spread_above(draws: FloatArray, mean: FloatArray) -> FloatArray:
    """Return how far each quantity reaches above its mean, as a standard deviation, (Q,)."""
    spread = np.zeros(mean.shape)
    for part in _parts(mean.size):
        above = np.maximum(draws[:, part] - mean[part], 0.0)
        spread[part] = np.sqrt(2.0 * np.mean(above**2, axis=0))
    return spread


def reach_above(draws: FloatArray, mean: FloatArray, confidence: float) -> float:
    """Return the number of spreads above their means within which all quantities lie at once.

    If ``confidence`` needs a tail that the draws do not show, the reach is that of normal
    quantities by Bonferroni's bound, and at least that of any draw.

    Examples
    --------
    A hundred equal quantities have the reach of one; different ones have a larger reach.

    >>> rng = np.random.default_rng(0)
    >>> one, many = rng.standard_normal((20_000, 1)), rng.standard_normal((20_000, 100))
    >>> round(reach_above(one, np.zeros(1), 0.95), 1)
    1.6
    >>> round(reach_above(np.repeat(one, 100, axis=1), np.zeros(100), 0.95), 1)
    1.6
    >>> round(reach_above(many, np.zeros(100), 0.95), 1)
    3.3
    """
    spread = spread_above(draws, mean)
    is_open = spread > 0.0
    if not is_open.any():
        return 0.0
    scale = np.where(is_open, spread, np.inf)  # certain quantities do not deviate
    largest = np.full(draws.shape[0], -np.inf)
    for part in _parts(mean.size):
        standard = (draws[:, part] - mean[part]) / scale[part]
        largest = np.maximum(largest, standard.max(axis=1))
    tail = 1.0 - confidence
    if tail * draws.shape[0] >= _LEAST_REACHED:
        # Of S draws the k-th largest is exceeded by a new one with probability k / (S + 1).
        return float(np.quantile(largest, confidence, method="weibull"))
    normal = NormalDist().inv_cdf(1.0 - tail / int(is_open.sum()))
    return max(normal, float(largest.max()))


def _parts(n_quantities: int) -> list[slice]:
    return [slice(start, start + _CHUNK) for start in range(0, n_quantities, _CHUNK)]


def all_positive(draws: FloatArray, mean: FloatArray, confidence: float) -> tuple[float, bool]:
    """Return the probability that no quantity is below zero, and whether that is enough.

    If ``confidence`` needs a tail that the draws do not show, the tails of normal quantities are
    added up instead.
    """
    chance = float((draws >= 0.0).all(axis=1).mean())
    if (1.0 - confidence) * draws.shape[0] >= _LEAST_TAIL:
        return chance, chance >= confidence
    below = spread_above(-draws, -mean)
    standard = mean / np.where(below > 0.0, below, 1.0)
    tail = np.where(below > 0.0, ndtr(-standard), mean < 0.0)
    chance = min(chance, 1.0 - min(float(tail.sum()), 1.0))
    return chance, chance >= confidence
