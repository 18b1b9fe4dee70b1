"""The joint potential N(a): a dense network over one-hot attributes.

The last layer starts at zero, so an untrained network adds nothing. The same code runs on NumPy
arrays and under JAX.

Special to this module: x (n, V) one-hot rows, V_k columns per attribute; a network is
(w1, b1, w2, b2, w3), two hidden layers of equal width with rectifiers and one output.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["BARRED", "Network", "evaluate", "initial_network", "one_hot"]

BARRED = -1e3
"""Log-score of a value that is ruled out. Its exp is zero in float64, but it is finite, so a
gradient through it is zero rather than NaN."""

Network = tuple[Any, Any, Any, Any, Any]


def initial_network(n_inputs: int, width: int, rng: np.random.Generator) -> Network:
    """Return a network with random hidden layers whose output is zero everywhere.

    The second layer has the usual scale for rectifiers (He et al., 2015). The first sees one-hot
    rows, K ones among V columns, so its weights have scale one; its biases, of scale one half,
    spread the bends of the units. Both were chosen by hand.
    """
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
