"""How many more labels would halve the error: the fall so far, carried on.

The error that an estimator expects of itself, E(n) after n labels, falls close to a power of n
while one strategy is at work: E ~ n^-b. The exponent b is fitted to the recent rounds (those with
more than half of the present labels), and E halves at n 2^(1/b).
"""

from collections.abc import Sequence

import numpy as np

__all__ = ["labels_to_halve"]

_FEWEST_ROUNDS = 3
_RECENT_SHARE = 0.5
_SLOWEST_FALL = 0.05


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
    fall = -float(np.polyfit(np.log(n[recent]), np.log(e[recent]), 1)[0])
    if fall < _SLOWEST_FALL:
        return None
    growth: float = 2.0 ** (1.0 / fall)
    return round(float(n[-1]) * (growth - 1.0), 6)
