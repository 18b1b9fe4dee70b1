"""Training of the network of the joint potential where arms are too many to list.

::

    log_mean(x) = log mean_i exp network(a_i), a_1 .. a_S ~ q(.|x)
    loss = mean_D [log_mean(x) - network(gold)] + mean_U [log_mean(x) - network(predicted)]

q is the posterior under the start of the potential, so log_mean is the importance-sampled
log Z / Z_q. The loss takes equal parts of D and U. The sharpness stays where it is.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from accuracy_assay.numerics.adam import adam
from accuracy_assay.numerics.joint.calibration_loss import sampled_log_partition
from accuracy_assay.numerics.joint.early_stopping import (
    CHECK_EVERY,
    PATIENCE,
    train_while_it_helps,
)
from accuracy_assay.numerics.joint.potential import Network, evaluate, initial_network
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision

__all__ = ["SampledRows", "train_sampled"]


class SampledRows(NamedTuple):
    """Codes (…, K) of the gold or predicted arm and of S arms drawn for each row."""

    seed_gold: Any
    seed_drawn: Any
    held_gold: Any
    held_drawn: Any
    pool_predicted: Any
    pool_drawn: Any


def train_sampled(
    rows: SampledRows,
    shape: Sequence[int],
    rng: np.random.Generator,
    *,
    width: int,
    batch_rows: int,
    max_steps: int,
    learning_rate: float,
    patience: int = PATIENCE,
    progress: Callable[[int, float], None] | None = None,
) -> tuple[Network, int]:
    """Return the network with the lowest held-out loss and the number of steps to it."""
    with precision("float64"):
        data = jax.tree.map(put, rows)
        network: Any = jax.tree.map(put, initial_network(sum(shape), width, rng))
        sizes = tuple(shape)
        best = train_while_it_helps(
            network,
            lambda network, state, key: _run_steps(
                network, state, key, data, learning_rate, sizes, batch_rows
            ),
            lambda network: _gold_loss(network, data.held_gold, data.held_drawn, sizes),
            rng,
            max_steps=max_steps,
            patience=patience,
            progress=progress,
        )
        w1, b1, w2, b2, w3 = map(np.asarray, best.params)
        return (w1, b1, w2, b2, w3), best.n_steps


def _values(network: Any, codes: Array, shape: tuple[int, ...]) -> Array:
    attribute_of_column = np.repeat(np.arange(len(shape)), shape)
    value_of_column = np.concatenate([np.arange(size) for size in shape])
    one_hot = codes[..., attribute_of_column] == value_of_column
    values: Array = evaluate(network, one_hot.astype(network[0].dtype))
    return values


def _log_mean(network: Any, drawn: Array, shape: tuple[int, ...]) -> Array:
    values = _values(network, drawn, shape)
    return sampled_log_partition(values, jnp.zeros_like(values))


@partial(jax.jit, static_argnames=("shape",))
def _gold_loss(network: Any, gold: Array, drawn: Array, shape: tuple[int, ...]) -> Array:
    loss: Array = jnp.mean(_log_mean(network, drawn, shape) - _values(network, gold, shape))
    return loss


@partial(jax.jit, static_argnames=("shape", "batch_rows"))
def _run_steps(
    network: Any,
    state: Any,
    key: Array,
    data: SampledRows,
    learning_rate: float,
    shape: tuple[int, ...],
    batch_rows: int,
) -> tuple[Any, Any]:
    optimiser = adam(learning_rate)

    def batch_loss(network: Any, key: Array) -> Array:
        key_d, key_u = jax.random.split(key)
        d = jax.random.randint(key_d, (batch_rows,), 0, data.seed_gold.shape[0])
        u = jax.random.randint(key_u, (batch_rows,), 0, data.pool_drawn.shape[0])
        seed: Array = _gold_loss(network, data.seed_gold[d], data.seed_drawn[d], shape)
        pool: Array = _gold_loss(network, data.pool_predicted[u], data.pool_drawn[u], shape)
        return seed + pool

    def step(carry: Any, key: Array) -> tuple[Any, None]:
        network, state = carry
        updates, state = optimiser.update(jax.grad(batch_loss)(network, key), state)
        return (optax.apply_updates(network, updates), state), None

    (network, state), _ = jax.lax.scan(step, (network, state), jax.random.split(key, CHECK_EVERY))
    return network, state
