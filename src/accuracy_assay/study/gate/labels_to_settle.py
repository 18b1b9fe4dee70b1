"""How many more labels would settle a check that is not yet sure.

Notation: a slice has a margin to its bar with mean m and spread s; it is sure once the reach z
times the spread is at most |m|. Spreads fall with the root of the labels, so labels must grow by
the factor (z s / m)^2; in a pool of N rows, n of them labelled, s^2 falls as 1/n - 1/N.

Labels in one slice add to what it knows from arms like it. With posterior variance v of its rate
and u the variance of one answer, k more leave u v / (u + k v). Of a pool only the U unlabelled
rows of N are open: their average has variance v + u / U, which counts (U / N)^2.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["labels_there", "labels_to_settle", "rounded"]

_ON_THE_BAR = 100.0
"""If labels would have to grow by this factor, the mean counts as lying on the bar: it is within a
tenth of its reach, and one more batch may put it on the other side."""


def labels_to_settle(
    mean: FloatArray,
    reach_below: FloatArray,
    reach_above: FloatArray,
    labels: float,
    pool: float | None,
) -> tuple[int, bool] | None:
    """Return about how many more labels would settle a check, and whether it would pass then.

    If slices are below the bar, it fails as soon as the first of them is sure; else it passes once
    all are.

    Parameters
    ----------
    mean
        Margin of each slice to its bar, negative below it, (Q,).
    reach_below, reach_above
        How far the truth may lie below and above, with the confidence to pass and to fail, (Q,).
    labels
        Labels so far; more are assumed to be spread alike.
    pool
        Rows of the pool; None if the rate behind them is asked for.

    Returns
    -------
    tuple of int and bool, or None
        None if no realistic number of labels is enough.

    Examples
    --------
    A margin of 0.02 with a reach of 0.04 takes four times the labels.

    >>> labels_to_settle(np.array([0.02]), np.array([0.04]), np.array([0.04]), 100.0, None)
    (300, True)
    """
    is_below = mean < 0.0
    reach = np.where(is_below, reach_above, reach_below)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(reach > 0.0, (reach / mean) ** 2, 1.0)
    fails = bool(is_below.any())
    wanted = float(factor[is_below].min() if fails else factor.max())
    if not (labels > 0.0 and wanted < _ON_THE_BAR):
        return None
    return rounded(_grown(labels, wanted, pool) - labels), not fails


def labels_there(
    mean: float,
    reach: float,
    variance: float,
    unit: float,
    rows: tuple[float, float] | None,
) -> int | None:
    """Return about how many more labels in one slice would settle it.

    Parameters
    ----------
    mean
        Its margin to the bar.
    reach
        How far the truth may lie towards the bar and beyond, with the confidence that decides.
    variance
        Its posterior variance, v.
    unit
        Variance of one answer, u.
    rows
        Its pool rows N and how many of them have no label, U; None if the rate behind them is
        asked for.

    Returns
    -------
    int or None
        None if it is settled, or no realistic number of labels is enough.

    Examples
    --------
    A spread that must be halved, and is worth 100 labels. In a pool the rows may run out before.

    >>> labels_there(0.02, 0.04, 0.16 / 100, 0.16, None)
    300
    >>> labels_there(0.02, 0.04, 0.16 / 100 + 0.16 / 60, 0.16, (60.0, 60.0))
    40
    """
    if reach <= abs(mean) or not (unit > 0.0 and variance > 0.0):
        return None
    wanted = (reach / mean) ** 2 if mean else np.inf
    if rows is None:
        return rounded(unit / variance * (wanted - 1.0)) if wanted < _ON_THE_BAR else None
    in_all, unlabelled = rows[0], int(rows[1])
    if unlabelled < 1:
        return None
    rate = max(variance * (in_all / unlabelled) ** 2 - unit / unlabelled, 0.0)

    def is_enough(k: int) -> bool:
        left = unlabelled - k
        of_left = rate * unit / (unit + k * rate) + unit / max(left, 1)
        return (left / in_all) ** 2 * of_left <= variance / wanted

    found = 1 + bisect_left(range(1, unlabelled), True, key=is_enough)
    return min(rounded(found), unlabelled)


def _grown(labels: float, factor: float, pool: float | None) -> float:
    """Return the labels whose variance is smaller by a factor."""
    if pool is None or pool <= labels:
        return labels * factor
    return 1.0 / (1.0 / pool + (1.0 / labels - 1.0 / pool) / factor)


def rounded(number: float) -> int:
    """Return a number of labels with two digits; more would claim too much."""
    if number < 1.0:
        return 1
    digits = int(np.floor(np.log10(number))) - 1
    return round(round(number, -digits) if digits > 0 else number)
