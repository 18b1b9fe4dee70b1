"""The most probable combinations of independent attributes, best first.

The combinations of one row form a tree, one level per attribute. A prefix is cut if even its best
completion stays below tau, so the cost is that of what is listed, not 2^K. tau starts high and
sinks for rows that do not yet hold 1 - max_dropped (iterative deepening); the result is the set
that a best-first search returns.

Special to this module: q, K arrays (n, V_k), probabilities of each attribute (or block), rows sum
to one; tau, a threshold: all combinations of probability at least tau are listed.
"""

import math
from collections.abc import Sequence

import numpy as np

from accuracy_assay.numerics.joint.sparse_rows import trim_rows
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["TooManyCombinationsError", "top_product"]


# Factor by which tau sinks per pass. Chosen by hand: a smaller one needs fewer passes but lists
# more entries than are kept.
_STEP = 0.03
# Where tau starts: at max_dropped, but at most a half (only one combination is that probable) and
# above zero.
_MOST_TAU, _LEAST_TAU = 0.5, 1e-12
# Most entries of one pass; above that, the rows are halved. Bounds memory: about 200 MB of arrays.
_MAX_ENTRIES = 8_000_000
# Default limit on the combinations of one row: some 24 MB for a single instance.
_MAX_PER_ROW = 1_000_000
# Replaces zero in a ratio: a little above the smallest float64 of full precision, 2e-308.
_TINY = 1e-300


class TooManyCombinationsError(Exception):
    """A row needs more combinations than the limit to hold its mass."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def top_product(
    q: Sequence[FloatArray], max_dropped: float, max_per_row: int = _MAX_PER_ROW
) -> tuple[IntArray, IntArray, FloatArray]:
    """List the likeliest combinations of each row, leaving out at most ``max_dropped``.

    Parameters
    ----------
    q : K arrays (n, V_k)
        Independent probabilities.
    max_dropped : float
        Bound on the mass that a row may lose.
    max_per_row : int
        Limit on the combinations of one row.

    Returns
    -------
    owner : (nnz,) int64
        Row of each entry, sorted.
    index : (nnz,) int64
        Mixed-radix index of the combination, last attribute fastest.
    weights : (nnz,) float64
        Probabilities; each row sums to at least ``1 - max_dropped``.

    Raises
    ------
    TooManyCombinationsError
        If a row would need more than ``max_per_row`` combinations.
    """
    n = q[0].shape[0]
    waiting = np.arange(n)
    tau = min(_MOST_TAU, max(max_dropped, _LEAST_TAU))
    done: list[tuple[IntArray, IntArray, FloatArray]] = []
    while waiting.size:
        try:
            local, index, weights = _at_least([table[waiting] for table in q], tau)
        except TooManyCombinationsError as error:
            raise TooManyCombinationsError(int(waiting[error.row])) from None
        held = np.bincount(local, weights, minlength=waiting.size)
        is_done = (held >= 1.0 - max_dropped) | (tau == 0.0)
        chosen = is_done[local]
        done.append((waiting[local[chosen]], index[chosen], weights[chosen]))
        waiting = waiting[~is_done]
        tau = tau * _STEP if max_dropped > 0.0 else 0.0
    owner = np.concatenate([part[0] for part in done])
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    index = np.concatenate([part[1] for part in done])[order]
    weights = np.concatenate([part[2] for part in done])[order]
    listed = trim_rows(owner, weights, n, max_dropped)
    owner = owner[listed]
    count = np.bincount(owner, minlength=n)
    if count.max(initial=0) > max_per_row:
        raise TooManyCombinationsError(int(count.argmax()))
    return owner, index[listed], weights[listed]


def _at_least(q: list[FloatArray], tau: float) -> tuple[IntArray, IntArray, FloatArray]:
    """List the combinations of probability at least ``tau`` (all positive ones if it is 0)."""
    n = q[0].shape[0]
    best_rest = np.ones(n)
    rests = []
    for table in reversed(q):
        rests.append(best_rest)
        best_rest = best_rest * table.max(axis=1)
    owner, index, weights = np.arange(n), np.zeros(n, np.int64), np.ones(n)
    for table, rest in zip(q, reversed(rests), strict=True):
        limit = np.maximum(tau, _TINY) / np.maximum(rest, _TINY)
        grown = weights[:, None] * table[owner]
        entry, value = np.nonzero(grown >= limit[owner][:, None])
        if entry.size > _MAX_ENTRIES:
            return _in_halves(q, tau)
        weights = grown[entry, value]
        index = index[entry] * table.shape[1] + value
        owner = owner[entry]
    return owner, index, weights


def _in_halves(q: list[FloatArray], tau: float) -> tuple[IntArray, IntArray, FloatArray]:
    n = q[0].shape[0]
    if n == 1:
        raise TooManyCombinationsError(0)
    middle = math.ceil(n / 2)
    first = _at_least([table[:middle] for table in q], tau)
    try:
        second = _at_least([table[middle:] for table in q], tau)
    except TooManyCombinationsError as error:
        raise TooManyCombinationsError(middle + error.row) from None
    return (
        np.concatenate([first[0], second[0] + middle]),
        np.concatenate([first[1], second[1]]),
        np.concatenate([first[2], second[2]]),
    )
