"""Inverse of one large lower triangular matrix by halves: matrix products and little else.

[A 0; B C]⁻¹ = [A⁻¹ 0; -C⁻¹ B A⁻¹ C⁻¹],

which is as stable as substitution; blocks that are small enough are left to substitution.

Notation: L (m, m) lower triangular.
"""

import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import solve_triangular

__all__ = ["inverse_large_lower"]

_SMALL = 256


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
