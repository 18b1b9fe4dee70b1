"""Marginals and most probable arm of P(a|x), without listing arms if they are many.

Symbols as in `numerics.joint`.
"""

from typing import NamedTuple

import numpy as np

from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.sampled import N_SAMPLES, sample_combinations
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.sparse_rows import expand_rows
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Marginals", "marginals"]


# Numbers in the joint table of one piece of rows. Bounds memory: 16 MB.
_PIECE = 2_000_000


class Marginals(NamedTuple):
    """P(a_k|x) (n, V_k) of each attribute, the most probable codes (n, K), and P of them (n,)."""

    tables: list[FloatArray]
    top_codes: IntArray
    top_probability: FloatArray


def marginals(factors: list[FloatArray], potential: Potential | None) -> Marginals:
    """Return the marginals of P(a|x) given factors (n, V_k) and a potential.

    With a network over too many arms they are estimated from samples.
    """
    if potential is None:
        potential = Potential(
            tuple(Block((k,), np.zeros(factor.shape[1])) for k, factor in enumerate(factors))
        )
    if potential.network is not None:
        return _from_samples(factors, potential)
    tables: list[FloatArray] = [np.empty(0)] * len(factors)
    top_combinations, top = [], np.ones(factors[0].shape[0])
    for block in potential.blocks:
        found = _of_block([factors[k] for k in block.attributes], block)
        for k, table in zip(block.attributes, found.tables, strict=True):
            tables[k] = table
        top_combinations.append(found.top_codes)
        top = top * found.top_probability
    top_codes = potential.codes(np.stack(top_combinations, axis=1), len(factors))
    return Marginals(tables, top_codes, top)


def _of_block(factors: list[FloatArray], block: Block) -> Marginals:
    """Return marginals of one block, with its likeliest combination instead of codes."""
    potential = np.exp(block.table.reshape(-1) - block.table.max())
    step = max(1, _PIECE // potential.size)
    parts: list[list[FloatArray]] = [[] for _ in factors]
    combinations, tops = [], []
    for start in range(0, factors[0].shape[0], step):
        joint = expand_rows([factor[start : start + step] for factor in factors]) * potential
        joint /= joint.sum(axis=1, keepdims=True)
        combinations.append(joint.argmax(axis=1))
        tops.append(joint.max(axis=1))
        shaped = joint.reshape(-1, *block.table.shape)
        for k in range(len(factors)):
            others = tuple(j + 1 for j in range(len(factors)) if j != k)
            parts[k].append(shaped.sum(axis=others))
    tables = [np.concatenate(part) for part in parts]
    return Marginals(tables, np.concatenate(combinations), np.concatenate(tops))


def _from_samples(factors: list[FloatArray], potential: Potential) -> Marginals:
    n, shape = factors[0].shape[0], tuple(factor.shape[1] for factor in factors)
    posteriors = potential.block_posteriors(factors)
    drawn = sample_combinations(posteriors, N_SAMPLES, np.random.default_rng(0))
    codes = potential.codes(drawn.reshape(-1, drawn.shape[2]), len(shape))
    w = np.exp(potential.network_values(codes, shape)).reshape(n, N_SAMPLES)
    row = np.repeat(np.arange(n), N_SAMPLES)
    share = (w / w.sum(axis=1, keepdims=True)).reshape(-1)
    tables = [
        np.bincount(row * size + codes[:, k], share, minlength=n * size)
        .astype(np.float64)
        .reshape(n, size)
        for k, size in enumerate(shape)
    ]
    log_q = np.zeros((n, N_SAMPLES))
    with np.errstate(divide="ignore"):
        for b, table in enumerate(posteriors):
            log_q += np.log(np.take_along_axis(table, drawn[:, :, b], axis=1))
    probability = np.exp(log_q) * w / w.mean(axis=1, keepdims=True)
    best = probability.argmax(axis=1)
    top = np.minimum(probability[np.arange(n), best], 1.0)
    return Marginals(tables, codes.reshape(n, N_SAMPLES, -1)[np.arange(n), best], top)
