"""Laplace approximation of a latent Gaussian model whose labels observe cells.

Notation: see the sub-package. Besides: a (J,) stands for g during the search for the mode,
f = K a. Cell j has y successes among n trials of a coin with success probability rho_j. For labels
that observe mixtures of cells see ``mixture``.

    log p(y | eta) = sum_j y_j log rho_j + (n_j - y_j) log(1 - rho_j)

Fisher information of eta: W, with n rho (1 - rho) on the diagonal. With its root G,
B = I + G' K G and the mode f = K g:

    posterior covariance  C = K - K H' H K,  H' H = G B^-1 G'
    marginal likelihood   log Z = log p(y | eta) - 1/2 f' g - 1/2 log |B|

The posterior is skewed, most where labels are few and accuracy is near one, so its mean is not its
mode; ``mean_shift`` is the difference to first order (Rue, Martino and Chopin, 2009, section 3.2).
The derivatives of log Z with respect to K are exact: explicit terms and those through the mode
(Rasmussen and Williams, 2006, section 5.5.1). Cells without labels change nothing, so arrays may
be padded with them.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_solve

from accuracy_assay.numerics.gp.newton import (
    LARGEST_STEP,
    LEAST_STEP,
    LEAST_STEP_SINGLE,
    MOST_STEPS,
    NEARLY_THERE,
    ROUNDING,
    STEP_SIZES,
    TINY,
)
from accuracy_assay.numerics.gp.triangular import gram_of_large_lower, inverse_large_lower

__all__ = [
    "CellLabels",
    "Mode",
    "find_mode",
    "log_marginal",
    "marginal_and_slopes",
    "mean_shift",
]


class CellLabels(NamedTuple):
    """Successes y and trials n of each cell, (J,)."""

    y: jax.Array
    n: jax.Array


class Mode(NamedTuple):
    """The posterior mode: eta (J,), g (J,), H and 1/2 log |B|."""

    eta: jax.Array
    g: jax.Array
    H: jax.Array
    half_log_det: jax.Array


def log_likelihood(eta: jax.Array, labels: CellLabels) -> jax.Array:
    """Return log p(y | eta)."""
    return jnp.sum(labels.y * eta - labels.n * jax.nn.softplus(eta))


def _gradient(eta: jax.Array, labels: CellLabels) -> jax.Array:
    """Return d log p / d eta, (J,)."""
    return labels.y - labels.n * jax.nn.sigmoid(eta)


def _root(eta: jax.Array, labels: CellLabels) -> jax.Array:
    """Return the diagonal of G, (J,)."""
    rho = jax.nn.sigmoid(eta)
    return jnp.sqrt(labels.n * rho * (1.0 - rho))


def _factorise(K: jax.Array, G: jax.Array) -> jax.Array:
    """Return the lower Cholesky factor of B = I + G' K G."""
    B = G[:, None] * K * G[None, :] + jnp.eye(K.shape[0], dtype=K.dtype)
    factor: jax.Array = jax.lax.linalg.cholesky(B, symmetrize_input=False)
    return factor


class _CellCurvature(NamedTuple):
    """The root G of W at some eta, and the factor of B = I + G' K G."""

    G: jax.Array
    factor: jax.Array


class _Climb(NamedTuple):
    """The state of the search: f = K a, the last change of f and the one before, steps so far.

    It has stalled if a new factor did not shrink a small change.
    """

    f: jax.Array
    a: jax.Array
    change: jax.Array
    before: jax.Array
    step: jax.Array
    has_stalled: jax.Array


def _advance(
    K: jax.Array, mu: float | jax.Array, labels: CellLabels, curvature: _CellCurvature, at: _Climb
) -> _Climb:
    """Take one guarded step with the curvature of ``at`` or of an earlier point.

    For any W, (I + W K) a' = W f + g leaves a unchanged exactly if a = g, at the mode.
    """
    G, f, a = curvature.G, at.f, at.a
    wanted = G * G * f + _gradient(mu + f, labels)
    to_a = wanted - G * cho_solve((curvature.factor, True), G * (K @ wanted)) - a
    to_f = K @ to_a
    largest = jnp.max(jnp.abs(to_f))
    scale = jnp.minimum(1.0, LARGEST_STEP / jnp.maximum(largest, TINY))
    sizes = scale * jnp.asarray(STEP_SIZES, K.dtype)

    def height(size: jax.Array) -> jax.Array:
        there = f + size * to_f
        return log_likelihood(mu + there, labels) - 0.5 * there @ (a + size * to_a)

    heights = jax.vmap(height)(sizes)
    best = jnp.max(heights)
    # As ``newton.step_size``.
    size = sizes[jnp.argmax(heights >= best - ROUNDING * (1.0 + jnp.abs(best)))]
    return at._replace(
        f=f + size * to_f,
        a=a + size * to_a,
        change=largest,
        before=at.change,
        step=at.step + 1,
    )


def find_mode(
    K: jax.Array,
    mu: float | jax.Array,
    labels: CellLabels,
    start: jax.Array,
) -> Mode:
    """Return the posterior mode; ``start`` (J,) is a guess of g = K^-1 f, used if it helps.

    A Newton search (Fisher scoring) that keeps its factor while each step is at most half of the
    one before: a step costs J^2, a factor J^3.
    """
    endless = jnp.asarray(jnp.inf, K.dtype)
    least_step = LEAST_STEP if K.dtype == jnp.float64 else LEAST_STEP_SINGLE

    def is_moving(at: _Climb) -> jax.Array:
        return (at.change > least_step) & (at.step < MOST_STEPS) & ~at.has_stalled

    def is_shrinking(at: _Climb) -> jax.Array:
        return is_moving(at) & (at.change <= 0.5 * at.before)

    def climb(at: _Climb) -> _Climb:
        G = _root(mu + at.f, labels)
        curvature = _CellCurvature(G, _factorise(K, G))
        begin = at._replace(change=endless, before=endless)
        reached: _Climb = jax.lax.while_loop(
            is_shrinking, lambda at: _advance(K, mu, labels, curvature, at), begin
        )
        is_small = at.change < NEARLY_THERE
        return reached._replace(has_stalled=is_small & (reached.change > 0.5 * at.change))

    f0 = K @ start
    zero = jnp.zeros_like(start)
    height = log_likelihood(mu + f0, labels) - 0.5 * start @ f0
    is_better = height > log_likelihood(mu + zero, labels)
    a0 = jnp.where(is_better, start, zero)
    first = _Climb(K @ a0, a0, endless, endless, jnp.asarray(0), jnp.asarray(False))
    reached: _Climb = jax.lax.while_loop(is_moving, climb, first)
    eta = mu + reached.f
    G = _root(eta, labels)
    factor = _factorise(K, G)
    H = inverse_large_lower(factor) * G[None, :]
    # Not the slope at eta: with millions of labels it would magnify the error of the last step,
    # and K would again.
    return Mode(eta, reached.a, H, jnp.log(jnp.diagonal(factor)).sum())


def mean_shift(K: jax.Array, labels: CellLabels, mode: Mode) -> jax.Array:
    """Return how far the mean of f is from its mode: E[f] is near K (g + shift), (J,).

    To first order the skewness of the likelihood adds C tilt, with tilt_j = 1/2 C_jj times the
    third derivative of log p, the slope of -1/2 log |B| along eta. As C = K (I + W K)^-1, the
    shift is (I + W K)^-1 tilt. On the diagonal W C is I - B^-1, and B^-1 is H' H / W.
    """
    rho, H = jax.nn.sigmoid(mode.eta), mode.H
    W = labels.n * rho * (1.0 - rho)
    seen = W > 0.0
    WC = jnp.where(seen, 1.0 - jnp.sum(H * H, axis=0) / jnp.where(seen, W, 1.0), 0.0)
    tilt = -0.5 * WC * (1.0 - 2.0 * rho)
    shift: jax.Array = tilt - H.T @ (H @ (K @ tilt))
    return shift


def log_marginal(mu: float | jax.Array, labels: CellLabels, mode: Mode) -> jax.Array:
    """Return log Z."""
    f = mode.eta - mu
    return log_likelihood(mode.eta, labels) - 0.5 * f @ mode.g - mode.half_log_det


def marginal_and_slopes(
    K: jax.Array, mu: float | jax.Array, labels: CellLabels, mode: Mode
) -> tuple[jax.Array, jax.Array]:
    """Return log Z and its derivative with respect to K (J, J, symmetric)."""
    g, log_z = mode.g, log_marginal(mu, labels, mode)
    shift = mean_shift(K, labels, mode)
    cross = jnp.outer(shift, g)
    slope_K = 0.5 * (jnp.outer(g, g) - gram_of_large_lower(mode.H) + cross + cross.T)
    return log_z, slope_K
