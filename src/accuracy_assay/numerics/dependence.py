"""How much one column of codes says about another, or about numbers.

Notation: H is the entropy of a column's values.

    determined share of y by x      1 - H(y | x) / H(y)
    explained share of numbers by x the share of their variance that lies between the values of x,
                                    less what as many random groups would explain
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.numerics.grouping import sum_by_group, sum_by_number
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["determined_share", "explained_share"]


def determined_share(column: IntArray, by: IntArray, weight: FloatArray) -> float:
    """Return the share of the entropy of one column that another determines; codes (n,) each.

    Examples
    --------
    >>> code = np.array([0, 0, 1, 1])
    >>> determined_share(code, np.array([3, 3, 5, 7]), np.ones(4))
    1.0
    """
    whole = _entropy(column, weight)
    if whole <= 0.0:
        return 1.0
    joint = _entropy(by * (int(column.max()) + 1) + column, weight)
    return float(np.clip(1.0 - (joint - _entropy(by, weight)) / whole, 0.0, 1.0))


def explained_share(numbers: FloatArray, code: IntArray) -> float:
    """Return the share of the variance of numbers that groups explain, at most 1; (n,) each.

    It is adjusted for the number of groups: random ones explain nothing on average, and may be
    below zero. Without variance, or with a row of its own for each group, it is 0.

    Examples
    --------
    >>> explained_share(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    _, group = np.unique(code, return_inverse=True)
    n_groups = int(group.max(initial=-1)) + 1
    off = numbers - numbers.mean()
    whole = float(off @ off)
    left = numbers.size - n_groups
    if whole <= 0.0 or left <= 0:
        return 0.0
    size = sum_by_group(group, np.ones(numbers.size), n_groups)
    between = float((sum_by_group(group, off, n_groups) ** 2 / size).sum())
    within = max(whole - between, 0.0)
    return 1.0 - (within / left) / (whole / (numbers.size - 1))


def _entropy(codes: IntArray, weight: FloatArray) -> float:
    _, share = sum_by_number(codes, weight)
    share = share[share > 0.0] / share.sum()
    return float(-np.sum(share * np.log(share)))
