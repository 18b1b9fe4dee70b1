"""The joint potential N(a): a dense network over one-hot attributes.

Notation
--------
K attributes of V_k values, V = sum_k V_k
x        (n, V) one-hot rows, one block of columns per attribute
network  (W_1, b_1, W_2, b_2, w_3): two hidden layers of equal width, one output

The last layer starts at zero, so an untrained network adds nothing to the potential that it
refines. The same code runs on NumPy arrays and under JAX.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["BARRED", "Network", "evaluate", "initial_network", "one_hot"]

BARRED = -1e3
"""Log-score of a value that is ruled out."""

Network = tuple[Any, Any, Any, Any, Any]


def initial_network(n_inputs: int, width: int, rng: np.random.Generator) -> Network:
    """Return a network whose output is zero everywhere and whose hidden layers are random."""
    return (
        rng.normal(0.0, 1.0, (n_inputs, width)),
        rng.normal(0.0, 0.5, width),
        rng.normal(0.0, np.sqrt(2.0 / width), (width, width)),
        np.zeros(width),
        np.zeros(width),
    )


def evaluate(network: Network, x: Any) -> Any:
    """Return N of each one-hot row, shape (n,)."""
    w1, b1, w2, b2, w3 = network
    hidden = x @ w1 + b1
    hidden = hidden * (hidden > 0.0)
    hidden = hidden @ w2 + b2
    hidden = hidden * (hidden > 0.0)
    return hidden @ w3


def one_hot(codes: IntArray, shape: Sequence[int]) -> FloatArray:
    """Return the one-hot rows (n, V) of ``codes`` (n, K).

    Examples
    --------
    >>> one_hot(np.array([[1, 0]]), (2, 3)).tolist()
    [[0.0, 1.0, 1.0, 0.0, 0.0]]
    """
    starts = np.cumsum([0, *shape[:-1]])
    rows = np.zeros((codes.shape[0], sum(shape)))
    rows[np.arange(codes.shape[0])[:, None], codes + starts] = 1.0
    return rows
