"""The whole of an Adam run inside one compiled loop.

The number of steps is an argument of the compiled code, not a part of it, so a first fit of 1,000
steps and a later round of 50 share one compilation; row counts are padded to buckets for the same
reason.

Notation: as in ``svgp``; ``state`` is optax's, and goes from one round to the next.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from accuracy_assay.numerics.svgp import (
    Counts,
    Model,
    Params,
    negative_elbo,
    pooled_counts,
    rows_of_step,
)

__all__ = ["Trained", "bucket", "start", "train"]

_SMALLEST_BUCKET = 64


class Trained(NamedTuple):
    """Where a run ended."""

    params: Params
    state: Any  # optax's optimiser state, a pytree
    loss: Array  # (), minus the ELBO at the last step
    is_finite: Array  # (), false as soon as any step's loss or gradient was not finite


def bucket(n_rows: int) -> int:
    """Return the padded size for ``n_rows``: powers of two and one and a half times them.

    Examples
    --------
    >>> [bucket(n) for n in (1, 65, 100, 500, 600)]
    [64, 96, 128, 512, 768]
    """
    size = _SMALLEST_BUCKET
    while size < n_rows:
        half = size + size // 2
        if n_rows <= half:
            return half
        size *= 2
    return size


def start(model: Model, params: Params) -> Any:
    """Return the optimiser's state before the first step."""
    return _optimiser(model).init(params)


@partial(jax.jit, static_argnames="model")
def train(
    model: Model,
    params: Params,
    state: Any,
    counts: Counts,
    n_steps: Array,
    key: Array,
    jitter: Array,
) -> Trained:
    """Run ``n_steps`` of Adam on minus the ELBO, stopping at the first that is not finite.

    Parameters
    ----------
    model
        Settings; each distinct value compiles once per shape.
    params, state
        Where to start, from ``initial_params`` and ``start`` or from an earlier run.
    counts
        Observed arms and the rest.
    n_steps
        How many steps, a scalar.
    key
        Randomness of the draws of arms.
    jitter
        Added to the diagonal of the inducing covariance, relative to its scale.
    """
    optimiser = _optimiser(model)
    # Padding rows of the observed hold zeros.
    total = counts.n.sum() + model.supervise_rest * counts.arms_rest * counts.prior_n

    def is_on(carry: tuple[Array, Trained, tuple[Array, Array]]) -> Array:
        step, run, _ = carry
        return (step < n_steps) & run.is_finite

    def advance(
        carry: tuple[Array, Trained, tuple[Array, Array]],
    ) -> tuple[Array, Trained, tuple[Array, Array]]:
        step, run, pooled = carry
        if model.pooling is not None:
            pooled = jax.lax.cond(
                step % model.pooling_steps == 0,
                lambda: pooled_counts(model, run.params, counts),
                lambda: pooled,
            )
        rows = rows_of_step(model, counts, pooled, jax.random.fold_in(key, step))
        loss, slope = jax.value_and_grad(lambda p: negative_elbo(model, p, rows, total, jitter))(
            run.params
        )
        update, state = optimiser.update(slope, run.state, run.params)
        new = optax.apply_updates(run.params, update)
        is_finite = jnp.isfinite(loss) & jnp.isfinite(optax.tree.norm(slope))
        return step + 1, Trained(new, state, loss, is_finite), pooled

    begin = Trained(params, state, jnp.zeros((), counts.n.dtype), jnp.array(True))
    pooled = (counts.n, counts.c)
    return jax.lax.while_loop(is_on, advance, (jnp.zeros((), jnp.int32), begin, pooled))[1]


def _optimiser(model: Model) -> optax.GradientTransformation:
    """Return Adam on all parameters as one vector, which compiles in a fraction of the time."""
    return optax.flatten(optax.adam(model.learning_rate))
