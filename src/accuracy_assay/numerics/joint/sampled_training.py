"""Training of sharpness and network over drawn arms: see `potential_training`.

The sharpness learns from D alone. Predicted attributes used as gold say that every predictor is
right: with U, as in the appendix, temperatures of 17 attributes came out at 0.64 of the true ones,
and the log-loss at 5.98 instead of 5.41 (docs/calibration.md).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import initial_network
from accuracy_assay.numerics.joint.potential_training import (
    PATIENCE,
    TrainedPotential,
    run_adam,
    train_while_it_helps,
)
from accuracy_assay.numerics.joint.sampled_loss import (
    Drawing,
    arm_scores,
    log_partition,
    log_partition_apart,
    pad_tables,
    scores_apart,
)
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision

__all__ = ["SampledRows", "train_sampled"]


class SampledRows(NamedTuple):
    """What training sees; log-scores (rows, V) are side by side, gold is codes (rows, K).

    ``pool_predicted`` (rows, V) is 0 at predicted values and ``BARRED`` elsewhere, or 0 everywhere
    for an attribute without a prediction, which is summed out.
    """

    seed: Any
    seed_gold: Any
    held: Any
    held_gold: Any
    pool: Any
    pool_predicted: Any


class _Fixed(NamedTuple):
    """What training does not change: padded tables, and which attributes are guessed, (K,)."""

    tables: Any
    is_guessed: Any


def train_sampled(
    rows: SampledRows,
    shape: Sequence[int],
    blocks: Sequence[Block],
    sharpness: Any,
    is_guessed: Any,
    rng: np.random.Generator,
    *,
    width: int,
    batch_rows: int,
    n_samples: int,
    n_held_samples: int,
    max_steps: int,
    learning_rate: float,
    patience: int = PATIENCE,
    progress: Callable[[int, float], None] | None = None,
) -> TrainedPotential:
    """Train the network on top of ``blocks``.

    Parameters
    ----------
    rows, shape
        Seed, held-out and pool rows, and the number of values of each attribute.
    blocks
        Initial potential.
    sharpness : (K,)
        Initial s; fixed at one where ``is_guessed`` (K,) is false.
    n_samples, n_held_samples
        Arms drawn for each row of a batch, and for each held-out row, always with the same key.
    batch_rows, max_steps, learning_rate
        As in `calibration.full.Full`.
    patience, progress
        As in `potential_training`.
    """
    drawing = Drawing(tuple(block.attributes for block in blocks), tuple(shape), n_samples)
    with precision("float64"):
        data = jax.tree.map(put, rows)
        fixed = _Fixed(put(pad_tables(blocks)), put(is_guessed))
        network = initial_network(sum(shape), width, rng)
        params = jax.tree.map(put, (np.log(sharpness), network))
        held_key = jax.random.key(int(rng.integers(2**31)))
        held_drawing = drawing._replace(n_samples=n_held_samples)
        best = train_while_it_helps(
            params,
            lambda params, state, key: _run_steps(
                params, state, key, data, fixed, learning_rate, drawing, batch_rows
            ),
            lambda params: _held_loss(params, held_key, data, fixed, held_drawing),
            rng,
            max_steps=max_steps,
            patience=patience,
            progress=progress,
        )
        return best.trained(is_guessed)


def _scores(log_s: Array, fixed: _Fixed, log_m: Array, drawing: Drawing) -> Array:
    s = jnp.where(fixed.is_guessed, jnp.exp(log_s), 1.0)
    return log_m * jnp.repeat(s, np.asarray(drawing.shape), total_repeat_length=log_m.shape[1])


@partial(jax.jit, static_argnames=("drawing",))
def _held_loss(
    params: Any, key: Array, data: SampledRows, fixed: _Fixed, drawing: Drawing
) -> Array:
    log_s, network = params
    F = _scores(log_s, fixed, data.held, drawing)
    gold = arm_scores(F, data.held_gold, fixed.tables, network, drawing)
    return jnp.mean(log_partition(F, fixed.tables, network, key, drawing) - gold)


@partial(jax.jit, static_argnames=("drawing", "batch_rows"))
def _run_steps(
    params: Any,
    state: Any,
    key: Array,
    data: SampledRows,
    fixed: _Fixed,
    learning_rate: float,
    drawing: Drawing,
    batch_rows: int,
) -> tuple[Any, Any]:
    def batch_loss(params: Any, key: Array, has_potential: Array) -> Array:
        key_d, key_u, key_a = jax.random.split(key, 3)
        d = jax.random.randint(key_d, (batch_rows,), 0, data.seed.shape[0])
        u = jax.random.randint(key_u, (batch_rows,), 0, data.pool.shape[0])
        of_d = _scores(params[0], fixed, data.seed[d], drawing)
        of_u = jax.lax.stop_gradient(_scores(params[0], fixed, data.pool[u], drawing))
        F = jnp.concatenate([of_d, of_u, of_u + data.pool_predicted[u]])

        def with_potential(network: Any) -> tuple[Array, Array]:
            gold = arm_scores(F[:batch_rows], data.seed_gold[d], fixed.tables, network, drawing)
            return log_partition(F, fixed.tables, network, key_a, drawing), gold

        def without(network: Any) -> tuple[Array, Array]:
            gold = scores_apart(F[:batch_rows], data.seed_gold[d], drawing)
            return log_partition_apart(F, drawing), gold

        log_z, gold = jax.lax.cond(has_potential, with_potential, without, params[1])
        of_seed, of_pool, of_predicted = log_z.reshape(3, batch_rows)
        return jnp.mean(of_seed - gold) + jnp.mean(of_pool - of_predicted)

    return run_adam(batch_loss, params, state, key, learning_rate)
