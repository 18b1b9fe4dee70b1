"""Rates whose logit is normal, as the posterior of a cell is and that of an arm is taken to be.

rho = sigmoid(m + s z) with a standard normal z. Its moments are integrals without a closed form;
m and s are found from them by Newton's method.
"""

import numpy as np
from scipy.special import expit, logit, ndtri

from accuracy_assay.numerics.quadrature import normal_rule
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["logit_normal_interval", "match_moments"]


_Z, _WEIGHTS = normal_rule(20)
_STEPS = 20
_CLOSE = 1e-5
_LEAST_VARIANCE = 1e-12
_MOST_SPREAD = 6.0


def match_moments(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return m and s of the rates with the given mean and variance, (A,) each.

    A variance near its limit mean (1 - mean), where the rate is 0 or 1 and nothing between, gets
    the widest normal that is allowed for, s = 6.
    """
    rate = np.clip(mean, 1e-9, 1.0 - 1e-9)
    most = rate * (1.0 - rate)
    wanted = np.clip(variance, _LEAST_VARIANCE * most, 0.9 * most)
    m, s = logit(rate), np.minimum(np.sqrt(wanted) / most, _MOST_SPREAD / 2.0)
    todo = np.arange(rate.size)
    for _ in range(_STEPS):
        step_m, step_s = _newton_step(m[todo], s[todo], rate[todo], wanted[todo])
        reach = np.maximum(np.abs(step_m) / 2.0, np.abs(step_s) / (0.5 * s[todo]))
        part = 1.0 / np.maximum(reach, 1.0)
        m[todo] += part * step_m
        s[todo] = np.clip(s[todo] + part * step_s, 1e-9, _MOST_SPREAD)
        todo = todo[np.maximum(np.abs(step_m), np.abs(step_s)) > _CLOSE]
        if not todo.size:
            break
    return m, s


def _newton_step(
    m: FloatArray, s: FloatArray, rate: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the changes of m and s towards the mean and the log-variance that are wanted."""
    rho = expit(m[:, None] + s[:, None] * _Z)
    slope = rho * (1.0 - rho)
    first = rho @ _WEIGHTS
    away = rho - first[:, None]
    spread = np.maximum(away**2 @ _WEIGHTS, 1e-300)
    to_m, to_s = slope @ _WEIGHTS, slope @ (_WEIGHTS * _Z)
    turn = 2.0 * away * slope
    log_m, log_s = turn @ _WEIGHTS / spread, turn @ (_WEIGHTS * _Z) / spread
    off_mean, off_log = first - rate, np.log(spread / variance)
    determinant = to_m * log_s - to_s * log_m
    determinant = np.where(np.abs(determinant) < 1e-12, 1e-12, determinant)
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
