"""The embedding V(a) that both latent functions share: a small network, then a linear layer.

A network is a tuple of (weights, bias), each layer followed by a rectifier; the projection (H, d)
is the linear layer. Without a projection the input is its own embedding.
"""

from typing import TypeAlias

import jax
import numpy as np
from jax import Array
from numpy.random import Generator

from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import put

__all__ = ["HiddenLayers", "embed", "random_network", "random_projection"]

HiddenLayers: TypeAlias = tuple[tuple[Array, Array], ...]
"""Hidden layers, each weights (in, out) and bias (out,)."""


def embed(network: HiddenLayers, projection: Array | None, X: Array) -> Array:
    """Return the embedding of inputs ``X`` (A, D), shape (A, d)."""
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


def random_projection(n_inputs: int, size: int, spread: float, rng: Generator) -> Array:
    """Draw a projection that keeps squared distances, times ``spread``, in expectation."""
    projection: FloatArray = rng.normal(0.0, np.sqrt(spread / size), (n_inputs, size))
    return put(projection)
