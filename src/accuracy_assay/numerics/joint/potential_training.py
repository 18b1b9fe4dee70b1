"""Training of sharpness and network (appendix E, algorithm 2): what all arms and drawn ones share.

A batch has as many rows of D as of U, so that both contribute equally. Half of the steps drop N,
which keeps the sharpness from being under-trained. Training stops when the loss on the held-out
part of D no longer falls, and returns the parameters with the lowest.

Special to this module: a run is `CHECK_EVERY` steps of Adam in one compiled program; the held-out
loss is checked after each. Parameters are (log s, network).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
import optax
from jax import Array

from accuracy_assay.numerics.adam import adam, adam_start
from accuracy_assay.numerics.joint.potential import Network
from accuracy_assay.runtime.arrays import FloatArray

__all__ = [
    "CHECK_EVERY",
    "PATIENCE",
    "Best",
    "TrainedPotential",
    "run_adam",
    "train_while_it_helps",
]

CHECK_EVERY = 25
"""Steps between two checks of the held-out loss. Chosen by hand: one compiled run of steps, short
against the 200 without improvement that end the training."""

PATIENCE = 8
"""Checks without improvement before stopping. Chosen by hand: 200 steps, a third of the usual
limit."""


class TrainedPotential(NamedTuple):
    """The best sharpness and network, their held-out loss and the steps that led to them."""

    sharpness: FloatArray
    network: Network
    held_loss: float
    n_steps: int


class Best(NamedTuple):
    """The best parameters, their held-out loss and the steps that led to them."""

    params: Any
    held_loss: float
    n_steps: int

    def trained(self, is_guessed: Any) -> TrainedPotential:
        """Return sharpness and network; s is one for attributes that are not guessed (K,)."""
        log_s, network = self.params
        w1, b1, w2, b2, w3 = map(np.asarray, network)
        sharpness = np.where(is_guessed, np.exp(log_s), 1.0)
        return TrainedPotential(sharpness, (w1, b1, w2, b2, w3), self.held_loss, self.n_steps)


def train_while_it_helps(
    params: Any,
    run: Callable[[Any, Any, Array], tuple[Any, Any]],
    held_loss: Callable[[Any], Array],
    rng: np.random.Generator,
    *,
    max_steps: int,
    patience: int = PATIENCE,
    progress: Callable[[int, float], None] | None = None,
) -> Best:
    """Return the parameters with the lowest held-out loss, the first ones included.

    Parameters
    ----------
    params
        Where to start, a pytree on the device.
    run
        Maps (params, state of Adam, random key) to (params, state) after `CHECK_EVERY` steps.
    held_loss
        Loss on held-out rows.
    rng
        Seeds the keys of the runs.
    max_steps, patience
        Most steps, and most checks without improvement.
    progress
        Called with (step, held-out loss) after each run.
    """
    state = adam_start(params)
    key = jax.random.key(int(rng.integers(2**31)))
    best = Best(params, float(held_loss(params)), 0)
    step = 0
    while step < max_steps and step - best.n_steps < patience * CHECK_EVERY:
        key, now = jax.random.split(key)
        params, state = run(params, state, now)
        step += CHECK_EVERY
        loss = float(held_loss(params))
        if progress is not None:
            progress(step, loss)
        if loss < best.held_loss:
            best = Best(params, loss, step)
    return best


def run_adam(
    loss: Callable[[Any, Array, Array], Array],
    params: Any,
    state: Any,
    key: Array,
    learning_rate: float,
) -> tuple[Any, Any]:
    """Take `CHECK_EVERY` steps of Adam on loss(params, key, whether N counts)."""
    optimiser = adam(learning_rate)

    def step(carry: Any, key: Array) -> tuple[Any, None]:
        params, state = carry
        coin, key = jax.random.split(key)
        gradient = jax.grad(loss)(params, key, jax.random.bernoulli(coin))
        updates, state = optimiser.update(gradient, state)
        return (optax.apply_updates(params, updates), state), None

    (params, state), _ = jax.lax.scan(step, (params, state), jax.random.split(key, CHECK_EVERY))
    return params, state
