"""The radial kernel over embedded arms, equation (kernel) of the paper.

K(a, b) = s exp(-||V(a) - V(b)||² / (2 l²)). The paper writes the exponent as -||.||² / l; its
length is 2 l² here, and the lengths that its appendix prints are ours.

Notation: L latent functions, d embedding size; X (A, d), Y (B, d); length (L, 1) or, with one
length per dimension, (L, d); scale (L,).
"""

import jax.numpy as jnp
from jax import Array

__all__ = ["rbf", "squared_distance"]


def squared_distance(X: Array, Y: Array) -> Array:
    """Return squared Euclidean distances, shape (A, B), never negative."""
    d = (X * X).sum(-1)[:, None] + (Y * Y).sum(-1)[None, :] - 2.0 * X @ Y.T
    return jnp.maximum(d, 0.0)


def rbf(X: Array, Y: Array, length: Array, scale: Array) -> Array:
    """Return the kernel matrices of the latent functions, shape (L, A, B).

    Parameters
    ----------
    X, Y
        Embedded arms, (A, d) and (B, d).
    length
        Lengths (L, 1) shared by the dimensions, or (L, d) one each.
    scale
        Variances (L,).
    """
    if length.shape[1] == 1:
        d = squared_distance(X, Y)[None] / (length * length)[:, :, None]
    else:
        d = jnp.stack([squared_distance(X / row, Y / row) for row in length])
    return scale[:, None, None] * jnp.exp(-0.5 * d)
