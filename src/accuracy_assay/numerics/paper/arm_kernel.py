"""The radial kernel over embedded arms, equation (kernel) of the paper, and the embedding V(a).

The covariance of a latent function is s C, C(a, b) = exp(-||V(a) - V(b)||² / (2 length²)). The
paper writes the exponent as -||.||² / l; its l is 2 length² here, and the lengths in its appendix
are ours. Both latent functions share the embedding: hidden layers with rectifiers, then a linear
projection (H, d). Without a projection the input is its own embedding. With a projection for each
function (L, H, d) only the hidden layers are shared.

Special to this module: V (A, d) and W (B, d), two sets of embedded arms; (L, A, d) and (L, B, d)
where each function has its own.
"""

from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.random import Generator

from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.programs import compute_once

__all__ = [
    "HiddenLayers",
    "correlation",
    "embed",
    "random_network",
    "random_projection",
    "squared_distance",
]


HiddenLayers: TypeAlias = tuple[tuple[Array, Array], ...]
"""Hidden layers, each weights (in, out) and bias (out,)."""


def squared_distance(V: Array, W: Array) -> Array:
    """Return squared Euclidean distances, shape (A, B), never negative."""
    squared = (V * V).sum(-1)[:, None] + (W * W).sum(-1)[None, :] - 2.0 * V @ W.T
    return jnp.maximum(squared, 0.0)


def correlation(V: Array, W: Array, length: Array) -> Array:
    """Return the kernels of the latent functions over their variances, shape (L, A, B).

    Parameters
    ----------
    V, W
        Embedded arms, (A, d) and (B, d), or (L, A, d) and (L, B, d).
    length
        Lengths (L, 1) shared by the dimensions, or (L, d) one each.
    """
    if V.ndim == 3:
        own = [correlation(v, w, row[None]) for v, w, row in zip(V, W, length, strict=True)]
        return jnp.concatenate(own)
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


def embed(network: HiddenLayers, projection: Array | None, X: Array) -> Array:
    """Return the embedding of inputs ``X`` (A, D), shape (A, d), or (L, A, d) if L project."""
    for weights, bias in network:
        X = jax.nn.relu(X @ weights + bias)
    return X if projection is None else X @ projection


def random_network(n_inputs: int, widths: tuple[int, ...], rng: Generator) -> HiddenLayers:
    """Draw hidden layers with the usual scaling for rectifiers (He et al., 2015)."""
    layers = []
    for width in widths:
        weights = rng.normal(0.0, np.sqrt(2.0 / n_inputs), (n_inputs, width))
        layers.append((put(weights), put(np.zeros(width))))
        n_inputs = width
    return tuple(layers)


def random_projection(
    n_inputs: int, size: int, spread: float, rng: Generator, n_functions: int | None = None
) -> Array:
    """Draw a projection that keeps squared distances, times ``spread``, in expectation.

    With ``n_functions`` each latent function gets one of its own.
    """
    shape = (n_inputs, size) if n_functions is None else (n_functions, n_inputs, size)
    projection: FloatArray = rng.normal(0.0, np.sqrt(spread / size), shape)
    return put(projection)
