"""How sharp one predictor should be: P(v | x) proportional to M(v | x)^s, s = 1 / T.

T is the temperature of Guo et al. (2017), which divides log M. The loss is convex in s, so s is
fitted. A weak normal prior on log s (mean 0, standard deviation 1) keeps s finite if a few rows
hold no error at all.

Special to this module: V values of one attribute, log_m (m, V), gold (m,) true codes.
"""

import numpy as np
from scipy.optimize import minimize_scalar

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["fit_sharpness"]

# Bounds of the search for log s: temperatures from 0.05 to 55. Chosen by hand: at four and three
# standard deviations the prior binds first.
_LOG_SHARPNESS = (-4.0, 3.0)


def fit_sharpness(log_m: FloatArray, gold: IntArray) -> float:
    """Return the sharpness s > 0 that maximises the posterior of ``gold``.

    Examples
    --------
    >>> log_m = np.log(np.array([[0.8, 0.2]] * 100))
    >>> gold = np.array([0] * 60 + [1] * 40)
    >>> round(1.0 / fit_sharpness(log_m, gold), 1)  # the temperature of an overconfident predictor
    2.8
    """

    def loss(log_s: float) -> float:
        scores = np.exp(log_s) * log_m
        log_z = np.logaddexp.reduce(scores, axis=1)
        return float((log_z - scores[np.arange(gold.size), gold]).sum() + 0.5 * log_s**2)

    return float(np.exp(minimize_scalar(loss, bounds=_LOG_SHARPNESS, method="bounded").x))
