"""The joint potential N(a) of a fitted calibration, as plain tables and arrays.

::

    N(a) = sum_B N_B(a_B) + network(one-hot of a)

The blocks B split the attributes; N_B has one axis per attribute of the block. A space of at most
100,000 arms has one block with all attributes, and the network is part of its table. Symbols as in
`numerics.joint`.
"""

from dataclasses import dataclass

import numpy as np

from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import Network, evaluate, one_hot
from accuracy_assay.numerics.joint.sparse_rows import expand_rows
from accuracy_assay.protocols import Layers
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["MAX_EXACT_ARMS", "Potential"]

MAX_EXACT_ARMS = 100_000
"""Most arms whose potential is one table. Bounds time: training evaluates the network at every arm
in every step."""

# Rows whose one-hot is held at a time. Bounds memory: some megabytes for dozens of values.
_PIECE = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Potential:
    """Log-potential of attribute combinations.

    Parameters
    ----------
    blocks
        Attributes (positions, increasing) and table of each block; together they hold every
        attribute once.
    network
        Weights of a network that is added on top, or None.
    folded
        Weights of a network already added to the only block, or None.
    """

    blocks: tuple[Block, ...]
    network: Network | None = None
    folded: Network | None = None

    @property
    def is_exact(self) -> bool:
        """Whether one table holds the potential of every arm."""
        return len(self.blocks) == 1 and self.network is None

    @property
    def hidden_layers(self) -> Layers | None:
        """The learned network, on top or folded, without its output layer."""
        learned = self.folded if self.network is None else self.network
        if learned is None:
            return None
        W1, b1, W2, b2, _ = (np.asarray(weights, np.float64) for weights in learned)
        return (W1, b1), (W2, b2)

    def block_posteriors(self, factors: list[FloatArray]) -> list[FloatArray]:
        """Return P(a_B | x) of each block without the network, arrays (n, size of B)."""
        posteriors = []
        for block in self.blocks:
            product = expand_rows([factors[k] for k in block.attributes])
            product = product * np.exp(block.table.reshape(-1) - block.table.max())
            posteriors.append(product / product.sum(axis=1, keepdims=True))
        return posteriors

    def codes(self, combinations: IntArray, n_attributes: int) -> IntArray:
        """Return codes (n, K) given the combination in each block, (n, number of blocks)."""
        codes = np.empty((combinations.shape[0], n_attributes), np.int64)
        for block, combination in zip(self.blocks, combinations.T, strict=True):
            codes[:, list(block.attributes)] = np.stack(
                np.unravel_index(combination, block.table.shape), axis=1
            )
        return codes

    def network_values(self, codes: IntArray, shape: tuple[int, ...]) -> FloatArray:
        """Return what the network adds for each row of ``codes`` (n, K), shape (n,)."""
        if self.network is None:
            return np.zeros(codes.shape[0])
        pieces = [codes[i : i + _PIECE] for i in range(0, codes.shape[0], _PIECE)]
        values = [np.asarray(evaluate(self.network, one_hot(piece, shape))) for piece in pieces]
        return np.concatenate([np.zeros(0), *values])
