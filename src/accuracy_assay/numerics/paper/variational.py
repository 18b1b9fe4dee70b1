"""Sparse variational Gaussian processes in whitened form (Hensman, Matthews, Ghahramani, 2015).

The covariance is s C with C(a, a) = 1. The inducing values are m0 + √s R v with Cmm = R R', prior
v ~ N(0, I) and q(v) = N(mu, T T'). At an arm with correlations k to the inducing points and
u = R⁻¹ k, the latent value has mean m0 + √s u'mu and variance s (1 - u'u + ||T'u||²). Both are
computed from k, as m0 + √s k'(R⁻ᵀ mu) and s (1 + k'M k) with M = R⁻ᵀ(T T' - I) R⁻¹: one product of
size m x m x B instead of two.

Special to this module: jitter is added to the diagonal of Cmm.
"""

import jax
import jax.numpy as jnp
from jax import Array

__all__ = ["inverse_root", "kl_from_prior", "marginals", "quadratic_form", "whitened"]

# Rounding may leave a variance of zero or less, whose square root has no slope. A deviation of
# 1e-5 in the logit is far below anything that matters.
_SMALLEST_VARIANCE = 1e-10


@jax.custom_jvp
def inverse_root(C: Array) -> Array:
    """Return R⁻¹ with C = R R', lower triangular, for each matrix of ``C`` (L, m, m).

    Its differential is -Φ(R⁻¹ dC R⁻ᵀ) R⁻¹, where Φ takes the lower triangle and halves the
    diagonal: only products, so a gradient needs no further factorisation. The inverse is one call
    of LAPACK; by blocks in JAX it would compile forty kernels for the same time per step.
    """
    R = jax.lax.linalg.cholesky(C, symmetrize_input=False)
    one = jnp.broadcast_to(jnp.eye(C.shape[-1], dtype=C.dtype), C.shape)
    return jax.lax.linalg.triangular_solve(R, one, left_side=True, lower=True)


@inverse_root.defjvp
def _inverse_root_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    inverse = inverse_root(primals[0])
    m, dtype = inverse.shape[-1], inverse.dtype
    lower = jnp.tril(jnp.ones((m, m), dtype)) - 0.5 * jnp.eye(m, dtype=dtype)
    return inverse, -(lower * (inverse @ tangents[0] @ jnp.swapaxes(inverse, 1, 2))) @ inverse


def whitened(Cmm: Array, Cmb: Array, jitter: Array) -> Array:
    """Return u = R⁻¹ Cmb for each latent function, shape (L, m, B)."""
    return inverse_root(_with_jitter(Cmm, jitter)) @ Cmb


@jax.custom_jvp
def quadratic_form(M: Array, C: Array) -> Array:
    """Return k'M k for each column k of ``C`` (L, m, B) and symmetric ``M`` (L, m, m): (L, B).

    Its differential, 2 (M k)'dk + k'dM k, reuses the product M k.
    """
    return (C * (M @ C)).sum(1)


@quadratic_form.defjvp
def _quadratic_form_jvp(
    primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Array, Array]:
    M, C = primals
    dM, dC = tangents
    product = M @ C
    return (C * product).sum(1), (2.0 * product * dC).sum(1) + (C * (dM @ C)).sum(1)


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
    inverse = inverse_root(_with_jitter(Cmm, jitter))
    T = jnp.tril(T)
    excess = T @ jnp.swapaxes(T, 1, 2) - jnp.eye(T.shape[-1], dtype=T.dtype)
    M = jnp.swapaxes(inverse, 1, 2) @ excess @ inverse
    mean = m0[:, None] + jnp.sqrt(s)[:, None] * ((mu[:, None] @ inverse) @ Cmb)[:, 0]
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
