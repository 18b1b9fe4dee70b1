"""The accuracy of a finite pool: labelled rows as they are, the others as coins yet to fall.

Notation: an arm has N rows, of which U are not labelled; X of these will turn out right, with mean
and variance as given. The interval for (c + X) / N, c the labelled successes, comes from a Beta
distribution of (X + 1/2) / (U + 1) with the same two moments, so that P(X <= k) is its
distribution function at (k + 1) / (U + 1). Bounds are mid-p: X = k counts half, which makes the
interval of a lattice variable hold its level on average instead of exceeding it.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

__all__ = ["beta_interval", "lattice_interval"]

FloatArray = npt.NDArray[np.float64]

_LEAST_VARIANCE = 1e-12
_ROUNDING_VARIANCE = 1.0 / 12.0


def beta_interval(
    mean: FloatArray, variance: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the central interval of a Beta distribution with the given moments, (A,) each."""
    middle = np.clip(mean, 1e-9, 1.0 - 1e-9)
    most = middle * (1.0 - middle)
    total = most / np.clip(variance, _LEAST_VARIANCE, 0.99 * most) - 1.0
    a, b = middle * total, (1.0 - middle) * total
    tail = (1.0 - level) / 2.0
    return betaincinv(a, b, tail), betaincinv(a, b, 1.0 - tail)


def lattice_interval(
    mean: FloatArray, variance: FloatArray, trials: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the central mid-p interval of X on 0..trials with the given moments of X."""
    width = trials + 1.0
    low, high = beta_interval(
        (mean + 0.5) / width, (variance + _ROUNDING_VARIANCE) / width**2, level
    )
    lower = np.clip(np.ceil(width * low - 0.5), 0.0, trials)
    upper = np.clip(np.floor(width * high - 0.5), 0.0, trials)
    return np.minimum(lower, upper), np.maximum(lower, upper)
