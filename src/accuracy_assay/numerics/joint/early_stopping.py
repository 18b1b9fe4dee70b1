"""Adam that stops when the held-out loss no longer falls, and returns the best that was seen.

Special to this module: a run is `CHECK_EVERY` steps of Adam in one compiled program; the held-out
loss is looked at after each.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array

from accuracy_assay.numerics.adam import adam_start

__all__ = ["CHECK_EVERY", "PATIENCE", "Best", "train_while_it_helps"]

CHECK_EVERY = 25
"""Steps between two looks at the held-out loss. Chosen by hand: one compiled run of steps, short
against the 200 without improvement that end the training."""

PATIENCE = 8
"""Looks without improvement before stopping. Chosen by hand: 200 steps, a third of the usual
limit."""


class Best(NamedTuple):
    """The best parameters, their held-out loss and the number of steps that led to them."""

    params: Any
    held_loss: float
    n_steps: int


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
    """Return the parameters of lowest held-out loss, the first ones included.

    Parameters
    ----------
    params
        Where to start, a pytree on the device.
    run
        From (params, state of Adam, random key) to (params, state) after `CHECK_EVERY` steps.
    held_loss
        Loss on held-out rows.
    rng
        Seeds the keys of the runs.
    max_steps, patience
        When to stop at the latest, and after how many looks without improvement.
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
