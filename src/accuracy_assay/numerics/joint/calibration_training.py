"""Training of sharpness and the network of the joint potential (appendix E, algorithm 2).

A batch has as many rows of D as of U, so that both contribute equally. Half of the steps drop N,
which keeps the sharpness from being under-trained. The parameters with the lowest loss on the
held-out part of D are returned.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from accuracy_assay.numerics.adam import adam
from accuracy_assay.numerics.joint.calibration_loss import gold_losses, predicted_loss
from accuracy_assay.numerics.joint.early_stopping import (
    CHECK_EVERY,
    PATIENCE,
    train_while_it_helps,
)
from accuracy_assay.numerics.joint.potential import Network, evaluate, initial_network
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision

__all__ = ["TrainedPotential", "TrainingRows", "train_potential"]


class TrainingRows(NamedTuple):
    """What training sees; log-scores are tuples of K arrays (rows, V_k)."""

    seed: tuple[Any, ...]
    seed_arm: Any
    held: tuple[Any, ...]
    held_arm: Any
    pool: tuple[Any, ...]
    pool_predicted: tuple[Any, ...]


class TrainedPotential(NamedTuple):
    """The best parameters, their held-out loss and the number of steps that led to them."""

    sharpness: np.ndarray[Any, np.dtype[np.float64]]
    network: Network
    held_loss: float
    n_steps: int


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
    """Train the network on top of the potential ``start`` and return the best that was seen.

    Parameters
    ----------
    rows
        Seed, held-out and pool rows.
    start : (A,)
        Initial potential.
    x : (A, V)
        One-hot rows of all arms.
    sharpness : (K,)
        Initial s; one where ``is_guessed`` (K,) is false, and it stays there.
    batch_rows, max_steps, learning_rate
        As `calibration.full.Full` sets them.
    patience, progress
        As in `early_stopping`.
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
        log_s, network = best.params
        sharpness = np.where(is_guessed, np.exp(log_s), 1.0)
        w1, b1, w2, b2, w3 = map(np.asarray, network)
        return TrainedPotential(sharpness, (w1, b1, w2, b2, w3), best.held_loss, best.n_steps)


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
    optimiser = adam(learning_rate)

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

    def step(carry: Any, key: Array) -> tuple[Any, None]:
        params, state = carry
        coin, key = jax.random.split(key)
        gradient = jax.grad(batch_loss)(params, key, jax.random.bernoulli(coin))
        updates, state = optimiser.update(gradient, state)
        return (optax.apply_updates(params, updates), state), None

    (params, state), _ = jax.lax.scan(step, (params, state), jax.random.split(key, CHECK_EVERY))
    return params, state
