"""Sums of array entries by group number."""

import numpy as np
import numpy.typing as npt

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["sum_by_group", "sum_by_number"]


def sum_by_group(group: IntArray, values: npt.ArrayLike, n_groups: int) -> FloatArray:
    """Return ``out[g] = sum of values[i] where group[i] == g``, float64 of shape (n_groups,)."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(group, weights=weights, minlength=n_groups).astype(np.float64)


def sum_by_number(numbers: IntArray, values: npt.ArrayLike) -> tuple[IntArray, FloatArray]:
    """Return the distinct numbers, none negative, in increasing order, and the sum of each.

    Values of one number are added in their order, so sums are equal to the last bit whether or not
    numbers were sorted.

    Examples
    --------
    >>> sum_by_number(np.array([7, 2, 7]), [0.5, 1.0, 0.25])
    (array([2, 7]), array([1.  , 0.75]))
    """
    weights = np.asarray(values, dtype=np.float64)
    n_numbers = int(numbers.max(initial=-1)) + 1
    if n_numbers > numbers.size:
        distinct, group = np.unique(numbers, return_inverse=True)
        return distinct, sum_by_group(group, weights, distinct.size)
    # An array over all numbers takes no more memory than the entries, and saves sorting them.
    distinct = np.flatnonzero(np.bincount(numbers, minlength=n_numbers))
    return distinct, sum_by_group(numbers, weights, n_numbers)[distinct]
