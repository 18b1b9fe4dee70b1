"""How many more labels would halve the error, by the fall so far.

The error that an estimator expects of itself, E(n) after n labels, falls close to a power of n
while one strategy is at work: E ~ n^-b. The exponent b is fitted to the recent rounds (those with
two thirds of the present labels) and kept near its usual value unless these rounds lie on a line:
a few rounds say little about many more. b ~ N(1.1, 0.03^2) for labels that a strategy chose and
N(0.5, 0.2^2) for random ones, most of which go to well-known arms. E halves at n 2^(1/b).
"""

from collections.abc import Sequence

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["LABELS_TO_HALVE", "labels_to_halve"]

LABELS_TO_HALVE = "labels_to_halve"
"""Key of a surface's details, where the fits before it have shown how fast the error falls."""

_FEWEST_ROUNDS = 3  # two lie on a line whatever they are, and so say nothing of their scatter
_RECENT_SHARE = 0.65  # two thirds, and a little less, so that a round at the edge counts
_SLOWEST_FALL = 0.15  # below, halving takes a hundred times the labels: a forecast means nothing
# (mean, standard deviation) of the exponent b. Means as measured on adult5, am2g and digits; with
# a deviation of 0.1 instead of 0.03 fewer forecasts came true (docs/decisions/0004).
_CHOSEN, _RANDOM = (1.1, 0.03), (0.5, 0.2)
_LEAST_SCATTER = 1e-12  # of log E: rounds on a perfect line must not divide by zero


def labels_to_halve(
    labels: Sequence[float], expected: Sequence[float], *, is_random: bool = False
) -> float | None:
    """Return how many more labels would halve the expected error, or None if that is unclear.

    Parameters
    ----------
    labels, expected
        Labels and expected error after each round so far, in order.
    is_random
        Whether labels are drawn at random and not chosen.

    Examples
    --------
    >>> labels_to_halve([100, 200, 400], [4.0, 2.0, 1.0])  # E ~ 1 / n
    400.0
    >>> labels_to_halve([100], [4.0]) is None
    True
    """
    n, e = np.asarray(labels, dtype=float), np.asarray(expected, dtype=float)
    usable = (n > 0) & (e > 0) & np.isfinite(e)
    n, e = n[usable], e[usable]
    if n.size < _FEWEST_ROUNDS or np.ptp(n) == 0.0 or _has_not_fallen(n, e):
        return None
    recent = n >= _RECENT_SHARE * n[-1]
    if recent.sum() < _FEWEST_ROUNDS or np.ptp(n[recent]) == 0.0:
        recent[:] = True
    fall = _fall(np.log(n[recent]), np.log(e[recent]), *(_RANDOM if is_random else _CHOSEN))
    if fall < _SLOWEST_FALL:
        return None
    growth: float = 2.0 ** (1.0 / fall)
    return round(float(n[-1]) * (growth - 1.0), 6)


def _has_not_fallen(n: FloatArray, e: FloatArray) -> bool:
    """Whether the labels have doubled and the error is no less."""
    return bool(n[-1] >= 2.0 * n[0] and e[-1] >= e[0])


def _fall(log_n: FloatArray, log_e: FloatArray, usual: float, sd: float) -> float:
    """Return b of log E = a - b log n, shrunk towards its usual value."""
    x, y = log_n - log_n.mean(), log_e - log_e.mean()
    slope = float(x @ y / (x @ x))
    scatter = float(np.sum((y - slope * x) ** 2)) / max(x.size - 2, 1)
    known = float(x @ x) / max(scatter, _LEAST_SCATTER)
    return float((-slope * known + usual / sd**2) / (known + 1.0 / sd**2))
