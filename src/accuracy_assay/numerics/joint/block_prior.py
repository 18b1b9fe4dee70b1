"""A joint prior over attribute combinations from few gold rows: blocks that back off.

Notation
--------
m       gold rows; K attributes of V_k values
block   a set of attributes with one table p_B over their combinations
s       strength of the back-off

Every attribute starts as its own block. Two blocks B and C are merged into

    p_BC(b, c) = (n(b, c) + s p_B(b) p_C(c)) / (m + s)

when that raises the leave-one-out log-likelihood of the gold rows, for the pair and the strength
that raise it most. Attributes that are independent of the rest therefore stay alone, and a
combination that was never seen keeps the mass that its parts suggest.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Block", "fit_blocks", "join_blocks"]


_STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_MARGINAL_STRENGTH = 5.0
_MIN_GAIN = 2.0


class Block(NamedTuple):
    """Attributes in increasing order, and a table with one axis for each of them."""

    attributes: tuple[int, ...]
    table: FloatArray


class _Merge(NamedTuple):
    gain: float
    block: Block


def fit_blocks(
    codes: IntArray, marginals: Sequence[FloatArray], max_cells: int = 100_000
) -> tuple[Block, ...]:
    """Return independent blocks whose product is the joint prior.

    Parameters
    ----------
    codes : (m, K) int
        Gold codes.
    marginals : K arrays (V_k,)
        What each attribute backs off to; positive.
    max_cells : int
        No block gets more combinations than this.
    """
    alive = {k: _single(k, codes[:, k], marginal) for k, marginal in enumerate(marginals)}
    merges: dict[tuple[int, int], _Merge] = {}
    if codes.shape[0] > 1:
        merges = {
            (i, j): _merge(codes, alive[i], alive[j], max_cells)
            for i in alive
            for j in alive
            if i < j
        }
    while merges:
        (i, j), best = max(merges.items(), key=lambda item: item[1].gain)
        if best.gain < _MIN_GAIN:
            break
        del alive[i], alive[j]
        merges = {pair: merge for pair, merge in merges.items() if not {i, j} & set(pair)}
        fresh = max([*alive, i, j]) + 1
        for other, block in alive.items():
            merges[other, fresh] = _merge(codes, block, best.block, max_cells)
        alive[fresh] = best.block
    return tuple(sorted(alive.values(), key=lambda block: block.attributes))


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Return one block over all attributes: the product of independent ones."""
    joint = blocks[0]
    for block in blocks[1:]:
        joint = _product(joint, block)
    return joint


def _single(k: int, column: IntArray, marginal: FloatArray) -> Block:
    counts = np.bincount(column, minlength=marginal.size) + _MARGINAL_STRENGTH * marginal
    return Block((k,), counts / counts.sum())


def _merge(codes: IntArray, one: Block, two: Block, max_cells: int) -> _Merge:
    if one.table.size * two.table.size > max_cells:
        return _Merge(-np.inf, one)
    m = codes.shape[0]
    apart = _product(one, two)
    shape = apart.table.shape
    cell = np.ravel_multi_index(tuple(codes[:, list(apart.attributes)].T), shape)
    back_off = apart.table.reshape(-1)
    count = np.bincount(cell, minlength=back_off.size)
    log_apart = np.log(back_off[cell]).sum()
    gains = [
        float(np.log((count[cell] - 1 + s * back_off[cell]) / (m - 1 + s)).sum() - log_apart)
        for s in _STRENGTHS
    ]
    s = _STRENGTHS[int(np.argmax(gains))]
    table = ((count + s * back_off) / (m + s)).reshape(shape)
    return _Merge(max(gains), Block(apart.attributes, table))


def _product(one: Block, two: Block) -> Block:
    attributes = one.attributes + two.attributes
    order = np.argsort(attributes)
    table = np.multiply.outer(one.table, two.table).transpose(order)
    return Block(tuple(attributes[k] for k in order), table)
