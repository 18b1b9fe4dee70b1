"""Losses of the calibration model log P(a|x) = sum_k t_k log M_k(a_k|x) + N(a) - log Z, in JAX.

Notation
--------
log_m     K arrays (n, V_k): log M_k of each row; for an exact attribute 0 at its value and
          `potential.BARRED` elsewhere; 0 everywhere for an unknown one
t         (K,) temperatures, positive; 1 for attributes that have no predictor
N         (A,) potential of every arm, last attribute fastest
head, tail (n, B), (n, C) sums over the first and the other attributes; A = B C
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import Array

from accuracy_assay.numerics.joint.top_joint import split_point

__all__ = [
    "gold_losses",
    "log_partition",
    "predicted_loss",
    "sampled_log_partition",
]


def log_partition(log_m: Sequence[Array], t: Array, N: Array) -> Array:
    """Return log Z of each row, (n,), by two matrix products over the factorised scores."""
    shape = [scores.shape[1] for scores in log_m]
    j = split_point(shape)
    head = _sums([t[k] * log_m[k] for k in range(j)], log_m[0].shape[0])
    tail = _sums([t[k] * log_m[k] for k in range(j, len(shape))], log_m[0].shape[0])
    table = N.reshape(math.prod(shape[:j]), math.prod(shape[j:]))
    top_head, top_tail = head.max(axis=1), tail.max(axis=1)
    top = jax.lax.stop_gradient(table.max())
    mixed = jnp.exp(head - top_head[:, None]) @ jnp.exp(table - top)
    z = jnp.sum(mixed * jnp.exp(tail - top_tail[:, None]), axis=1)
    return jnp.log(z) + top_head + top_tail + top


def gold_losses(log_m: Sequence[Array], arm: Array, t: Array, N: Array) -> Array:
    """Return minus the log-likelihood of each row's gold arm, (n,) (equation of section 3.5)."""
    shape = [scores.shape[1] for scores in log_m]
    score = N[arm]
    for k, code in enumerate(jnp.unravel_index(arm, shape)):
        score = score + t[k] * jnp.take_along_axis(log_m[k], code[:, None], axis=1)[:, 0]
    return log_partition(log_m, t, N) - score


def predicted_loss(
    log_m: Sequence[Array], predicted: Sequence[Array], t: Array, N: Array
) -> Array:
    """Return the mean negative log-likelihood of predicted attributes (appendix E).

    ``predicted`` holds K arrays (n, V_k): 0 at the predicted value and
    `potential.BARRED` elsewhere, or 0 everywhere for an attribute without a
    prediction, which is summed out.
    """
    barred = [t[k] * scores + predicted[k] for k, scores in enumerate(log_m)]
    return jnp.mean(log_partition(log_m, t, N) - log_partition(barred, jnp.ones_like(t), N))


def sampled_log_partition(log_target: Array, log_proposal: Array) -> Array:
    """Return the importance-sampled log Z of each row, (n,).

    Parameters
    ----------
    log_target : (n, S)
        Unnormalised log-probability of the sampled arms.
    log_proposal : (n, S)
        Log-probability with which they were drawn; no gradient flows through it.
    """
    log_weight = log_target - jax.lax.stop_gradient(log_proposal)
    return jax.nn.logsumexp(log_weight, axis=1) - jnp.log(log_weight.shape[1])


def _sums(scores: Sequence[Array], n: int) -> Array:
    total = jnp.zeros((n, 1))
    for table in scores:
        total = (total[:, :, None] + table[:, None, :]).reshape(n, -1)
    return total
