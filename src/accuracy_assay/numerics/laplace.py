"""Laplace approximation of a latent Gaussian model whose labels observe cells or mixtures of them.

Notation: J cells; eta = mu + f, f ~ N(0, K); rho = sigmoid(eta). R rows of labels; row r has y
successes among n trials (either may be fractional) of a coin with head probability
q_r = sum_j P_rj rho_j. With exact attributes P is the identity, R = J, q = rho.

    log p(y | eta) = sum_r y_r log q_r + (n_r - y_r) log(1 - q_r)

Fisher information of eta: W = A' diag(n / (q (1 - q))) A with A_rj = P_rj rho_j (1 - rho_j), which
is n rho (1 - rho) on the diagonal for exact attributes. With a root W = G G', B = I + G' K G and
the mode f = K g, g = d log p / d eta:

    posterior covariance  C = K - K M K,  M = G B^-1 G'
    evidence              log Z = log p(y | eta) - 1/2 f' g - 1/2 log |B|

The derivatives of log Z with respect to K and mu are exact: explicit terms and those through the
mode (Rasmussen and Williams, 2006, section 5.5.1, generalised to mixtures). A cell that no row
observes changes nothing, so arrays may be padded with such cells and with rows of n = 0.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_solve

from accuracy_assay.numerics.triangular import inverse_large_lower

__all__ = ["Labels", "Mode", "evidence_and_slopes", "find_mode"]

_LARGEST_STEP = 4.0
_ROOT_JITTER = 1e-10
_ROUNDING = 1e-11
_STEP_SIZES = (1.0, 0.5, 0.25, 0.1, 0.02)


class Labels(NamedTuple):
    """Successes y (R,), trials n (R,) and the mixture P (R, J), or None for exact attributes."""

    y: jax.Array
    n: jax.Array
    P: jax.Array | None = None


class Mode(NamedTuple):
    """The posterior mode: eta (J,), g = K^-1 f (J,) and H with M = H' H, shape (J, J)."""

    eta: jax.Array
    g: jax.Array
    H: jax.Array
    half_log_det: jax.Array


def log_likelihood(eta: jax.Array, labels: Labels) -> jax.Array:
    """Return log p(y | eta)."""
    if labels.P is None:
        return jnp.sum(labels.y * eta - labels.n * jax.nn.softplus(eta))
    q = _head(eta, labels.P)
    return jnp.sum(labels.y * jnp.log(q) + (labels.n - labels.y) * jnp.log1p(-q))


def _head(eta: jax.Array, P: jax.Array) -> jax.Array:
    """Head probability of each row, kept off 0 and 1; padded rows are empty and get one half."""
    weight = P.sum(axis=1)
    q = P @ jax.nn.sigmoid(eta) + 0.5 * (1.0 - weight)
    return jnp.clip(q, 1e-12, 1.0 - 1e-12)


def _gradient_and_root(eta: jax.Array, labels: Labels) -> tuple[jax.Array, jax.Array]:
    """Return d log p / d eta (J,) and a root G of W: a diagonal (J,), or (J, R) or (J, J)."""
    rho = jax.nn.sigmoid(eta)
    slope = rho * (1.0 - rho)
    if labels.P is None:
        return labels.y - labels.n * rho, jnp.sqrt(labels.n * slope)
    q = _head(eta, labels.P)
    spread = q * (1.0 - q)
    gradient = slope * (labels.P.T @ ((labels.y - labels.n * q) / spread))
    rows = labels.P * slope[None, :] * jnp.sqrt(labels.n / spread)[:, None]
    if rows.shape[0] <= rows.shape[1]:
        return gradient, rows.T
    W = rows.T @ rows
    jitter = _ROOT_JITTER * (1.0 + jnp.trace(W) / W.shape[0])
    return gradient, _cholesky(W + jitter * jnp.eye(W.shape[0], dtype=W.dtype))


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


def _cholesky(A: jax.Array) -> jax.Array:
    """Return the lower factor of A, which is symmetric but for rounding."""
    L: jax.Array = jax.lax.linalg.cholesky(A, symmetrize_input=False)
    return L


def _advance(
    K: jax.Array, mu: jax.Array, labels: Labels, f: jax.Array, a: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """One guarded Newton (Fisher scoring) step; f = K a throughout. Returns f, a, the change."""
    gradient, G = _gradient_and_root(mu + f, labels)
    b = _times_root(G, _root_times(G, f)) + gradient
    solved = cho_solve((_factorise(K, G), True), _root_times(G, K @ b))
    to_a = b - _times_root(G, solved) - a
    to_f = K @ to_a
    largest = jnp.max(jnp.abs(to_f))
    scale = jnp.minimum(1.0, _LARGEST_STEP / jnp.maximum(largest, 1e-300))
    sizes = scale * jnp.asarray(_STEP_SIZES, K.dtype)

    def height(size: jax.Array) -> jax.Array:
        there = f + size * to_f
        return log_likelihood(mu + there, labels) - 0.5 * there @ (a + size * to_a)

    heights = jax.vmap(height)(sizes)
    best = jnp.max(heights)
    # Near the mode all are equal but for rounding; the largest of equals is the Newton step.
    size = sizes[jnp.argmax(heights >= best - _ROUNDING * (1.0 + jnp.abs(best)))]
    return f + size * to_f, a + size * to_a, largest


def find_mode(
    K: jax.Array,
    mu: jax.Array,
    labels: Labels,
    start: jax.Array,
    *,
    max_steps: int = 60,
    tolerance: float = 1e-7,
) -> Mode:
    """Return the posterior mode; ``start`` (J,) is a guess of g = K^-1 f, used if it helps."""

    def goes_on(state: tuple[jax.Array, jax.Array, jax.Array, jax.Array]) -> jax.Array:
        return (state[2] > tolerance) & (state[3] < max_steps)

    def advance(
        state: tuple[jax.Array, jax.Array, jax.Array, jax.Array],
    ) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        f, a, _, step = state
        return *_advance(K, mu, labels, f, a), step + 1

    f0 = K @ start
    zero = jnp.zeros_like(start)
    height = log_likelihood(mu + f0, labels) - 0.5 * start @ f0
    is_better = height > log_likelihood(mu + zero, labels)
    a0 = jnp.where(is_better, start, zero)
    first = (K @ a0, a0, jnp.asarray(jnp.inf, K.dtype), jnp.asarray(0))
    f = jax.lax.while_loop(goes_on, advance, first)[0]
    eta = mu + f
    gradient, G = _gradient_and_root(eta, labels)
    factor = _factorise(K, G)
    root = inverse_large_lower(factor)
    H = root @ G.T if G.ndim == 2 else root * G[None, :]
    return Mode(eta, gradient, H, jnp.log(jnp.diagonal(factor)).sum())


def evidence_and_slopes(
    K: jax.Array, mu: jax.Array, labels: Labels, mode: Mode
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return log Z, its derivative with respect to K (J, J, symmetric) and to mu."""
    f, g = mode.eta - mu, mode.g
    log_z = log_likelihood(mode.eta, labels) - 0.5 * f @ g - mode.half_log_det
    M = mode.H.T @ mode.H
    if labels.P is None:
        moved = _moved_exact(K, M, labels, mode.eta)
    else:
        moved = _moved_mixture(K, M, labels, mode.eta)
    cross = jnp.outer(moved, g)
    return log_z, 0.5 * (jnp.outer(g, g) - M + cross + cross.T), g.sum() + moved.sum()


def _moved_exact(K: jax.Array, M: jax.Array, labels: Labels, eta: jax.Array) -> jax.Array:
    """Return (I + W K)^-1 t, t = d(-1/2 log |B|) / d eta, for a diagonal W.

    W C is I - B^-1 on the diagonal, and B^-1 is M / W there: no product with K is needed.
    """
    rho = jax.nn.sigmoid(eta)
    W = labels.n * rho * (1.0 - rho)
    seen = W > 0.0
    WC = jnp.where(seen, 1.0 - jnp.diagonal(M) / jnp.where(seen, W, 1.0), 0.0)
    t = -0.5 * WC * (1.0 - 2.0 * rho)
    moved: jax.Array = t - M @ (K @ t)
    return moved


def _moved_mixture(K: jax.Array, M: jax.Array, labels: Labels, eta: jax.Array) -> jax.Array:
    """Return (I + O K)^-1 t with the observed information O of the mixture."""
    assert labels.P is not None
    P, y, n = labels.P, labels.y, labels.n
    C = jax.lax.stop_gradient(K - K @ M @ K)

    def half_trace(at: jax.Array) -> jax.Array:
        slope = jax.nn.sigmoid(at) * (1.0 - jax.nn.sigmoid(at))
        A = P * slope[None, :]
        q = _head(at, P)
        return -0.5 * jnp.sum(n / (q * (1.0 - q)) * jnp.sum((A @ C) * A, axis=1))

    t = jax.grad(half_trace)(eta)
    rho = jax.nn.sigmoid(eta)
    slope, q = rho * (1.0 - rho), _head(eta, P)
    A = P * slope[None, :]
    bend = y / q**2 + (n - y) / (1.0 - q) ** 2
    pull = P.T @ (y / q - (n - y) / (1.0 - q))
    O_ = (A * bend[:, None]).T @ A - jnp.diag(pull * slope * (1.0 - 2.0 * rho))
    system = jnp.eye(K.shape[0], dtype=K.dtype) + O_ @ K
    moved: jax.Array = jnp.linalg.solve(system, t)
    return moved
