"""One temperature per attribute: P(v | x) proportional to M(v | x)^t (Guo et al. 2017).

Notation: m rows, V values, log_m (m, V) log-probabilities of the predictor, gold (m,) true codes.
The loss is convex in t; a weak normal prior on log t (mean 0, standard deviation 1) keeps t finite
where a few rows hold no error at all.
"""

import numpy as np
from scipy.optimize import minimize_scalar

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["fit_temperature"]


_LOG_T = (-4.0, 3.0)


def fit_temperature(log_m: FloatArray, gold: IntArray) -> float:
    """Return the temperature t > 0 that maximises the posterior of ``gold``.

    Examples
    --------
    >>> log_m = np.log(np.array([[0.8, 0.2]] * 100))
    >>> gold = np.array([0] * 60 + [1] * 40)
    >>> round(fit_temperature(log_m, gold), 1)
    0.4
    """

    def loss(log_t: float) -> float:
        scores = np.exp(log_t) * log_m
        log_z = np.logaddexp.reduce(scores, axis=1)
        return float((log_z - scores[np.arange(gold.size), gold]).sum() + 0.5 * log_t**2)

    return float(np.exp(minimize_scalar(loss, bounds=_LOG_T, method="bounded").x))
