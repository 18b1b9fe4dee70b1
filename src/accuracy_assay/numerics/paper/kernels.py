"""The radial kernel over embedded arms, equation (kernel) of the paper.

The covariance of a latent function is s C, C(a, b) = exp(-||V(a) - V(b)||² / (2 length²)). The
paper writes the exponent as -||.||² / l; its l is 2 length² here, and the lengths that its
appendix prints are ours.

Special to this module: V (A, d) and W (B, d), two sets of embedded arms.
"""

import jax
import jax.numpy as jnp
from jax import Array

from accuracy_assay.runtime.programs import compute_once

__all__ = ["correlation", "squared_distance"]


def squared_distance(V: Array, W: Array) -> Array:
    """Return squared Euclidean distances, shape (A, B), never negative."""
    squared = (V * V).sum(-1)[:, None] + (W * W).sum(-1)[None, :] - 2.0 * V @ W.T
    return jnp.maximum(squared, 0.0)


def correlation(V: Array, W: Array, length: Array) -> Array:
    """Return the kernels of the latent functions over their variances, shape (L, A, B).

    Parameters
    ----------
    V, W
        Embedded arms, (A, d) and (B, d).
    length
        Lengths (L, 1) shared by the dimensions, or (L, d) one each.
    """
    if length.shape[1] == 1:
        return _decay(squared_distance(V, W), 0.5 / (length[:, 0] * length[:, 0]))
    squared = jnp.stack([squared_distance(V / row, W / row) for row in length])
    return jnp.exp(-0.5 * squared)


@jax.custom_jvp
def _decay(squared: Array, rate: Array) -> Array:
    """Return exp(-rate squared), shape (L, A, B)."""
    return jnp.exp(-squared * rate[:, None, None])


@_decay.defjvp
def _decay_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    squared, rate = primals
    d_squared, d_rate = tangents
    C = compute_once(_decay(squared, rate))
    slope = jnp.einsum("ab,l->lab", d_squared, rate) + jnp.einsum("ab,l->lab", squared, d_rate)
    return C, -C * slope
