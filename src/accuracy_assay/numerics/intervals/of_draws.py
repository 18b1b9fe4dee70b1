"""Intervals of draws that may lie on a short lattice, such as differences of a few rows.

A quantile of draws is one of their values, and with few values the interval between two quantiles
holds more than it should. So each end may move inwards by one value, to where the share of draws
inside is nearest to the level: intervals hold it on average, as those of ``finite_pool`` do.
"""

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["interval_of_draws"]

_EQUAL = 1e-12  # shares closer than this are equal: of equals the wider interval wins


def interval_of_draws(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the interval that holds a share near ``level`` of draws (S, A).

    Examples
    --------
    Of three values the outer ones have 4% each: without them 92% are left, with them all.

    >>> draws = np.repeat([-1.0, 0.0, 1.0], [4, 92, 4])[:, None]
    >>> [end.tolist() for end in interval_of_draws(draws, 0.9)]
    [[0.0], [0.0]]
    """
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0, method="inverted_cdf")
    next_low = np.where(draws > low, draws, np.inf).min(axis=0)
    next_high = np.where(draws < high, draws, -np.inf).max(axis=0)
    ends = np.stack([low, high])
    nearest = np.full(low.shape, np.inf)
    for a, b in ((low, high), (next_low, high), (low, next_high), (next_low, next_high)):
        share = ((draws >= a) & (draws <= b)).mean(axis=0)
        off = np.where(a <= b, np.abs(share - level), np.inf)
        is_nearer = off < nearest - _EQUAL
        nearest[is_nearer] = off[is_nearer]
        ends[:, is_nearer] = a[is_nearer], b[is_nearer]
    return ends[0], ends[1]
