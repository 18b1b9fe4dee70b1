"""Sparse rows of probabilities: drop the smallest entries within a bound on the lost mass.

Special to this module: nnz entries are stored; the whole row, stored or not, has mass one.
"""

import numpy as np

from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["expand_rows", "trim_rows"]


# A float32 has 32 bits; the row number goes above them in one 64-bit integer.
_WEIGHT_BITS = 32
# Rounding error of a row's mass: float32 weights round by at most 6e-8 of themselves, the running
# sum in float64 by far less.
_ROUNDING = 2e-7


def trim_rows(owner: IntArray, weights: FloatArray, n: int, max_dropped: float) -> BoolArray:
    """Return which entries to keep so that each row loses at most ``max_dropped``.

    Each row keeps its heaviest entries, as few as the bound allows. Mass that the row lost before
    (one minus its stored mass) counts against the bound. Equal weights at the border are all kept.

    Returns
    -------
    (nnz,) bool
    """
    # Sorting (row, weight) pairs packed into one integer is several times faster than lexsort.
    # Positive floats sort like their bits.
    single = weights.astype(np.float32)
    key = owner << _WEIGHT_BITS
    key |= single.view(np.int32)
    key.sort()
    key &= (1 << _WEIGHT_BITS) - 1
    ascending = key.astype(np.int32).view(np.float32)
    start = np.searchsorted(owner, np.arange(n + 1))
    running = np.concatenate([[0.0], ascending])  # in float64, to add up in place
    np.cumsum(running, out=running)
    allowed = max_dropped - (1.0 - (running[start[1:]] - running[start[:-1]]))
    allowed = np.maximum(allowed - _ROUNDING, 0.0)
    below = np.searchsorted(running, running[start[:-1]] + allowed, side="right") - 1
    first = np.clip(below, start[:-1], np.maximum(start[1:] - 1, start[:-1]))
    threshold = ascending[first]
    return np.asarray(single >= threshold[owner])


def expand_rows(factors: list[FloatArray]) -> FloatArray:
    """Return the products of the entries of ``factors`` (n, V_k) in mixed radix, (n, prod V_k)."""
    product = factors[0]
    for factor in factors[1:]:
        product = (product[:, :, None] * factor[:, None, :]).reshape(product.shape[0], -1)
    return product
