"""Rates with a normal logit: the posterior of a cell, and approximately that of an arm.

Notation: see the sub-package. The moments of rho have no closed form; Newton's method finds m and
s from them.
"""

import numpy as np
from scipy.special import expit, logit, ndtri

from accuracy_assay.numerics.quadrature import normal_rule
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["logit_normal_interval", "match_moments"]


_Z, _WEIGHTS = normal_rule(20)  # as in the prototype
_STEPS = 20  # most steps of Newton's method, even for hard moments
_CLOSE = 1e-5  # last step of m and s: 1e-5 of a logit is at most 2.5e-6 of a rate
_LEAST_RATE = 1e-9  # rates stay this far from 0 and 1, where logits are not finite
# Variance as a share of its limit mean (1 - mean): less counts as certain, more would need a wider
# normal than allowed.
_LEAST_SHARE, _MOST_SHARE = 1e-12, 0.9
_LEAST_SPREAD, _MOST_SPREAD = 1e-9, 6.0  # s: sigmoid(6) is 0.998, so wider is 0 or 1 already
_LONGEST_STEP = 2.0  # of m at once; s changes by half of itself at most
_LEAST_DETERMINANT = 1e-12  # of Newton's equations
_TINY = 1e-300  # log of a variance of zero


def match_moments(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return m and s of the rates with the given mean and variance, (A,) each.

    A variance near its limit mean (1 - mean), where the rate is either 0 or 1, gets the widest
    normal allowed, s = 6.
    """
    rate = np.clip(mean, _LEAST_RATE, 1.0 - _LEAST_RATE)
    most = rate * (1.0 - rate)
    wanted = np.clip(variance, _LEAST_SHARE * most, _MOST_SHARE * most)
    m, s = logit(rate), np.minimum(np.sqrt(wanted) / most, _MOST_SPREAD / 2.0)
    todo = np.arange(rate.size)
    for _ in range(_STEPS):
        step_m, step_s = _newton_step(m[todo], s[todo], rate[todo], wanted[todo])
        reach = np.maximum(np.abs(step_m) / _LONGEST_STEP, np.abs(step_s) / (0.5 * s[todo]))
        part = 1.0 / np.maximum(reach, 1.0)
        m[todo] += part * step_m
        s[todo] = np.clip(s[todo] + part * step_s, _LEAST_SPREAD, _MOST_SPREAD)
        todo = todo[np.maximum(np.abs(step_m), np.abs(step_s)) > _CLOSE]
        if not todo.size:
            break
    return m, s


def _newton_step(
    m: FloatArray, s: FloatArray, rate: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the changes of m and s towards the wanted mean and log-variance."""
    rho = expit(m[:, None] + s[:, None] * _Z)
    slope = rho * (1.0 - rho)
    first = rho @ _WEIGHTS
    away = rho - first[:, None]
    spread = np.maximum(away**2 @ _WEIGHTS, _TINY)
    to_m, to_s = slope @ _WEIGHTS, slope @ (_WEIGHTS * _Z)
    turn = 2.0 * away * slope
    log_m, log_s = turn @ _WEIGHTS / spread, turn @ (_WEIGHTS * _Z) / spread
    off_mean, off_log = first - rate, np.log(spread / variance)
    determinant = to_m * log_s - to_s * log_m
    determinant = np.where(
        np.abs(determinant) < _LEAST_DETERMINANT, _LEAST_DETERMINANT, determinant
    )
    step_m = (to_s * off_log - log_s * off_mean) / determinant
    step_s = (log_m * off_mean - to_m * off_log) / determinant
    return step_m, step_s


def logit_normal_interval(
    mean: FloatArray, variance: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the central interval of rates with the given moments, (A,) each.

    Examples
    --------
    >>> low, high = logit_normal_interval(np.array([0.5]), np.array([0.01]), 0.9)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.335, 0.665)
    """
    m, s = match_moments(mean, variance)
    reach = s * ndtri(0.5 + level / 2.0)
    return expit(m - reach), expit(m + reach)
