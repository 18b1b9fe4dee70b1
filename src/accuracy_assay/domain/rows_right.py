"""Intervals of small arms in rows: "0 to 1 of 7 right (99%)" says more than "0% to 14%".

Notation: of an arm's N pool rows n are labelled, c of them right, and U = N - n are coins yet to
fall, X of which come up right. Their mean rate has the mean r and the variance V, so that

    mean = (c + U r) / N,   sd^2 N^2 = U (r (1 - r) - V) + U^2 V

which gives r and V back; where rows of an arm have different rates, V is a little too small.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.averages import ListedArms, target_of
from accuracy_assay.domain.label_count import LABELS_WORTH
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["rows_right"]

_MOST_ROWS = 20.0
"""Rows without a label up to which an interval is said in rows; with more, percent say as much."""
_WHOLE = 1e-6  # counts closer than this to a whole number are whole
_SURE = 0.995  # probabilities that would round to 100%


def rows_right(surface: ListedArms, listed: IntArray) -> list[str | None]:
    """Return the interval of each listed arm in rows, with its probability; None where percent do.

    An arm has one if the accuracy is that of the pool's rows, each right or wrong for certain, and
    at most 20 of the arm's are not labelled.

    Examples
    --------
    >>> import accuracy_assay as aa
    >>> from accuracy_assay.tasks.synthetic import synthetic
    >>> pool = synthetic(rows=300, attributes=2, values=4).rows
    >>> surface = aa.estimate(pool.head(150), ["a1", "a2"], score="correct", pool=pool)
    >>> surface.to_frame()["in_rows"].drop_nulls()[0].split()[-2]
    'right'
    """
    said: list[str | None] = [None] * listed.size
    if LABELS_WORTH in surface.details or target_of(surface) != "pool":
        return said
    if surface.details.get("measure", "accuracy") != "accuracy":
        return said
    N, n, c, mean, sd, lower, upper = (
        getattr(surface, name)[listed]
        for name in ("support", "n", "correct", "mean", "sd", "lower", "upper")
    )
    ends = lower * N, upper * N
    U = N - n
    is_small = (U > 0.5) & (U <= _MOST_ROWS + 0.5)
    is_small &= np.all([_is_whole(part) for part in (N, n, c, *ends)], axis=0)
    at = np.flatnonzero(is_small)
    low, high = (np.rint(end[at]) for end in ends)
    chance = _chance(mean[at], sd[at], N[at], n[at], c[at], low, high)
    for k, i in enumerate(at):
        span = f"{low[k]:.0f}" if low[k] == high[k] else f"{low[k]:.0f} to {high[k]:.0f}"
        sure = f"{chance[k]:.0%}" if chance[k] < _SURE else f">{_SURE - 0.005:.0%}"
        said[i] = f"{span} of {N[i]:.0f} right ({sure})"
    return said


def _is_whole(values: FloatArray) -> BoolArray:
    return np.asarray(np.abs(values - np.rint(values)) < _WHOLE)


def _chance(
    mean: FloatArray,
    sd: FloatArray,
    N: FloatArray,
    n: FloatArray,
    c: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """Return the probability that ``low`` to ``high`` rows of each arm are right."""
    from accuracy_assay.numerics.intervals.lattice import chance_between  # loads SciPy

    U = N - n
    rate = np.clip((N * mean - c) / U, 0.0, 1.0)
    coin = rate * (1.0 - rate)
    more = np.maximum((sd * N) ** 2 - U * coin, 0.0)
    variance = np.minimum(more / np.maximum(U * (U - 1.0), 1.0), coin)
    return chance_between(rate, variance, U * (coin - variance), U, low - c, high - c)
