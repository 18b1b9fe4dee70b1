"""Sparse variational Gaussian processes in whitened form (Hensman, Matthews, Ghahramani, 2015).

The kernel is s C with C(a, a) = 1. The inducing values are u = m0 + √s R v with C_mm = R R', prior
v ~ N(0, I) and q(v) = N(mu, T T'). At an arm with k = C_m(a) and w = R⁻¹ k the latent value has
mean m0 + √s w'mu and variance s (1 - w'w + ||T'w||²). Both are read from k itself, as
m0 + √s k'(R⁻ᵀ mu) and s (1 + k'M k) with M = R⁻ᵀ(T T' - I) R⁻¹: one product of size m x m x B, not
two.

Notation: L latent functions, m inducing points, B arms; Cmm (L, m, m), Cmb (L, m, B), s (L,),
mu (L, m), T (L, m, m) lower triangular, m0 (L,); jitter is added to the diagonal of Cmm.
"""

import jax
import jax.numpy as jnp
from jax import Array

__all__ = ["inverse_root", "kl_from_prior", "marginals", "quadratic_form", "whitened"]

_SMALLEST_VARIANCE = 1e-10


@jax.custom_jvp
def inverse_root(K: Array) -> Array:
    """Return R⁻¹ with K = R R', lower triangular, for each matrix of ``K`` (L, m, m).

    Its differential is -Φ(R⁻¹ dK R⁻ᵀ) R⁻¹, where Φ keeps the lower triangle and halves the
    diagonal: products alone, so a gradient calls no further factorisation. The inverse is one
    call of LAPACK; by blocks in JAX it would be forty kernels to compile for the same time a step.
    """
    R = jax.lax.linalg.cholesky(K, symmetrize_input=False)
    one = jnp.broadcast_to(jnp.eye(K.shape[-1], dtype=K.dtype), K.shape)
    return jax.lax.linalg.triangular_solve(R, one, left_side=True, lower=True)


@inverse_root.defjvp
def _inverse_root_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    W = inverse_root(primals[0])
    m = W.shape[-1]
    keep = jnp.tril(jnp.ones((m, m), W.dtype)) - 0.5 * jnp.eye(m, dtype=W.dtype)
    return W, -(keep * (W @ tangents[0] @ jnp.swapaxes(W, 1, 2))) @ W


def whitened(Cmm: Array, Cmb: Array, jitter: Array) -> Array:
    """Return w = R⁻¹ C_mb for each latent function, shape (L, m, B)."""
    return inverse_root(_with_jitter(Cmm, jitter)) @ Cmb


@jax.custom_jvp
def quadratic_form(M: Array, K: Array) -> Array:
    """Return k'M k for each column k of ``K`` (L, m, B) and symmetric ``M`` (L, m, m): (L, B).

    Its differential, 2 (M k)'dk + k'dM k, keeps the product that the value was made of.
    """
    return (K * (M @ K)).sum(1)


@quadratic_form.defjvp
def _quadratic_form_jvp(
    primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Array, Array]:
    M, K = primals
    dM, dK = tangents
    product = M @ K
    return (K * product).sum(1), (2.0 * product * dK).sum(1) + (K * (dM @ K)).sum(1)


def marginals(
    Cmm: Array, Cmb: Array, s: Array, jitter: Array, m0: Array, mu: Array, T: Array
) -> tuple[Array, Array]:
    """Return means and variances of the latent values, both (L, B).

    Parameters
    ----------
    Cmm, Cmb
        Correlations of the inducing points and with the arms.
    s
        Prior variance of each latent function (L,).
    jitter
        Added to the diagonal of ``Cmm``.
    m0, mu, T
        Constant mean, variational mean and root of the variational covariance.
    """
    W = inverse_root(_with_jitter(Cmm, jitter))
    T = jnp.tril(T)
    excess = T @ jnp.swapaxes(T, 1, 2) - jnp.eye(T.shape[-1], dtype=T.dtype)
    M = jnp.swapaxes(W, 1, 2) @ excess @ W
    mean = m0[:, None] + jnp.sqrt(s)[:, None] * ((mu[:, None] @ W) @ Cmb)[:, 0]
    variance = s[:, None] * (1.0 + quadratic_form(M, Cmb))
    return mean, jnp.maximum(variance, _SMALLEST_VARIANCE)


def kl_from_prior(mu: Array, T: Array) -> Array:
    """Return KL(q(v) || N(0, I)) summed over the latent functions."""
    T = jnp.tril(T)
    diagonal = jnp.diagonal(T, axis1=1, axis2=2)
    log_det = jnp.log(jnp.abs(diagonal)).sum()
    return 0.5 * ((mu * mu).sum() + (T * T).sum() - mu.size) - log_det


def _with_jitter(Cmm: Array, jitter: Array) -> Array:
    return Cmm + jitter * jnp.eye(Cmm.shape[-1], dtype=Cmm.dtype)
