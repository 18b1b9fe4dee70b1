"""Laplace approximation of a latent Gaussian model whose labels observe cells or mixtures of them.

Notation: see the sub-package. Besides: dq (R, J) holds d q_r / d eta_j = P_rj rho_j (1 - rho_j),
and a (J,) stands for g while the mode is searched, f = K a.
Row r has y successes among n trials of a coin with success probability q_r = sum_j P_rj rho_j;
with exact attributes P is the identity and q = rho.

    log p(y | eta) = sum_r y_r log q_r + (n_r - y_r) log(1 - q_r)

Fisher information of eta: W = dq' diag(n / (q (1 - q))) dq, which is n rho (1 - rho) on the
diagonal for exact attributes. With a root W = G G', B = I + G' K G and the mode f = K g:

    posterior covariance  C = K - K H' H K,  H' H = G B^-1 G'
    evidence              log Z = log p(y | eta) - 1/2 f' g - 1/2 log |B|

The posterior is skewed, most where labels are few and accuracy is near one, so its mean is not its
mode; ``mean_shift`` is the difference to first order (Rue, Martino and Chopin, 2009, section 3.2).
The derivatives of log Z with respect to K are exact: explicit terms and those through the mode
(Rasmussen and Williams, 2006, section 5.5.1, generalised to mixtures). A cell that no row observes
changes nothing, so arrays may be padded with such cells and with rows of n = 0.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_solve

from accuracy_assay.numerics.gp.triangular import inverse_large_lower

__all__ = ["Labels", "Mode", "evidence_and_slopes", "find_mode", "log_evidence", "mean_shift"]

_LARGEST_STEP = 4.0  # change of any logit in one step, as in the prototype: 50 % to 98 %
_ROOT_JITTER = 1e-10  # of W relative to its mean: far above rounding, far below one label
_ROUNDING = 1e-11  # relative error of a sum over all labels: heights closer than this are equal
# Shares of a Newton step that are tried at once. The whole step is best near the mode; the others
# are for the first steps, chosen by hand from a half down to what any height should allow.
_STEP_SIZES = (1.0, 0.5, 0.25, 0.1, 0.02)
_TINY = 1e-300  # divides a step of no length
_LEAST_CHANCE = 1e-12  # success probabilities stay this far from 0 and 1, so that logs are finite


class Labels(NamedTuple):
    """Successes y (R,), trials n (R,) and the mixture P (R, J), or None for exact attributes."""

    y: jax.Array
    n: jax.Array
    P: jax.Array | None = None


class Mode(NamedTuple):
    """The posterior mode: eta (J,), g (J,), H and 1/2 log |B|."""

    eta: jax.Array
    g: jax.Array
    H: jax.Array
    half_log_det: jax.Array


def log_likelihood(eta: jax.Array, labels: Labels) -> jax.Array:
    """Return log p(y | eta)."""
    if labels.P is None:
        return jnp.sum(labels.y * eta - labels.n * jax.nn.softplus(eta))
    q = _success_rate(eta, labels.P)
    return jnp.sum(labels.y * jnp.log(q) + (labels.n - labels.y) * jnp.log1p(-q))


def _success_rate(eta: jax.Array, P: jax.Array) -> jax.Array:
    """Return q, kept off 0 and 1; padded rows are empty and get one half."""
    weight = P.sum(axis=1)
    q = P @ jax.nn.sigmoid(eta) + 0.5 * (1.0 - weight)
    return jnp.clip(q, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)


def _gradient(eta: jax.Array, labels: Labels) -> jax.Array:
    """Return d log p / d eta, (J,)."""
    rho = jax.nn.sigmoid(eta)
    if labels.P is None:
        return labels.y - labels.n * rho
    q = _success_rate(eta, labels.P)
    pull: jax.Array = labels.P.T @ ((labels.y - labels.n * q) / (q * (1.0 - q)))
    return rho * (1.0 - rho) * pull


def _root(eta: jax.Array, labels: Labels) -> jax.Array:
    """Return a root G of W: a diagonal (J,), or (J, R) or (J, J)."""
    rho = jax.nn.sigmoid(eta)
    slope = rho * (1.0 - rho)
    if labels.P is None:
        return jnp.sqrt(labels.n * slope)
    q = _success_rate(eta, labels.P)
    rows = labels.P * slope[None, :] * jnp.sqrt(labels.n / (q * (1.0 - q)))[:, None]
    if rows.shape[0] <= rows.shape[1]:
        return rows.T
    W = rows.T @ rows
    jitter = _ROOT_JITTER * (1.0 + jnp.trace(W) / W.shape[0])
    return _cholesky(W + jitter * jnp.eye(W.shape[0], dtype=W.dtype))


def _root_times(G: jax.Array, X: jax.Array) -> jax.Array:
    """Return G' X."""
    if G.ndim == 2:
        product: jax.Array = G.T @ X
        return product
    return G * X if X.ndim == 1 else G[:, None] * X


def _times_root(G: jax.Array, X: jax.Array) -> jax.Array:
    """Return G X for a vector X."""
    product: jax.Array = G @ X if G.ndim == 2 else G * X
    return product


def _factorise(K: jax.Array, G: jax.Array) -> jax.Array:
    """Return the lower Cholesky factor of B = I + G' K G."""
    B = _root_times(G, _root_times(G, K).T)
    return _cholesky(B + jnp.eye(B.shape[0], dtype=B.dtype))


def _cholesky(X: jax.Array) -> jax.Array:
    """Return the lower factor of X, which is symmetric but for rounding."""
    factor: jax.Array = jax.lax.linalg.cholesky(X, symmetrize_input=False)
    return factor


class _Curvature(NamedTuple):
    """The root G of W at some eta, and the factor of B = I + G' K G."""

    G: jax.Array
    factor: jax.Array


class _Climb(NamedTuple):
    """Where the search stands: f = K a, the last change of f and the one before, steps so far."""

    f: jax.Array
    a: jax.Array
    change: jax.Array
    before: jax.Array
    step: jax.Array


def _advance(
    K: jax.Array, mu: float | jax.Array, labels: Labels, curvature: _Curvature, at: _Climb
) -> _Climb:
    """Take one guarded step with a given curvature, that of ``at`` or of a point before it.

    Whatever W is, (I + W K) a' = W f + g leaves a in place exactly where a = g, at the mode.
    """
    G, f, a = curvature.G, at.f, at.a
    wanted = _times_root(G, _root_times(G, f)) + _gradient(mu + f, labels)
    solved = cho_solve((curvature.factor, True), _root_times(G, K @ wanted))
    to_a = wanted - _times_root(G, solved) - a
    to_f = K @ to_a
    largest = jnp.max(jnp.abs(to_f))
    scale = jnp.minimum(1.0, _LARGEST_STEP / jnp.maximum(largest, _TINY))
    sizes = scale * jnp.asarray(_STEP_SIZES, K.dtype)

    def height(size: jax.Array) -> jax.Array:
        there = f + size * to_f
        return log_likelihood(mu + there, labels) - 0.5 * there @ (a + size * to_a)

    heights = jax.vmap(height)(sizes)
    best = jnp.max(heights)
    # Near the mode all are equal but for rounding; the largest of equals is the Newton step.
    size = sizes[jnp.argmax(heights >= best - _ROUNDING * (1.0 + jnp.abs(best)))]
    return _Climb(f + size * to_f, a + size * to_a, largest, at.change, at.step + 1)


def find_mode(
    K: jax.Array,
    mu: float | jax.Array,
    labels: Labels,
    start: jax.Array,
    *,
    max_steps: int = 300,
    tolerance: float = 1e-8,
) -> Mode:
    """Return the posterior mode; ``start`` (J,) is a guess of g = K^-1 f, used if it helps.

    A Newton search (Fisher scoring) that keeps its factor for as long as each step is at most half
    of the one before: a step costs J^2, a factor J^3. It ends when no logit moves by more than
    ``tolerance``, far below what an estimate shows; ``max_steps`` is there to end a search that
    rounding keeps alive: from zero about a dozen are usual, fewer from a good guess.
    """
    endless = jnp.asarray(jnp.inf, K.dtype)

    def is_moving(at: _Climb) -> jax.Array:
        return (at.change > tolerance) & (at.step < max_steps)

    def is_shrinking(at: _Climb) -> jax.Array:
        return is_moving(at) & (at.change <= 0.5 * at.before)

    def climb(at: _Climb) -> _Climb:
        G = _root(mu + at.f, labels)
        curvature = _Curvature(G, _factorise(K, G))
        begin = at._replace(change=endless, before=endless)
        reached: _Climb = jax.lax.while_loop(
            is_shrinking, lambda at: _advance(K, mu, labels, curvature, at), begin
        )
        return reached

    f0 = K @ start
    zero = jnp.zeros_like(start)
    height = log_likelihood(mu + f0, labels) - 0.5 * start @ f0
    is_better = height > log_likelihood(mu + zero, labels)
    a0 = jnp.where(is_better, start, zero)
    first = _Climb(K @ a0, a0, endless, endless, jnp.asarray(0))
    eta = mu + jax.lax.while_loop(is_moving, climb, first).f
    G = _root(eta, labels)
    factor = _factorise(K, G)
    root = inverse_large_lower(factor)
    H = root @ G.T if G.ndim == 2 else root * G[None, :]
    return Mode(eta, _gradient(eta, labels), H, jnp.log(jnp.diagonal(factor)).sum())


def mean_shift(K: jax.Array, labels: Labels, mode: Mode) -> jax.Array:
    """Return by how much the mean of f differs from its mode: E[f] is near K (g + shift), (J,).

    The first-order effect of the skewness of the likelihood is C tilt, tilt_j being 1/2 C_jj times
    the third derivative of log p, the slope of -1/2 log |B| along eta. As C = K (I + W K)^-1, the
    shift is (I + W K)^-1 tilt.
    """
    if labels.P is None:
        return _shift_exact(K, labels, mode)
    return _shift_mixture(K, labels, mode)


def log_evidence(mu: float | jax.Array, labels: Labels, mode: Mode) -> jax.Array:
    """Return log Z."""
    f = mode.eta - mu
    return log_likelihood(mode.eta, labels) - 0.5 * f @ mode.g - mode.half_log_det


def evidence_and_slopes(
    K: jax.Array, mu: float | jax.Array, labels: Labels, mode: Mode
) -> tuple[jax.Array, jax.Array]:
    """Return log Z and its derivative with respect to K (J, J, symmetric)."""
    g, log_z = mode.g, log_evidence(mu, labels, mode)
    shift = mean_shift(K, labels, mode)
    cross = jnp.outer(shift, g)
    slope_K = 0.5 * (jnp.outer(g, g) - mode.H.T @ mode.H + cross + cross.T)
    return log_z, slope_K


def _shift_exact(K: jax.Array, labels: Labels, mode: Mode) -> jax.Array:
    """For a diagonal W, W C is I - B^-1 on the diagonal, and B^-1 is H' H / W there."""
    rho, H = jax.nn.sigmoid(mode.eta), mode.H
    W = labels.n * rho * (1.0 - rho)
    seen = W > 0.0
    WC = jnp.where(seen, 1.0 - jnp.sum(H * H, axis=0) / jnp.where(seen, W, 1.0), 0.0)
    tilt = -0.5 * WC * (1.0 - 2.0 * rho)
    shift: jax.Array = tilt - H.T @ (H @ (K @ tilt))
    return shift


def _shift_mixture(K: jax.Array, labels: Labels, mode: Mode) -> jax.Array:
    """For mixtures, with the observed information in place of W."""
    assert labels.P is not None
    P, y, n = labels.P, labels.y, labels.n
    rho = jax.nn.sigmoid(mode.eta)
    slope, bow, q = rho * (1.0 - rho), 1.0 - 2.0 * rho, _success_rate(mode.eta, P)
    spread = q * (1.0 - q)
    dq = P * slope[None, :]
    V = K @ mode.H.T
    dqC = dq @ (K - V @ V.T)
    # The slope of -1/2 sum_r n_r (dq C dq')_rr / (q_r (1 - q_r)), C held fixed.
    by_row = 0.5 * n * (1.0 - 2.0 * q) / spread**2 * jnp.sum(dqC * dq, axis=1)
    tilt = slope * (P.T @ by_row - bow * jnp.sum((n / spread)[:, None] * dqC * P, axis=0))
    bend = y / q**2 + (n - y) / (1.0 - q) ** 2
    pull = P.T @ (y / q - (n - y) / (1.0 - q))
    information = (dq * bend[:, None]).T @ dq - jnp.diag(pull * slope * bow)
    system = jnp.eye(K.shape[0], dtype=K.dtype) + information @ K
    shift: jax.Array = jnp.linalg.solve(system, tilt)
    return shift
