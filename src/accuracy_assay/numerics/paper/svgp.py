"""The paper's model as one pure objective: two latent functions, counts at arms, an ELBO.

::

    ELBO = sum_a E_q[log p(c_a, n_a | f_a, g_a)] + scale supervision - w_kl (KL - log p(m0))

There are three kinds of arms. An observed arm is the likeliest arm of at least one label. A
touched one only holds a share of labels whose likeliest arm is another, which happens if
attributes are guessed. Both take part in every step with their counts, but only observed arms
supervise the scale, are pooled and are neighbours. The rest hold only the prior pseudo-counts
(lambda) and differ only in their position. If there are many, each step draws some at random and
weights them up, so the objective is right in expectation.

Special to this module: w_kl the weight of the KL term; p(m0) the standard normal prior of the
constant means.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from accuracy_assay.numerics.paper.arm_kernel import HiddenLayers, correlation, embed
from accuracy_assay.numerics.paper.likelihoods import LIKELIHOODS
from accuracy_assay.numerics.paper.pooling import Pooling, pool
from accuracy_assay.numerics.paper.scale import (
    GivenScale,
    expected_dirichlet,
    expected_gamma,
    given_latents,
)
from accuracy_assay.numerics.paper.variational import kl_from_prior, marginals, whitened
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.programs import compute_once

__all__ = [
    "Counts",
    "Link",
    "Model",
    "Params",
    "StepRows",
    "draw_latent",
    "initial_params",
    "latent",
    "lengths",
    "negative_elbo",
    "pooled_at",
    "pooled_counts",
    "pooling_positions",
    "rows_of_step",
    "supervised_total",
]

_NO_VARIANCE = 1e-10  # of a given g: its square root has a slope
_SOFTPLUS_ONE = 0.5413248546129181  # log(e - 1): its softplus is one

Link: TypeAlias = tuple[float, float]
"""Slope and shift of the sigmoid's argument, slope f + shift."""


class Model(NamedTuple):
    """The settings of a fit; hashable, so that they select the compiled code.

    Reasons for the defaults: six nodes for f and four for g leave a relative error below 0.002 of
    the expected log-likelihood, and eight for f were no better. At most 2,048 observed arms and
    128 others per step bound its time. Counts are pooled again every 50 steps, one warm round. The
    research code clips the counts like this.

    Parameters
    ----------
    likelihood
        Name in ``LIKELIHOODS``.
    supervision
        Scale supervision: ``none``, ``dirichlet`` (the text) or ``gamma`` (the research code).
    supervision_weight
        Weight of that term; one is the text's.
    pooling
        How sparse arms are pooled, or None.
    nodes
        Quadrature nodes for f and for g.
    kl_weight
        Weight of the KL term and of the prior of the constant means; one is the ELBO.
    learning_rate
        Adam's step size.
    observed_per_step, rest_per_step
        Most arms with counts, and most of the rest, in one step.
    pooling_steps
        Steps between two refreshes of the pooled counts.
    count_clip
        Bounds of the counts in the ``gamma`` supervision.
    supervise_rest
        Whether the other arms supervise the scale too, those without a label with the count
        lambda.
    learn_inducing, learn_constant
        Whether inducing points move, and whether the constant means of the latent functions do.
    link
        Slope and shift between f and its sigmoid: phi = sigmoid(slope f + shift). The text has
        (1, 0), the research code (6, -3).
    given_scale
        The scales, if they are given outright and not learned.
    """

    likelihood: Literal["bernoulli", "beta_mean_scale", "beta_alpha_beta"] = "beta_mean_scale"
    supervision: Literal["none", "dirichlet", "gamma"] = "none"
    supervision_weight: float = 1.0
    pooling: Pooling | None = None
    nodes: tuple[int, int] = (6, 4)
    kl_weight: float = 1.0
    learning_rate: float = 1e-2
    observed_per_step: int = 2048
    rest_per_step: int = 128
    pooling_steps: int = 50
    count_clip: tuple[float, float] = (0.01, 10.0)
    supervise_rest: bool = False
    learn_inducing: bool = True
    learn_constant: bool = True
    link: Link = (1.0, 0.0)
    given_scale: GivenScale | None = None

    @property
    def n_latent(self) -> int:
        """Number of latent functions."""
        return 1 if self.likelihood == "bernoulli" else 2


class Params(NamedTuple):
    """Everything that is learned."""

    network: HiddenLayers
    projection: Array | None  # (H, d), or (L, H, d): one for each latent function
    inducing: Array  # (m, D), in input space: the embedding carries them along
    raw_length: Array  # (L, 1) or (L, d), softplus gives the length
    raw_variance: Array  # (L,), softplus gives s
    constant: Array  # (L,), m0: mean of each latent function, prior N(0, 1)
    mean: Array  # (L, m), mu
    root: Array  # (L, m, m), T


class Counts(NamedTuple):
    """Arms with counts, observed ones first, and the rest of the space."""

    X: Array  # (B, D)
    n: Array  # (B,)
    c: Array  # (B,)
    n_observed: Array  # (), observed rows of X: the first ones
    n_touched: Array  # (), rows of X with any share of a label, observed or not
    X_rest: Array  # (E, D)
    n_rest: Array  # (), real rows of X_rest: the first ones
    arms_rest: Array  # (), arms that these rows stand for
    prior_n: Array  # (), lambda
    prior_c: Array  # (), lambda times the overall accuracy


class StepRows(NamedTuple):
    """The arms of one step; ``w`` is the number of arms that a row stands for."""

    X: Array
    n: Array  # the counts that supervise the scale
    likelihood_n: Array  # the counts of the likelihood: pooled if pooling is on
    likelihood_c: Array
    w: Array
    scale_w: Array  # the same for the supervision of the scale


def initial_params(
    model: Model,
    inducing: Array,
    network: HiddenLayers = (),
    projection: Array | None = None,
    *,
    constant: tuple[float, ...] | None = None,
    use_ard: bool = False,
    unit_kernel: bool = False,
) -> Params:
    """Return starting parameters: q equal to the prior, kernel at softplus(0).

    Parameters
    ----------
    model
        Its likelihood decides the number of latent functions.
    inducing
        Inducing inputs (m, D).
    network, projection
        The embedding.
    constant
        Means of the latent functions to start from; zeros when None.
    use_ard
        One length per embedding dimension instead of one for all.
    unit_kernel
        Start length and variance at one instead of softplus(0) = 0.69.
    """
    L, m = model.n_latent, inducing.shape[0]
    size = inducing.shape[1] if projection is None else projection.shape[-1]
    dtype = inducing.dtype
    start = _SOFTPLUS_ONE if unit_kernel else 0.0
    return Params(
        network=network,
        projection=projection,
        inducing=inducing,
        raw_length=put(np.full((L, size if use_ard else 1), start), dtype),
        raw_variance=put(np.full(L, start), dtype),
        constant=put(constant or (0.0,) * L, dtype),
        mean=put(np.zeros((L, m)), dtype),
        root=put(np.tile(np.eye(m), (L, 1, 1)), dtype),
    )


def lengths(params: Params) -> Array:
    """Return the kernels' lengths, (L, 1) or (L, d)."""
    return jax.nn.softplus(params.raw_length)


def latent(link: Link, params: Params, X: Array, jitter: Array) -> tuple[Array, Array]:
    """Return means and variances of the latent values at inputs ``X``, both (L, A).

    The first is the sigmoid's argument, slope f + shift. Only the model's ``link`` matters here,
    so models that share it share the compiled code.
    """
    Cmm, Cmb = _correlations(params, X)
    s = jax.nn.softplus(params.raw_variance)
    mean, variance = marginals(Cmm, Cmb, s, jitter, params.constant, params.mean, params.root)
    slope, shift = link
    return (
        mean.at[0].set(slope * mean[0] + shift),
        variance.at[0].multiply(slope * slope),
    )


def draw_latent(
    link: Link, params: Params, X: Array, jitter: Array, inducing: Array, independent: Array
) -> Array:
    """Return joint draws of the latent values at ``X``, shape (L, S, A).

    Parameters
    ----------
    link, params, X, jitter
        As in ``latent``.
    inducing
        Standard normal draws (L, S, m) that move the inducing values: shared by all arms.
    independent
        Standard normal draws (L, S, A) of what the inducing values leave unexplained at each arm.
    """
    u = whitened(*_correlations(params, X), jitter)
    v = params.mean[:, None] + jnp.einsum("lmk,lsk->lsm", jnp.tril(params.root), inducing)
    own = jnp.sqrt(jnp.maximum(1.0 - (u * u).sum(1), 0.0))
    unit = jnp.einsum("lsm,lma->lsa", v, u) + own[:, None] * independent
    sd = jnp.sqrt(jax.nn.softplus(params.raw_variance))
    draws = params.constant[:, None, None] + sd[:, None, None] * unit
    slope, shift = link
    return draws.at[0].set(slope * draws[0] + shift)


def pooled_counts(model: Model, params: Params, counts: Counts) -> tuple[Array, Array]:
    """Return the likelihood's counts (n, c) of the arms of ``X`` under the present kernel."""
    if model.pooling is None:
        return counts.n, counts.c
    return pooled_at(model, pooling_positions(params, counts), counts)


def pooling_positions(params: Params, counts: Counts) -> Array:
    """Return the positions of the arms of ``X`` for pooling, over the kernel's length, (B, d)."""
    V = embed(params.network, params.projection, counts.X)
    return (V if V.ndim == 2 else V[0]) / lengths(params)[0]


def pooled_at(
    model: Model, positions: Array, counts: Counts, rows: Array | None = None
) -> tuple[Array, Array]:
    """Return the likelihood's counts (n, c) of some rows of ``X``, or of all, given positions."""
    assert model.pooling is not None
    is_observed = jnp.arange(counts.n.size) < counts.n_observed
    return pool(model.pooling, positions, counts.n, counts.c, is_observed, rows)


def supervised_total(model: Model, counts: Counts) -> Array:
    """Return the sum of the counts that supervise the scale, ()."""
    if model.supervise_rest:  # padding holds zeros
        return counts.n.sum() + counts.arms_rest * counts.prior_n
    return jnp.where(jnp.arange(counts.n.size) < counts.n_observed, counts.n, 0.0).sum()


def rows_of_step(
    model: Model,
    counts: Counts,
    pooled: Callable[[Array], tuple[Array, Array]],
    key: Array,
) -> StepRows:
    """Choose the arms of one step: all if they are few, else a random draw.

    ``pooled`` gives the likelihood's counts (n, c) of rows of ``X`` by their numbers.
    """
    key_observed, key_rest = jax.random.split(key)
    index, w = _draw(
        counts.n.size, counts.n_touched, counts.n_touched, model.observed_per_step, key_observed
    )
    rest, w_rest = _draw(
        counts.X_rest.shape[0], counts.n_rest, counts.arms_rest, model.rest_per_step, key_rest
    )
    prior_n, prior_c = jnp.full(rest.size, counts.prior_n), jnp.full(rest.size, counts.prior_c)
    likelihood_n, likelihood_c = pooled(index)
    is_observed = index < counts.n_observed
    scale, scale_rest = jnp.where(is_observed, w, 0.0), jnp.zeros_like(w_rest)
    if model.supervise_rest:
        scale, scale_rest = w, w_rest
    return StepRows(
        X=jnp.concatenate([counts.X[index], counts.X_rest[rest]]),
        n=jnp.concatenate([counts.n[index], prior_n]),
        likelihood_n=jnp.concatenate([likelihood_n, prior_n]),
        likelihood_c=jnp.concatenate([likelihood_c, prior_c]),
        w=jnp.concatenate([w, w_rest]).astype(counts.n.dtype),
        scale_w=jnp.concatenate([scale, scale_rest]).astype(counts.n.dtype),
    )


def negative_elbo(
    model: Model, params: Params, rows: StepRows, total: Array, jitter: Array
) -> Array:
    """Return minus the ELBO of ``rows``; ``total`` is the sum of the supervising counts."""
    if not model.learn_inducing:
        params = params._replace(inducing=jax.lax.stop_gradient(params.inducing))
    if not model.learn_constant:
        params = params._replace(constant=jax.lax.stop_gradient(params.constant))
    mean, variance = compute_once(latent(model.link, params, rows.X, jitter))
    if model.given_scale is not None:
        g = given_latents(model.given_scale, rows.n, total / rows.scale_w.sum())
        mean, variance = mean.at[1].set(g), variance.at[1].set(_NO_VARIANCE)
    expected = LIKELIHOODS[model.likelihood](
        mean, variance, rows.likelihood_n, rows.likelihood_c, model.nodes
    )
    bound = rows.w @ expected + _supervision(model, mean, variance, rows, total)
    prior = kl_from_prior(params.mean, params.root) + 0.5 * (params.constant**2).sum()
    return model.kl_weight * prior - bound


def _correlations(params: Params, X: Array) -> tuple[Array, Array]:
    """Return correlations of the inducing points (L, m, m) and with the arms (L, m, A)."""
    Z = embed(params.network, params.projection, params.inducing)
    V = embed(params.network, params.projection, X)
    length = lengths(params)
    return correlation(Z, Z, length), correlation(Z, V, length)


def _supervision(
    model: Model, mean: Array, variance: Array, rows: StepRows, total: Array
) -> Array | float:
    if model.supervision == "none":
        return 0.0
    g, v = mean[1], variance[1]
    if model.supervision == "dirichlet":
        term = expected_dirichlet(g, v, rows.n, rows.scale_w, total, model.nodes[1])
    else:
        term = expected_gamma(g, v, rows.n, rows.scale_w, model.count_clip, model.nodes[1])
    return model.supervision_weight * term


def _draw(
    size: int, n_real: Array, n_arms: Array, at_most: int, key: Array
) -> tuple[Array, Array]:
    """Return row indices and weights that sum to ``n_arms``: all rows, or ``at_most`` random."""
    if size <= at_most:
        index = jnp.arange(size)
        weight = n_arms / jnp.maximum(n_real, 1)
        return index, jnp.where(index < n_real, weight, 0.0)
    index = jax.random.randint(key, (at_most,), 0, jnp.maximum(n_real, 1))
    return index, jnp.full(at_most, n_arms / at_most)
