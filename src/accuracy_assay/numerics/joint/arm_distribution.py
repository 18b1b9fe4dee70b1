"""P(a | x) proportional to prod_k F_k(a_k) exp N(a): partition, moments and likeliest arms.

Z_i = sum_hl head_ih W_hl tail_il = (head W)_i . tail_i is two matrix products. Nothing loops over
arms or holds a table of n x A: heads of little mass are left out before arms are listed.

Special to this module: head and tail hold products of factors.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from accuracy_assay.numerics.joint.sparse_rows import expand_rows, trim_rows
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "Moments",
    "expected_counts",
    "joint_moments",
    "log_partition",
    "split_factors",
    "split_point",
    "top_joint",
]


# Share of the allowed loss that whole heads may take, and that entries too small to list may take.
# Chosen by hand: half of the bound is left for the exact trimming at the end.
_HEAD_SHARE = 0.25
# Numbers in the working table of one piece of rows: 1.6 MB stay in the processor's cache, where
# pieces run several times faster than all rows at once.
_PIECE = 200_000
# Fewest rows of a piece, even with very many tails: with fewer, the cost of calling NumPy
# outweighs the cache.
_LEAST_ROWS = 16
# Rows whose heads and tails are held at a time when all arms are counted. Bounds memory: some
# hundred megabytes of each for 100,000 arms.
_COUNTED_ROWS = 50_000


def split_point(shape: Sequence[int]) -> int:
    """Return j such that the first j attributes and the rest have about equally many values."""
    sums = [math.prod(shape[:j]) + math.prod(shape[j:]) for j in range(len(shape) + 1)]
    return int(np.argmin(sums))


def split_factors(
    factors: Sequence[FloatArray], potential: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return head (n, H), tail (n, L) and W (H, L) = exp(potential)."""
    shape = [factor.shape[1] for factor in factors]
    j = split_point(shape)
    one = np.ones((factors[0].shape[0], 1))
    head, tail = expand_rows([one, *factors[:j]]), expand_rows([one, *factors[j:]])
    return head, tail, np.exp(potential).reshape(head.shape[1], tail.shape[1])


def log_partition(factors: Sequence[FloatArray], potential: FloatArray) -> FloatArray:
    """Return log Z of each row, (n,), given the potential N of all arms (A,).

    Examples
    --------
    >>> float(np.exp(log_partition([np.array([[1.0, 0.5]])], np.log(np.array([2.0, 4.0])))[0]))
    4.0
    """
    top = float(potential.max())
    head, tail, table = split_factors(factors, potential - top)
    return np.asarray(np.log(np.einsum("ic,ic->i", head @ table, tail)) + top)


def expected_counts(factors: Sequence[FloatArray], potential: FloatArray) -> FloatArray:
    """Return sum_i P(a | x_i) of every arm, (A,)."""
    scaled, total = potential - potential.max(), np.zeros(potential.size)
    for start in range(0, factors[0].shape[0], _COUNTED_ROWS):
        piece = [factor[start : start + _COUNTED_ROWS] for factor in factors]
        head, tail, table = split_factors(piece, scaled)
        z = np.einsum("ic,ic->i", head @ table, tail)
        total += (table * ((head / z[:, None]).T @ tail)).reshape(-1)
    return total


def top_joint(
    factors: Sequence[FloatArray], potential: FloatArray, max_dropped: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """List the likeliest arms of each row, leaving out at most ``max_dropped`` of its mass.

    Returns
    -------
    owner, index : (nnz,) int64
        Row (sorted) and arm of each entry.
    weights : (nnz,) float64
        P(a | x); each row sums to at least ``1 - max_dropped``.
    """
    n = factors[0].shape[0]
    shape = [factor.shape[1] for factor in factors]
    step = max(_LEAST_ROWS, _PIECE // math.prod(shape[split_point(shape) :]))
    scaled = potential - potential.max()
    owners, arms, weights = [], [], []
    for start in range(0, n, step):
        piece = [factor[start : start + step] for factor in factors]
        owner, arm, weight = _top_piece(*split_factors(piece, scaled), max_dropped)
        owners.append(owner + start)
        arms.append(arm)
        weights.append(weight)
    return np.concatenate(owners), np.concatenate(arms), np.concatenate(weights)


def _top_piece(
    head: FloatArray, tail: FloatArray, table: FloatArray, max_dropped: float
) -> tuple[IntArray, IntArray, FloatArray]:
    n, n_tails = tail.shape
    share = _HEAD_SHARE * max_dropped
    mass = head * (tail @ table.T)
    z = mass.sum(axis=1)
    mass /= z[:, None]
    flat = np.flatnonzero(mass > 0.0)
    owner, which = np.divmod(flat, mass.shape[1])
    listed = trim_rows(owner, mass.reshape(-1)[flat], n, share)
    owner, which = owner[listed], which[listed]
    scale = head[owner, which] / z[owner]
    count = np.bincount(owner, minlength=n)
    # Entries below this threshold cannot add up to more than their share of the bound.
    small = share / (count * n_tails)
    ends = np.cumsum(count)
    parts, row, entry = [], 0, 0
    # Flat rows list many heads, so their arms are processed in pieces that fit into the cache too.
    while row < n:
        room = entry + _PIECE // n_tails
        next_row = max(row + 1, int(np.searchsorted(ends, room, side="right")))
        of = slice(entry, int(ends[next_row - 1]))
        rows, heads = owner[of], which[of]
        probability = tail[rows]
        probability *= table[heads]
        probability *= scale[of, None]
        flat = np.flatnonzero(probability > small[rows][:, None])
        weights = probability.reshape(-1)[flat]
        pair = flat // n_tails
        rows, arms = rows[pair], heads[pair] * n_tails + (flat - pair * n_tails)
        listed = trim_rows(rows - row, weights, next_row - row, max_dropped)
        parts.append((rows[listed], arms[listed], weights[listed]))
        row, entry = next_row, of.stop
    owner, arms, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return owner, arms, weights


class Moments(NamedTuple):
    """log Z (n,), P(a_k | x) of each attribute (K arrays (n, V_k)) and sum_i P(a | x_i) (A,)."""

    log_z: FloatArray
    values: list[FloatArray]
    arms: FloatArray


def joint_moments(
    factors: Sequence[FloatArray], potential: FloatArray, weight: FloatArray | None = None
) -> Moments:
    """Return the moments of every row; the sum over rows counts each by ``weight`` (n,).

    Examples
    --------
    >>> found = joint_moments([np.array([[1.0, 0.5]])], np.log(np.array([2.0, 4.0])))
    >>> found.arms.tolist()
    [0.5, 0.5]
    """
    shape = [factor.shape[1] for factor in factors]
    j = split_point(shape)
    top = float(potential.max())
    head, tail, table = split_factors(factors, potential - top)
    tail_mass = (head @ table) * tail
    z = tail_mass.sum(axis=1, keepdims=True)
    head_mass = (tail @ table.T) * head / z
    values = _marginals(head_mass, shape[:j]) + _marginals(tail_mass / z, shape[j:])
    counted = head / z if weight is None else head * (weight[:, None] / z)
    arms = table * (counted.T @ tail)
    return Moments(np.log(z[:, 0]) + top, values, arms.reshape(-1))


def _marginals(mass: FloatArray, shape: Sequence[int]) -> list[FloatArray]:
    n, found = mass.shape[0], []
    for k, size in enumerate(shape):
        before = math.prod(shape[:k])
        found.append(mass.reshape(n, before, size, -1).sum(axis=(1, 3)))
    return found
