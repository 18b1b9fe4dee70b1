"""How many more labels would halve the error: the fall so far, carried on.

The error that an estimator expects of itself, E(n) after n labels, falls close to a power of n
while one strategy is at work: E ~ n^-b. The exponent b is fitted to the recent rounds (those with
more than half of the present labels) and held near one, b ~ N(1, 0.3^2), as long as these rounds
scatter too much or span too little to tell. E halves at n 2^(1/b).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["labels_to_halve"]

FloatArray = npt.NDArray[np.float64]

_FEWEST_ROUNDS = 3
_RECENT_SHARE = 0.5
_SLOWEST_FALL = 0.05
_USUAL_FALL, _USUAL_SD = 1.0, 0.3
_LEAST_SCATTER = 1e-12


def labels_to_halve(labels: Sequence[float], expected: Sequence[float]) -> float | None:
    """Return how many more labels would halve the expected error, or None if nobody can tell.

    Parameters
    ----------
    labels, expected
        Labels and expected error after each round so far, in order.

    Examples
    --------
    >>> labels_to_halve([100, 200, 400], [4.0, 2.0, 1.0])  # E ~ 1 / n
    400.0
    >>> labels_to_halve([100], [4.0]) is None
    True
    """
    n, e = np.asarray(labels, dtype=float), np.asarray(expected, dtype=float)
    if not n.size:
        return None
    recent = (n >= _RECENT_SHARE * n[-1]) & (n > 0) & (e > 0) & np.isfinite(e)
    if recent.sum() < _FEWEST_ROUNDS:
        recent = (n > 0) & (e > 0) & np.isfinite(e)
    if recent.sum() < _FEWEST_ROUNDS or np.ptp(n[recent]) == 0.0:
        return None
    fall = _fall(np.log(n[recent]), np.log(e[recent]))
    if fall < _SLOWEST_FALL:
        return None
    growth: float = 2.0 ** (1.0 / fall)
    return round(float(n[-1]) * (growth - 1.0), 6)


def _fall(log_n: FloatArray, log_e: FloatArray) -> float:
    """Return b of log E = a - b log n, weighed against what is usual."""
    x, y = log_n - log_n.mean(), log_e - log_e.mean()
    slope = float(x @ y / (x @ x))
    scatter = float(np.sum((y - slope * x) ** 2)) / max(x.size - 2, 1)
    known = float(x @ x) / max(scatter, _LEAST_SCATTER)
    usual = 1.0 / _USUAL_SD**2
    return float((-slope * known + _USUAL_FALL * usual) / (known + usual))
