"""Sparse variational Gaussian processes in whitened form (Hensman, Matthews, Ghahramani, 2015).

The inducing values are u = m0 + R v with K_mm = R R', prior v ~ N(0, I) and q(v) = N(mu, T T').
At an arm with k = K_m(a) and w = R⁻¹ k the latent value has mean m0 + w'mu and variance
K(a, a) - w'w + ||T'w||².

Notation: L latent functions, m inducing points, B arms; Kmm (L, m, m), Kmb (L, m, B),
mu (L, m), T (L, m, m) lower triangular, m0 (L,); jitter relative to the kernel's scale.
"""

import jax
import jax.numpy as jnp
from jax import Array

from accuracy_assay.numerics.triangular import inverse_lower

__all__ = ["inverse_root", "kl_from_prior", "marginals", "whitened"]

_SMALLEST_VARIANCE = 1e-10


@jax.custom_jvp
def inverse_root(K: Array) -> Array:
    """Return R⁻¹ with K = R R', lower triangular, for each matrix of ``K`` (L, m, m).

    Its differential is -Φ(R⁻¹ dK R⁻ᵀ) R⁻¹, where Φ keeps the lower triangle and halves the
    diagonal: products alone, so a gradient calls no further factorisation.
    """
    return inverse_lower(jax.lax.linalg.cholesky(K, symmetrize_input=False))


@inverse_root.defjvp
def _inverse_root_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    W = inverse_root(primals[0])
    m = W.shape[-1]
    keep = jnp.tril(jnp.ones((m, m), W.dtype)) - 0.5 * jnp.eye(m, dtype=W.dtype)
    return W, -(keep * (W @ tangents[0] @ jnp.swapaxes(W, 1, 2))) @ W


def whitened(Kmm: Array, Kmb: Array, jitter: Array) -> Array:
    """Return w = R⁻¹ K_mb for each latent function, shape (L, m, B)."""
    m = Kmm.shape[-1]
    diagonal = jnp.diagonal(Kmm, axis1=1, axis2=2).mean(-1)[:, None, None]
    return inverse_root(Kmm + jitter * diagonal * jnp.eye(m, dtype=Kmm.dtype)) @ Kmb


def marginals(w: Array, scale: Array, m0: Array, mu: Array, T: Array) -> tuple[Array, Array]:
    """Return means and variances of the latent values, both (L, B).

    Parameters
    ----------
    w
        Whitened cross-covariances (L, m, B).
    scale
        Prior variance K(a, a) of each latent function (L,).
    m0, mu, T
        Constant mean, variational mean and root of the variational covariance.
    """
    mean = m0[:, None] + jnp.einsum("lmb,lm->lb", w, mu)
    spread = jnp.einsum("lmk,lmb->lkb", jnp.tril(T), w)
    variance = scale[:, None] - (w * w).sum(1) + (spread * spread).sum(1)
    return mean, jnp.maximum(variance, _SMALLEST_VARIANCE)


def kl_from_prior(mu: Array, T: Array) -> Array:
    """Return KL(q(v) || N(0, I)) summed over the latent functions."""
    T = jnp.tril(T)
    diagonal = jnp.diagonal(T, axis1=1, axis2=2)
    log_det = jnp.log(jnp.abs(diagonal)).sum()
    return 0.5 * ((mu * mu).sum() + (T * T).sum() - mu.size) - log_det
