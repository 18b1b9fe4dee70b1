"""The whole of an Adam run inside one compiled loop.

The number of steps is an argument of the compiled code, so a first fit of 1,000 steps and a later
round of 50 share one compilation; row counts are padded for the same reason.

Pooled counts are refreshed every so many steps. If the steps in between use fewer rows than there
are arms, only the arms' positions are refreshed, and each step pools its own rows: the same
counts, for a million arms in a tenth of the time.

Special to this module: ``state`` is optax's, and goes from one round to the next.
"""

from functools import partial
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.adam import adam, adam_start
from accuracy_assay.numerics.paper.svgp import (
    Counts,
    Model,
    Params,
    StepRows,
    initial_params,
    latent,
    negative_elbo,
    pooled_at,
    pooled_counts,
    pooling_positions,
    rows_of_step,
    supervised_total,
)
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision
from accuracy_assay.runtime.programs import program

__all__ = ["LatentFit", "TrainedGP", "fit_counts", "train"]


class TrainedGP(NamedTuple):
    """Where a run ended."""

    params: Params
    state: Any  # optax's optimiser state, a pytree
    loss: Array  # (), minus the ELBO at the last step
    is_finite: Array  # (), whether every loss, gradient and parameter was


# Not a ``program``: a thousand steps gain more from the best kernels than the trials cost.
@partial(jax.jit, static_argnames="model")
def train(
    model: Model,
    params: Params,
    state: Any,
    counts: Counts,
    n_steps: Array,
    seed: Array,
    jitter: Array,
) -> TrainedGP:
    """Run ``n_steps`` of Adam on minus the ELBO, stopping at the first that is not finite.

    Parameters
    ----------
    model
        Settings; each distinct value compiles once per shape.
    params, state
        Where to start, from ``initial_params`` and ``adam_start`` or from an earlier run.
    counts
        Arms with counts and the rest.
    n_steps
        How many steps, a scalar.
    seed
        Of the draws of arms, a whole number.
    jitter
        Added to the diagonal of the inducing covariance, relative to its scale.
    """
    optimiser, key = adam(model.learning_rate), jax.random.key(seed)
    total = supervised_total(model, counts)

    def loss_of(params: Params, rows: StepRows) -> Array:
        return negative_elbo(model, params, rows, total, jitter)

    def is_on(now: _Progress) -> Array:
        return (now.step < n_steps) & now.is_finite

    pools_in_steps = _pools_in_steps(model, counts)

    def refresh(params: Params) -> _Pooling:
        if pools_in_steps:
            return pooling_positions(params, counts)
        return pooled_counts(model, params, counts)

    def advance(now: _Progress) -> _Progress:
        pooling = now.pooling
        if model.pooling is not None:
            pooling = jax.lax.cond(
                now.step % model.pooling_steps == 0,
                lambda: refresh(now.params),
                lambda: pooling,
            )

        def pooled(index: Array) -> tuple[Array, Array]:
            if isinstance(pooling, tuple):
                return pooling[0][index], pooling[1][index]
            return pooled_at(model, pooling, counts, index)

        rows = rows_of_step(model, counts, pooled, jax.random.fold_in(key, now.step))
        loss, slope = jax.value_and_grad(loss_of)(now.params, rows)
        update, state = optimiser.update(slope, now.state, now.params)
        new = optax.apply_updates(now.params, update)
        is_finite = jnp.isfinite(loss) & jnp.isfinite(optax.tree.norm(slope))
        return _Progress(now.step + 1, new, state, loss, is_finite, pooling)

    nothing = jnp.zeros((), counts.n.dtype)
    start = refresh(params) if pools_in_steps else (counts.n, counts.c)
    begin = _Progress(jnp.int32(0), params, state, nothing, jnp.array(True), start)
    end = jax.lax.while_loop(is_on, advance, begin)
    is_finite = end.is_finite & jnp.isfinite(optax.tree.norm(end.params))
    return TrainedGP(end.params, end.state, end.loss, is_finite)


class LatentFit(NamedTuple):
    """What `fit_counts` learned."""

    mean: FloatArray  # (L, B), of the latent values at the arms: slope f + shift, then g
    variance: FloatArray  # (L, B)
    raw_length: FloatArray  # (L, 1), softplus gives the kernels' lengths


def fit_counts(
    model: Model, X: FloatArray, n: FloatArray, c: FloatArray, n_steps: int, jitter: float
) -> LatentFit:
    """Fit a model to the counts of a few arms, which are the inducing points too.

    Nothing embeds the arms, pads them or samples them, and there are no others: this is the
    paper's model on its own, as the simple setting of its appendix has it.

    Parameters
    ----------
    model
        Its settings.
    X, n, c
        Where the arms lie (B, D), their labels and how many of these are right, both (B,).
    n_steps
        Steps of Adam.
    jitter
        Added to the diagonal of the kernels, relative to their scale.

    Raises
    ------
    ConvergenceError
        If the fit does not stay finite.
    """
    with precision():
        at, nothing = put(X), put(0.0)
        counts = Counts(
            X=at,
            n=put(n),
            c=put(c),
            n_observed=put(n.size),
            n_touched=put(n.size),
            X_rest=put(np.zeros((0, X.shape[1]))),
            n_rest=put(0),
            arms_rest=nothing,
            prior_n=nothing,
            prior_c=nothing,
        )
        begin = initial_params(model, at)
        run = train(model, begin, adam_start(begin), counts, n_steps, 0, put(jitter))
        if not bool(run.is_finite):
            raise ConvergenceError(f"the fit must stay finite; it did not for counts {c} of {n}.")
        mean, variance = _latent(model.link, run.params, at, put(jitter))
        return LatentFit(*map(np.asarray, (mean, variance, run.params.raw_length)))


_latent = program(latent, static_argnames="link")


def _pools_in_steps(model: Model, counts: Counts) -> bool:
    """Return whether the steps between two refreshes use fewer rows than there are arms."""
    rows_between = model.observed_per_step * model.pooling_steps
    return model.pooling is not None and rows_between < counts.n.size


_Pooling: TypeAlias = Array | tuple[Array, Array]
"""Positions of the arms (B, d), or their pooled counts (n, c)."""


class _Progress(NamedTuple):
    """What one step passes to the next."""

    step: Array
    params: Params
    state: Any
    loss: Array
    is_finite: Array
    pooling: _Pooling
