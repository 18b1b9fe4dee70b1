"""A joint potential from what gold rows and pool say about attribute combinations.

::

    N(a) = c_D G_D(a) + c_U G_U(a) + sum_k b_k(a_k)

G_D is the log-ratio of D's prior (`numerics.joint.block_prior`) to the product of its marginals,
G_U the same of the prior that the evidence of U suggests (`numerics.joint.pool_prior`); the other
symbols are those of `numerics.joint`.

Coefficients, biases and sharpness are learned together (`numerics.joint.stacking`); each gold row
is judged by a G_D that did not see it. Spaces above 100,000 arms are cut into blocks of attributes
that D ties together, and each block is fitted alone.
"""

from typing import NamedTuple

import numpy as np

from accuracy_assay.calibration.factors import evidence_factors, log_scores, predictor_sharpness
from accuracy_assay.calibration.potential import MAX_EXACT_ARMS, Potential
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.block_prior import Block, fit_blocks, join_blocks
from accuracy_assay.numerics.joint.pool_prior import base_rates, log_product, pool_prior
from accuracy_assay.numerics.joint.stacking import stack
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["JointPrior", "fit_joint_prior"]


# Folds of the gold rows, the usual five: each row is judged by a prior from four fifths of D.
_FOLDS = 5
# Most combinations of a block if arms are too many to list. Chosen by hand, bounds memory: a
# block's posterior is held for every row of a chunk.
_MAX_SAMPLED_BLOCK = 1_000
# Prior mean of (c_D, c_U): D counts in full, U not at all. The pool shows correlations of
# predictions, which need not be correlations of attributes (docs/calibration.md).
_START = np.array([1.0, 0.0])


class JointPrior(NamedTuple):
    """Sharpness (K,), the potential, the attributes that D ties, and (c_D, c_U) per block."""

    sharpness: FloatArray
    potential: Potential
    tied: tuple[tuple[int, ...], ...]
    coefficients: tuple[tuple[float, ...], ...]


def fit_joint_prior(evidence: Evidence, gold: IntArray, pool: Evidence) -> JointPrior:
    """Return sharpness and potential learned from gold codes (m, K) and a pool."""
    space = evidence.space
    is_exact = space.n_arms <= MAX_EXACT_ARMS
    first = predictor_sharpness(evidence, gold)
    factors = evidence_factors(pool, first)
    rates = base_rates(factors)
    most = MAX_EXACT_ARMS if is_exact else _MAX_SAMPLED_BLOCK
    tied = tuple(block.attributes for block in fit_blocks(gold, rates, most))
    sharpness, scores = np.ones(len(space.shape)), log_scores(evidence)
    blocks, coefficients = [], []
    for attributes in (tuple(range(len(space.shape))),) if is_exact else tied:
        at = list(attributes)
        shape = tuple(space.shape[k] for k in at)
        base = [rates[k] for k in at]
        suggested = pool_prior([factors[k] for k in at], base).reshape(shape)
        arm = np.ravel_multi_index(tuple(gold[:, at].T), shape).astype(np.int64)
        fold = np.arange(arm.size) % min(_FOLDS, arm.size)
        unseen = [_features(gold[fold != j][:, at], base, suggested) for j in range(max(fold) + 1)]
        fit = stack(
            [scores[k] for k in at],
            arm,
            fold,
            np.stack(unseen),
            _START,
            np.array(evidence.is_guessed)[at],
        )
        table = fit.coefficients @ _features(gold[:, at], base, suggested)
        table += log_product([np.exp(bias) for bias in fit.biases])
        blocks.append(Block(attributes, table.reshape(shape)))
        sharpness[at] = fit.sharpness
        coefficients.append(tuple(fit.coefficients.tolist()))
    return JointPrior(sharpness, Potential(tuple(blocks)), tied, tuple(coefficients))


def _features(gold: IntArray, rates: list[FloatArray], suggested: FloatArray) -> FloatArray:
    """Return G_D and G_U over the combinations of one block, (2, its size)."""
    seen = join_blocks(fit_blocks(gold, rates, suggested.size)).table
    return np.stack([_log_ratio(seen), _log_ratio(suggested)])


def _log_ratio(table: FloatArray) -> FloatArray:
    axes = range(table.ndim)
    marginals = [table.sum(axis=tuple(j for j in axes if j != k)) for k in axes]
    return np.asarray(np.log(table).reshape(-1) - log_product(marginals))
