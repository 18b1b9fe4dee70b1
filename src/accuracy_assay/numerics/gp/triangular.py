"""Products with one large lower triangular matrix, and its inverse by halves.

The inverse is mostly matrix products,

    [top 0; side bottom]^-1 = [top^-1 0; -bottom^-1 side top^-1 bottom^-1],

which is as stable as substitution. Small blocks are left to substitution. On a GPU the whole
matrix is: substitution uses all of the device, and hundreds of blocks take 8 s to compile. L' L
by halves leaves out the zeros, two thirds of its products.

Notation: L (m, m) lower triangular, cut after half of its rows.
"""

import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import solve_triangular

from accuracy_assay.runtime.device import has_accelerator

__all__ = ["gram_of_large_lower", "inverse_large_lower", "times_large_lower_transposed"]

# Most rows of a block left to substitution, which uses only one core of a CPU; chosen by hand.
_SMALL = 256
# Strips of rows in which a large matrix is multiplied: they save 44% of the products;
# twice as many strips would save 47%.
_STRIPS = 8


def inverse_large_lower(L: Array) -> Array:
    """Return the inverse of one lower triangular matrix, shape (m, m).

    Examples
    --------
    >>> inverse_large_lower(jnp.array([[2.0, 0.0], [1.0, 1.0]])).tolist()
    [[0.5, 0.0], [-0.5, 1.0]]
    """
    m = L.shape[0]
    if m <= _SMALL or has_accelerator():
        return solve_triangular(L, jnp.eye(m, dtype=L.dtype), lower=True)
    half = m // 2
    top, bottom = inverse_large_lower(L[:half, :half]), inverse_large_lower(L[half:, half:])
    side = -(bottom @ (L[half:, :half] @ top))
    return jnp.block([[top, jnp.zeros((half, m - half), L.dtype)], [side, bottom]])


def gram_of_large_lower(L: Array) -> Array:
    """Return L' L for one lower triangular matrix, shape (m, m).

    Examples
    --------
    >>> gram_of_large_lower(jnp.array([[2.0, 0.0], [1.0, 1.0]])).tolist()
    [[5.0, 1.0], [1.0, 1.0]]
    """
    m = L.shape[0]
    if m <= _SMALL or has_accelerator():
        return L.T @ L
    half = m // 2
    side, bottom = L[half:, :half], L[half:, half:]
    top = gram_of_large_lower(L[:half, :half]) + side.T @ side
    cross = bottom.T @ side
    return jnp.block([[top, cross.T], [cross, gram_of_large_lower(bottom)]])


def times_large_lower_transposed(A: Array, L: Array) -> Array:
    """Return A L' for A (n, m) and one lower triangular matrix L (m, m), shape (n, m).

    On a GPU, and in 32 bits, strips of L are multiplied without their zeros.

    Examples
    --------
    >>> L = jnp.array([[2.0, 0.0], [1.0, 1.0]])
    >>> times_large_lower_transposed(jnp.ones((1, 2)), L).tolist()
    [[2.0, 2.0]]
    """
    m = L.shape[0]
    if m <= _SMALL or not (has_accelerator() or A.dtype == jnp.float32):
        return A @ L.T
    ends = [m * (k + 1) // _STRIPS for k in range(_STRIPS)]
    strips = zip([0, *ends[:-1]], ends, strict=True)
    return jnp.concatenate([A[:, :end] @ L[start:end, :end].T for start, end in strips], axis=1)
