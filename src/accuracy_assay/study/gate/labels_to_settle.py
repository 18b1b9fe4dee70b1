"""How many more labels would settle a check that is not yet sure.

Notation: a slice has a margin to its bar with mean m and spread s; it is sure once the reach z
times the spread is at most |m|. Spreads fall with the root of the labels, so labels must grow by
the factor (z s / m)^2; in a pool of N rows, n of them labelled, s^2 falls as 1/n - 1/N.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["labels_to_settle"]

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
    if pool is None or pool <= labels:
        total = labels * wanted
    else:
        total = 1.0 / (1.0 / pool + (1.0 / labels - 1.0 / pool) / wanted)
    return _rounded(total - labels), not fails


def _rounded(number: float) -> int:
    """Return a number of labels with two digits; more would claim too much."""
    if number < 1.0:
        return 1
    digits = int(np.floor(np.log10(number))) - 1
    return round(round(number, -digits) if digits > 0 else number)
