"""The accuracy of a finite pool: labelled rows as they are, the others as coins yet to fall.

Notation: an arm has N rows, of which U are not labelled; X of these will turn out right, with mean
and variance as given. The interval for (c + X) / N, c the labelled successes, comes from a Beta
distribution of (X + 1/2) / (U + 1) with the same two moments, so that P(X <= k) is its
distribution function at (k + 1) / (U + 1). A lattice variable has no interval of exactly the level
wanted. Starting from the central one, in which an end counts half, the ends move by at most one
to where the probability is nearest to the level, so that intervals hold it on average.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincinv

__all__ = ["beta_interval", "lattice_interval"]

FloatArray = npt.NDArray[np.float64]

_LEAST_VARIANCE = 1e-12
_ROUNDING_VARIANCE = 1.0 / 12.0
_MOVES = ((0, 0), (1, 0), (0, -1), (1, -1), (-1, 0), (0, 1))


def beta_interval(
    mean: FloatArray, variance: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the central interval of a Beta distribution with the given moments, (A,) each."""
    a, b = _beta(mean, variance)
    tail = (1.0 - level) / 2.0
    return betaincinv(a, b, tail), betaincinv(a, b, 1.0 - tail)


def lattice_interval(
    mean: FloatArray, variance: FloatArray, trials: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of X on 0..trials, given its moments, with probability near ``level``.

    Examples
    --------
    Four coins yet to fall, of which 3.6 are expected to be right: all four are with probability
    0.68 and three or four with 0.92.

    >>> lattice_interval(np.array([3.6]), np.array([0.36]), np.array([4.0]), 0.9)
    (array([3.]), array([4.]))
    """
    width = trials + 1.0
    a, b = _beta((mean + 0.5) / width, (variance + _ROUNDING_VARIANCE) / width**2)
    tail = (1.0 - level) / 2.0
    low = np.clip(np.ceil(width * betaincinv(a, b, tail) - 0.5), 0.0, trials)
    high = np.clip(np.floor(width * betaincinv(a, b, 1.0 - tail) - 0.5), 0.0, trials)
    low, high = np.minimum(low, high), np.maximum(low, high)
    lows = np.array([np.clip(low + move, 0.0, trials) for move, _ in _MOVES])
    highs = np.array([np.clip(high + move, 0.0, trials) for _, move in _MOVES])
    mass = betainc(a, b, (highs + 1.0) / width) - betainc(a, b, lows / width)
    best = np.argmin(np.where(lows <= highs, np.abs(mass - level), np.inf), axis=0)
    every = np.arange(best.size)
    return lows[best, every], highs[best, every]


def _beta(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of the Beta distribution with the given moments."""
    middle = np.clip(mean, 1e-9, 1.0 - 1e-9)
    most = middle * (1.0 - middle)
    total = most / np.clip(variance, _LEAST_VARIANCE, 0.99 * most) - 1.0
    return middle * total, (1.0 - middle) * total
