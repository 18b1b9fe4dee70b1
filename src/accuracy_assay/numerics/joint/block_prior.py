"""A joint prior over attribute combinations from few gold rows: blocks that back off.

Every attribute starts as its own block. Two blocks B and C are merged into

    p_BC(b, c) = (n(b, c) + strength p_B(b) p_C(c)) / (m + strength)

if that raises the leave-one-out log-likelihood of the gold rows, for the pair and the strength
that raise it most. So independent attributes stay alone, and a combination that was never seen
keeps the mass that its parts suggest.

Special to this module: p_B the table of block B, n(b, c) gold rows with that combination.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Block", "fit_blocks", "join_blocks"]

# Strengths of the back-off to try, in rows: about equal steps in logs from one row to more rows
# than most seed sets have. The leave-one-out likelihood chooses.
_STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
# Rows that the pool's frequencies of an attribute count for beside the gold rows. Chosen by hand:
# enough that every value has mass, few against some hundred gold rows.
_MARGINAL_STRENGTH = 5.0
# Least gain of a merge in log-likelihood (nats). Chosen by hand: a merge adds one parameter, the
# strength, and chance gives one parameter a gain of two in 1 of 20 cases.
_MIN_GAIN = 2.0
# Default limit on the combinations of one block: tables of 100,000 numbers, as in
# `calibration.potential.MAX_EXACT_ARMS`.
_MAX_COMBINATIONS = 100_000


class Block(NamedTuple):
    """Attributes in increasing order, and a table with one axis for each of them."""

    attributes: tuple[int, ...]
    table: FloatArray


class _Merge(NamedTuple):
    gain: float
    block: Block


def fit_blocks(
    codes: IntArray,
    marginals: Sequence[FloatArray],
    max_combinations: int = _MAX_COMBINATIONS,
    weight: FloatArray | None = None,
) -> tuple[Block, ...]:
    """Return independent blocks whose product is the joint prior.

    Parameters
    ----------
    codes : (m, K) int
        Gold codes.
    marginals : K arrays (V_k,)
        What each attribute backs off to; positive.
    max_combinations : int
        No block gets more combinations than this.
    weight : (m,), optional
        How much each gold row counts, by default once.
    """
    alive = {k: _single(k, codes[:, k], table, weight) for k, table in enumerate(marginals)}
    merges: dict[tuple[int, int], _Merge] = {}
    if codes.shape[0] > 1:
        merges = {
            (i, j): _merge(codes, weight, alive[i], alive[j], max_combinations)
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
            merges[other, fresh] = _merge(codes, weight, block, best.block, max_combinations)
        alive[fresh] = best.block
    return tuple(sorted(alive.values(), key=lambda block: block.attributes))


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Return one block over all attributes: the product of independent ones."""
    joint = blocks[0]
    for block in blocks[1:]:
        joint = _product(joint, block)
    return joint


def _single(k: int, column: IntArray, marginal: FloatArray, weight: FloatArray | None) -> Block:
    seen = np.bincount(column, weight, minlength=marginal.size)
    counts = seen + _MARGINAL_STRENGTH * marginal
    return Block((k,), counts / counts.sum())


def _merge(
    codes: IntArray, weight: FloatArray | None, one: Block, two: Block, max_combinations: int
) -> _Merge:
    if one.table.size * two.table.size > max_combinations:
        return _Merge(-np.inf, one)
    apart = _product(one, two)
    shape = apart.table.shape
    combination = np.ravel_multi_index(tuple(codes[:, list(apart.attributes)].T), shape)
    back_off = apart.table.reshape(-1)
    row: FloatArray | int = 1 if weight is None else weight
    count = np.bincount(combination, weight, minlength=back_off.size)
    m = count.sum()
    log_apart = (row * np.log(back_off[combination])).sum()
    # Each gold row is judged by the table of the others, without its own count.
    others, suggested = count[combination] - row, back_off[combination]
    gains = [
        float(
            (row * np.log((others + strength * suggested) / (m - row + strength))).sum()
            - log_apart
        )
        for strength in _STRENGTHS
    ]
    strength = _STRENGTHS[int(np.argmax(gains))]
    table = ((count + strength * back_off) / (m + strength)).reshape(shape)
    return _Merge(max(gains), Block(apart.attributes, table))


def _product(one: Block, two: Block) -> Block:
    attributes = one.attributes + two.attributes
    order = np.argsort(attributes)
    table = np.multiply.outer(one.table, two.table).transpose(order)
    return Block(tuple(attributes[k] for k in order), table)
