"""Losses of the calibration model over all arms, in JAX, for training by gradients.

Special to this module: head and tail hold sums of logs. `arm_distribution` has the same partition
of plain factors in NumPy.
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import Array

from accuracy_assay.numerics.joint.arm_distribution import split_point

__all__ = [
    "gold_losses",
    "log_partition",
    "predicted_loss",
]


def log_partition(log_m: Sequence[Array], s: Array, N: Array) -> Array:
    """Return log Z of each row, (n,), by two matrix products over the factorised scores."""
    shape = [scores.shape[1] for scores in log_m]
    j = split_point(shape)
    head = _sums([s[k] * log_m[k] for k in range(j)], log_m[0].shape[0])
    tail = _sums([s[k] * log_m[k] for k in range(j, len(shape))], log_m[0].shape[0])
    table = N.reshape(math.prod(shape[:j]), math.prod(shape[j:]))
    top_head, top_tail = head.max(axis=1), tail.max(axis=1)
    top = jax.lax.stop_gradient(table.max())
    mixed = jnp.exp(head - top_head[:, None]) @ jnp.exp(table - top)
    z = jnp.sum(mixed * jnp.exp(tail - top_tail[:, None]), axis=1)
    return jnp.log(z) + top_head + top_tail + top


def gold_losses(log_m: Sequence[Array], arm: Array, s: Array, N: Array) -> Array:
    """Return minus the log-likelihood of each row's gold arm, (n,) (equation of section 3.5)."""
    shape = [scores.shape[1] for scores in log_m]
    score = N[arm]
    for k, code in enumerate(jnp.unravel_index(arm, shape)):
        score = score + s[k] * jnp.take_along_axis(log_m[k], code[:, None], axis=1)[:, 0]
    return log_partition(log_m, s, N) - score


def predicted_loss(
    log_m: Sequence[Array], predicted: Sequence[Array], s: Array, N: Array
) -> Array:
    """Return the mean negative log-likelihood of predicted attributes (appendix E).

    ``predicted`` holds K arrays (n, V_k): 0 at the predicted value and `potential.BARRED`
    elsewhere, or 0 everywhere for an attribute without a prediction, which is summed out.
    """
    barred = [s[k] * scores + predicted[k] for k, scores in enumerate(log_m)]
    return jnp.mean(log_partition(log_m, s, N) - log_partition(barred, jnp.ones_like(s), N))


def _sums(scores: Sequence[Array], n: int) -> Array:
    total = jnp.zeros((n, 1))
    for table in scores:
        total = (total[:, :, None] + table[:, None, :]).reshape(n, -1)
    return total
