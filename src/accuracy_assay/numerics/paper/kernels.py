"""The radial kernel over embedded arms, equation (kernel) of the paper.

K(a, b) = s C(a, b), C(a, b) = exp(-||V(a) - V(b)||² / (2 l²)). The paper writes the exponent as
-||.||² / l; its length is 2 l² here, and the lengths that its appendix prints are ours.

Notation: L latent functions, d embedding size; X (A, d), Y (B, d); length (L, 1) or, with one
length per dimension, (L, d); D squared distances (A, B).
"""

import jax
import jax.numpy as jnp
from jax import Array

from accuracy_assay.runtime.barrier import compute_once

__all__ = ["correlation", "squared_distance"]


def squared_distance(X: Array, Y: Array) -> Array:
    """Return squared Euclidean distances, shape (A, B), never negative."""
    d = (X * X).sum(-1)[:, None] + (Y * Y).sum(-1)[None, :] - 2.0 * X @ Y.T
    return jnp.maximum(d, 0.0)


def correlation(X: Array, Y: Array, length: Array) -> Array:
    """Return the kernels of the latent functions over their variances, shape (L, A, B).

    Parameters
    ----------
    X, Y
        Embedded arms, (A, d) and (B, d).
    length
        Lengths (L, 1) shared by the dimensions, or (L, d) one each.
    """
    if length.shape[1] == 1:
        return _decay(squared_distance(X, Y), 0.5 / (length[:, 0] * length[:, 0]))
    d = jnp.stack([squared_distance(X / row, Y / row) for row in length])
    return jnp.exp(-0.5 * d)


@jax.custom_jvp
def _decay(D: Array, rate: Array) -> Array:
    """Return exp(-rate D), shape (L, A, B)."""
    return jnp.exp(-D * rate[:, None, None])


@_decay.defjvp
def _decay_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    D, rate = primals
    dD, drate = tangents
    C = compute_once(_decay(D, rate))
    slope = jnp.einsum("ab,l->lab", dD, rate) + jnp.einsum("ab,l->lab", D, drate)
    return C, -C * slope
