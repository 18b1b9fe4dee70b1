"""Pooling of sparse observations over near arms, section 3.3 of the paper.

An arm with fewer observations than a threshold gets the average of its three nearest arms'
observations and its own, weighted by the kernel: c_a <- sum_b k_b c_b / sum_b k_b, and likewise
n_a. In the research code the nearest of the three is the arm itself; either way its own labels
are kept.

Special to this module: V is divided by the kernel's length, so k_b = exp(-||.||² / 2);
is_observed (B,) is false for padding and for arms that are not the likeliest of any label.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

__all__ = ["Pooling", "pool"]

# Arms whose distances to all others are held at a time. Bounds memory: 512 x B numbers.
_ROWS_AT_ONCE = 512


class Pooling(NamedTuple):
    """How sparse arms are pooled; by default with the text's three closest neighbours.

    Parameters
    ----------
    threshold
        Arms with fewer observations than this are pooled.
    n_neighbours
        How many nearest other arms take part.
    use_self
        Whether the arm's own observations take part too, at distance zero.
    use_kernel
        Weights by kernel similarity; otherwise equal weights.
    """

    threshold: float = 5.0
    n_neighbours: int = 3
    use_self: bool = True
    use_kernel: bool = True


def pool(
    how: Pooling,
    V: Array,
    n: Array,
    c: Array,
    is_observed: Array,
    rows: Array | None = None,
) -> tuple[Array, Array]:
    """Return counts (n, c) in which sparse arms hold their neighbours' average, both (B,).

    Parameters
    ----------
    how
        Settings.
    V
        Embedded arms over the kernel's length (B, d).
    n, c
        Counts (B,).
    is_observed
        Rows that are pooled and that may be neighbours (B,).
    rows
        Rows whose counts to return (r,); all by default.
    """
    squares = (V * V).sum(1)
    every = jnp.arange(n.size)

    def of_arm(row: Array) -> tuple[Array, Array]:
        distance = jnp.maximum(squares[row] + squares - 2.0 * V @ V[row], 0.0)
        itself = 0.0 if how.use_self else jnp.inf
        distance = jnp.where(every == row, itself, jnp.where(is_observed, distance, jnp.inf))
        near, index = _smallest(distance, min(how.n_neighbours + how.use_self, n.size))
        # Only ratios of similarities matter; relative to the nearest, far ones do not underflow.
        k = jnp.exp(-0.5 * (near - near[0])) if how.use_kernel else jnp.ones_like(near)
        k = jnp.where(jnp.isfinite(near), k, 0.0)
        is_pooled = is_observed[row] & (n[row] < how.threshold) & jnp.isfinite(near[0])
        share = k / jnp.where(is_pooled, k.sum(), 1.0)
        return (
            jnp.where(is_pooled, share @ n[index], n[row]),
            jnp.where(is_pooled, share @ c[index], c[row]),
        )

    wanted = every if rows is None else rows
    at_once = min(_ROWS_AT_ONCE, wanted.size)
    pooled: tuple[Array, Array] = jax.lax.map(of_arm, wanted, batch_size=at_once)
    return pooled


def _smallest(values: Array, count: int) -> tuple[Array, Array]:
    """Return the ``count`` smallest values and their positions, smallest first."""
    found = []
    for _ in range(count):
        at = jnp.argmin(values)
        found.append((values[at], at))
        values = jnp.where(jnp.arange(values.size) == at, jnp.inf, values)
    return jnp.stack([v for v, _ in found]), jnp.stack([p for _, p in found])
