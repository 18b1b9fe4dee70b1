"""Sums of array entries by group number."""

import numpy as np
import numpy.typing as npt

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["sum_by_group"]


def sum_by_group(group: IntArray, values: npt.ArrayLike, n_groups: int) -> FloatArray:
    """Return ``out[g] = sum of values[i] where group[i] == g``, float64 of shape (n_groups,)."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(group, weights=weights, minlength=n_groups).astype(np.float64)
