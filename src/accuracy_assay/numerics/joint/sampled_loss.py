"""Scores and partitions of the calibration model over drawn arms, in JAX.

::

    log Z = sum_B log Z_B + log E_q[exp network(a)]

Z_B sums the scores F_k = s_k log M_k and the table over the combinations of block B exactly.
q(a|x) is the posterior under the blocks alone; its mean is taken over S arms, drawn again for
every key. A drawn arm has weight exp(F(a) - F'(a)), with F' the F without a gradient: that is one,
and passes on the gradient in s. `exact_loss` has the same over all arms.

Special to this module: F (n, V) holds the scores of all attributes side by side. Arms are drawn
from all blocks at once, padded to the largest: block by block the program takes half a minute to
compile.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.nn import logsumexp

from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import evaluate
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "Drawing",
    "arm_scores",
    "log_partition",
    "log_partition_apart",
    "pad_tables",
    "scores_apart",
]


class Drawing(NamedTuple):
    """How arms are drawn: attributes of each block, values of each attribute, S arms per row."""

    blocks: tuple[tuple[int, ...], ...]
    shape: tuple[int, ...]
    n_samples: int

    @property
    def first_column(self) -> IntArray:
        """Column of F where each attribute begins, (K,)."""
        return np.cumsum([0, *self.shape[:-1]])

    @property
    def block_of(self) -> IntArray:
        """Block of each attribute, (K,)."""
        block_of = np.empty(len(self.shape), np.int64)
        for b, attributes in enumerate(self.blocks):
            block_of[list(attributes)] = b
        return block_of

    @property
    def stride(self) -> IntArray:
        """How far one step of each attribute moves the combination of its block, (K,)."""
        stride = np.empty(len(self.shape), np.int64)
        for attributes in self.blocks:
            sizes = [self.shape[k] for k in attributes]
            stride[list(attributes)] = np.cumprod([1, *sizes[:0:-1]])[::-1]
        return stride


def pad_tables(blocks: Sequence[Block]) -> FloatArray:
    """Return N_B of each block as a row, (blocks, combinations); minus infinity is padding."""
    padded = np.full((len(blocks), max(block.table.size for block in blocks)), -np.inf)
    for row, block in zip(padded, blocks, strict=True):
        row[: block.table.size] = block.table.reshape(-1)
    return padded


def arm_scores(F: Array, codes: Array, tables: Array, network: Any, drawing: Drawing) -> Array:
    """Return F + N of one arm per row, codes (n, K); (n,)."""
    in_block = np.equal.outer(drawing.block_of, np.arange(len(drawing.blocks)))
    combination = codes @ (drawing.stride[:, None] * in_block)
    of_blocks = tables[np.arange(len(drawing.blocks)), combination].sum(axis=1)
    return scores_apart(F, codes, drawing) + of_blocks + _network_values(network, codes, drawing)


def scores_apart(F: Array, codes: Array, drawing: Drawing) -> Array:
    """Return F of arms without N: codes (n, K) give (n,), codes (n, S, K) give (n, S)."""
    columns = (codes + drawing.first_column).reshape(codes.shape[0], -1)
    found = jnp.take_along_axis(F, columns, axis=1).reshape(codes.shape)
    return found.sum(axis=-1)


def log_partition(F: Array, tables: Array, network: Any, key: Array, drawing: Drawing) -> Array:
    """Return log Z of each row, (n,); ``tables`` are those of `pad_tables`."""
    of_blocks = _summed_scores(F, drawing) + tables
    codes = _draw(of_blocks, key, drawing)
    at = scores_apart(F, codes, drawing)
    weight = at - jax.lax.stop_gradient(at)
    values = _network_values(network, codes, drawing)
    gained = logsumexp(values + weight, axis=1) - logsumexp(weight, axis=1)
    return logsumexp(of_blocks, axis=2).sum(axis=1) + gained


def log_partition_apart(F: Array, drawing: Drawing) -> Array:
    """Return the exact log Z of each row without N, (n,)."""
    K, most = len(drawing.shape), max(drawing.shape)
    value = np.arange(most)
    is_value = value < np.asarray(drawing.shape)[:, None]
    columns = np.where(is_value, drawing.first_column[:, None] + value, 0)
    alone = jnp.where(is_value, F[:, columns.reshape(-1)].reshape(-1, K, most), -jnp.inf)
    return logsumexp(alone, axis=2).sum(axis=1)


def _summed_scores(F: Array, drawing: Drawing) -> Array:
    """Return F of every combination, (n, blocks, combinations); zero is padding."""
    sums = []
    for attributes in drawing.blocks:
        total = jnp.zeros((F.shape[0], 1))
        for k in attributes:
            first = int(drawing.first_column[k])
            scores = F[:, None, first : first + drawing.shape[k]]
            total = (total[:, :, None] + scores).reshape(F.shape[0], -1)
        sums.append(total)
    most = max(total.shape[1] for total in sums)
    return jnp.stack([jnp.pad(t, ((0, 0), (0, most - t.shape[1]))) for t in sums], axis=1)


def _draw(of_blocks: Array, key: Array, drawing: Drawing) -> Array:
    """Return codes (n, S, K) of arms drawn by the scores of their combinations."""
    n, n_blocks, size = of_blocks.shape
    edges = jnp.cumsum(jax.nn.softmax(jax.lax.stop_gradient(of_blocks), axis=2), axis=2)
    # Below the last edge, whatever its rounding, so that no arm of weight zero is drawn.
    where = jax.random.uniform(key, (n, n_blocks, drawing.n_samples)) * edges[:, :, -1:]
    find = jax.vmap(partial(jnp.searchsorted, side="right"))
    place: Array = find(edges.reshape(-1, size), where.reshape(-1, drawing.n_samples))
    combination = place.reshape(where.shape)[:, drawing.block_of]
    codes = combination // drawing.stride[:, None] % np.asarray(drawing.shape)[:, None]
    return codes.transpose(0, 2, 1)


def _network_values(network: Any, codes: Array, drawing: Drawing) -> Array:
    attribute_of_column = np.repeat(np.arange(len(drawing.shape)), drawing.shape)
    value_of_column = np.concatenate([np.arange(size) for size in drawing.shape])
    one_hot = codes[..., attribute_of_column] == value_of_column
    values: Array = evaluate(network, one_hot.astype(network[0].dtype))
    return values
