"""Sums of array entries by group number."""

import numpy as np
import numpy.typing as npt

__all__ = ["sum_by_group"]


def sum_by_group(
    group: npt.NDArray[np.int64], values: npt.ArrayLike, n_groups: int
) -> npt.NDArray[np.float64]:
    """Return ``out[g] = sum of values[i] where group[i] == g``, float64 of shape (n_groups,)."""
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(group, weights=weights, minlength=n_groups).astype(np.float64)
