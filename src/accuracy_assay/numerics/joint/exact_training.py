"""Training of sharpness and network over all arms: see `potential_training`."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from accuracy_assay.numerics.joint.exact_loss import gold_losses, predicted_loss
from accuracy_assay.numerics.joint.potential import evaluate, initial_network
from accuracy_assay.numerics.joint.potential_training import (
    PATIENCE,
    TrainedPotential,
    run_adam,
    train_while_it_helps,
)
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision

__all__ = ["TrainingRows", "train_potential"]


class TrainingRows(NamedTuple):
    """What training sees; log-scores are tuples of K arrays (rows, V_k)."""

    seed: tuple[Any, ...]
    seed_arm: Any
    held: tuple[Any, ...]
    held_arm: Any
    pool: tuple[Any, ...]
    pool_predicted: tuple[Any, ...]


def train_potential(
    rows: TrainingRows,
    start: Any,
    x: Any,
    sharpness: Any,
    is_guessed: Any,
    rng: np.random.Generator,
    *,
    width: int,
    batch_rows: int = 256,
    max_steps: int = 600,
    patience: int = PATIENCE,
    learning_rate: float = 1e-3,
    progress: Callable[[int, float], None] | None = None,
) -> TrainedPotential:
    """Train the network on top of the potential ``start``.

    Parameters
    ----------
    rows
        Seed, held-out and pool rows.
    start : (A,)
        Initial potential.
    x : (A, V)
        One-hot rows of all arms.
    sharpness : (K,)
        Initial s; fixed at one where ``is_guessed`` (K,) is false.
    batch_rows, max_steps, learning_rate
        As in `calibration.full.Full`.
    patience, progress
        As in `potential_training`.
    """
    with precision("float64"):
        data = jax.tree.map(put, rows)
        fixed = (put(start), put(x), put(is_guessed))
        network = initial_network(x.shape[1], width, rng)
        params = jax.tree.map(put, (np.log(sharpness), network))
        best = train_while_it_helps(
            params,
            lambda params, state, key: _run_steps(
                params, state, key, data, fixed, learning_rate, batch_rows
            ),
            lambda params: _held_loss(params, data, fixed),
            rng,
            max_steps=max_steps,
            patience=patience,
            progress=progress,
        )
        return best.trained(is_guessed)


def _sharpness(log_s: Array, is_guessed: Array) -> Array:
    return jnp.where(is_guessed, jnp.exp(log_s), 1.0)


@jax.jit
def _held_loss(params: Any, data: TrainingRows, fixed: tuple[Array, ...]) -> Array:
    start, x, is_guessed = fixed
    N = start + evaluate(params[1], x)
    s = _sharpness(params[0], is_guessed)
    return jnp.mean(gold_losses(data.held, data.held_arm, s, N))


@partial(jax.jit, static_argnames=("batch_rows",))
def _run_steps(
    params: Any,
    state: Any,
    key: Array,
    data: TrainingRows,
    fixed: tuple[Array, ...],
    learning_rate: float,
    batch_rows: int,
) -> tuple[Any, Any]:
    start, x, is_guessed = fixed

    def batch_loss(params: Any, key: Array, has_potential: Array) -> Array:
        key_d, key_u = jax.random.split(key)
        d = jax.random.randint(key_d, (batch_rows,), 0, data.seed_arm.shape[0])
        u = jax.random.randint(key_u, (batch_rows,), 0, data.pool[0].shape[0])
        s = _sharpness(params[0], is_guessed)
        N = jax.lax.cond(
            has_potential,
            lambda network: start + evaluate(network, x),
            lambda network: jnp.zeros_like(start),
            params[1],
        )
        gold = gold_losses([table[d] for table in data.seed], data.seed_arm[d], s, N)
        pool = [table[u] for table in data.pool]
        predicted = [table[u] for table in data.pool_predicted]
        return jnp.mean(gold) + predicted_loss(pool, predicted, s, N)

    return run_adam(batch_loss, params, state, key, learning_rate)
