"""Inverses of lower triangular matrices by blocks: matrix products and little else.

A triangular solve of this size goes to a threaded BLAS, whose threads cost a hundred times the
arithmetic on a busy machine. Here the inverses of neighbouring diagonal blocks are joined,

[A 0; B C]⁻¹ = [A⁻¹ 0; -C⁻¹ B A⁻¹ C⁻¹],

from blocks of size one up to the whole, which is as stable as substitution. One large matrix is
halved until its blocks are small enough for substitution.

Notation: R (L, m, m) lower triangular; s the power of two at or above m; b block size.
"""

import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import solve_triangular

__all__ = ["inverse_large_lower", "inverse_lower"]

_SMALL = 256


def inverse_lower(R: Array) -> Array:
    """Return the inverse of each lower triangular matrix, shape (L, m, m).

    Examples
    --------
    >>> inverse_lower(jnp.array([[[2.0, 0.0], [1.0, 1.0]]]))[0].tolist()
    [[0.5, 0.0], [-0.5, 1.0]]
    """
    m = R.shape[-1]
    s = 1 << (m - 1).bit_length()
    filler = jnp.diag((jnp.arange(s) >= m).astype(R.dtype))
    padded = jnp.pad(R, ((0, 0), (0, s - m), (0, s - m))) + filler
    inverse = 1.0 / jnp.diagonal(padded, axis1=1, axis2=2)[:, :, None, None]
    b = 1
    while b < s:
        inverse = _join(_below_diagonal(padded, b), inverse)
        b *= 2
    unpadded: Array = inverse[:, 0, :m, :m]
    return unpadded


def inverse_large_lower(L: Array) -> Array:
    """Return the inverse of one lower triangular matrix, shape (m, m).

    Examples
    --------
    >>> inverse_large_lower(jnp.array([[2.0, 0.0], [1.0, 1.0]])).tolist()
    [[0.5, 0.0], [-0.5, 1.0]]
    """
    m = L.shape[0]
    if m <= _SMALL:
        return solve_triangular(L, jnp.eye(m, dtype=L.dtype), lower=True)
    h = m // 2
    A, C = inverse_large_lower(L[:h, :h]), inverse_large_lower(L[h:, h:])
    return jnp.block([[A, jnp.zeros((h, m - h), L.dtype)], [-(C @ (L[h:, :h] @ A)), C]])


def _below_diagonal(R: Array, b: int) -> Array:
    """Return the blocks B that join two diagonal blocks of size b, shape (L, s / 2b, b, b)."""
    n = R.shape[-1] // (2 * b)
    blocks = R.reshape(-1, n, 2, b, n, 2, b)[:, :, 1, :, :, 0, :]
    pairs = jnp.arange(n)
    return jnp.moveaxis(blocks[:, pairs, :, pairs], 0, 1)


def _join(B: Array, inverse: Array) -> Array:
    """Return the inverses of blocks of size 2b, (L, s / 2b, 2b, 2b)."""
    n, b = B.shape[1], B.shape[2]
    pairs = inverse.reshape(-1, n, 2, b, b)
    A, C = pairs[:, :, 0], pairs[:, :, 1]
    upper = jnp.concatenate([A, jnp.zeros_like(A)], axis=-1)
    lower = jnp.concatenate([-(C @ B @ A), C], axis=-1)
    return jnp.concatenate([upper, lower], axis=-2)
