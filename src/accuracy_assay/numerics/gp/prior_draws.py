"""Prior draws of the process at any cells, without a matrix of all their pairs.

Notation: see the sub-package and ``anova``, whose kernel is a sum; a draw is the sum of one
independent draw per term. S draws at N cells cost S N, not N^3.

- An additive term of a coordinate is one number per value: independent for a categorical
  coordinate; for an ordered one, whose kernel is exp(-e d), an autoregression along its values.
- The product exp(-sum w_k d_k) is drawn on the whole grid of its coordinates, axis by axis, since
  its root is the Kronecker product of one small root per axis. If the grid is too large, the
  kernel is the chance that two cells fall into one box of a random partition (random binning;
  Rahimi and Recht, 2007): a categorical axis is cut into all its values with probability
  1 - exp(-w), else not at all; an ordered one between neighbours with probability 1 - exp(-w d).
  A draw is then the mean of a few partitions with a normal number per box. Its covariance is
  exact, its distribution only nearly normal.
"""

from collections.abc import Sequence

import numpy as np

from accuracy_assay.numerics.gp.anova import LEVEL_VARIANCE, CellArrays, Layout, scaled_step
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["prior_draws"]

_LARGEST_GRID = 2**18
"""Most boxes of a grid that is drawn whole: 512 draws of it take a few seconds."""
_NUMBERS_AT_ONCE = 2**23
"""Numbers of grids in memory at a time: 64 MB."""
_PARTITIONS = 8
"""Partitions per draw. Chosen by hand: 512 draws have 4,096, and a single cell is normal with any
number of them."""
_BOXES_LOG = 20
"""Log2 of the normal numbers that boxes share by a hash: one pair of boxes in a million has the
same."""


def prior_draws(
    theta: FloatArray, cells: CellArrays, layout: Layout, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return draws of f at cells (without padding) before any label, (S, J)."""
    raw = {name: np.asarray(theta)[part] for name, part in layout.slices.items()}
    p = {name: np.exp(value) for name, value in raw.items()}
    codes, arm = np.asarray(cells.codes, np.int64), np.asarray(cells.arm)
    attributes = layout.attributes
    total = np.sqrt(LEVEL_VARIANCE) * rng.standard_normal((n_draws, 1))
    total = total + np.sqrt(p["o"][0] * np.asarray(cells.own)) * _shared(arm, n_draws, rng)
    together = _product(p["w"], layout.multiplied, codes, layout, n_draws, rng)
    total += np.sqrt(p["s"][0]) * together
    if cells.cluster is not None:
        cluster = np.asarray(cells.cluster)
        total += np.sqrt(p["c"][0]) * (cluster >= 0.0) * _shared(cluster, n_draws, rng)
    if cells.slices is not None:
        of_slice = np.asarray(cells.slices)
        total += rng.standard_normal((n_draws, of_slice.shape[1])) @ of_slice.T
    if cells.trend is not None:
        of_trend = np.asarray(cells.trend)
        total += rng.standard_normal((n_draws, of_trend.shape[1])) @ of_trend.T

    def added(coordinates: Sequence[int]) -> FloatArray:
        parts = np.zeros((n_draws, arm.size))
        for k in coordinates:
            parts += np.sqrt(p["v"][k]) * _along(k, p["e"][k], codes, layout, n_draws, rng)
        return parts

    total += added(layout.ordered_signals)
    if layout.n_groups == 1:
        return np.asarray(total + added(attributes))
    factor = raw["b"][np.asarray(cells.group, np.int64)]
    for scale in (np.sqrt(p["a"][0]), factor):
        apart = _product(p["u"], attributes, codes, layout, n_draws, rng)
        total += scale * (added(attributes) + np.sqrt(p["t"][0]) * apart)
    return np.asarray(total)


def _unit(k: int, layout: Layout) -> float:
    """Return the distance of neighbouring values of a coordinate."""
    return float(np.asarray(scaled_step(np.ones(()), k, layout)))


def _shared(label: IntArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Return one number per label, shared by the cells of that label, (S, J)."""
    found, inverse = np.unique(label, return_inverse=True)
    return rng.standard_normal((n_draws, found.size))[:, inverse]


def _along(
    k: int,
    rate: float,
    codes: IntArray,
    layout: Layout,
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the additive term of one coordinate with variance one, (S, J)."""
    used, inverse = np.unique(codes[:, k], return_inverse=True)
    if not layout.ordered[k]:
        return rng.standard_normal((n_draws, used.size))[:, inverse]
    values = rng.standard_normal((n_draws, layout.sizes[k]))
    _correlate(values, np.exp(-rate * _unit(k, layout)))
    return values[:, codes[:, k]]


def _correlate(values: FloatArray, correlation: float) -> None:
    """Turn independent numbers into an autoregression along the last axis, in place."""
    rest = np.sqrt(1.0 - correlation**2)
    for i in range(1, values.shape[-1]):
        values[..., i] = correlation * values[..., i - 1] + rest * values[..., i]


def _product(
    weight: FloatArray,
    coordinates: Sequence[int],
    codes: IntArray,
    layout: Layout,
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws with covariance exp(-sum w_k d_k) over some coordinates, (S, J)."""
    sizes = [layout.sizes[k] for k in coordinates]
    steps = [_unit(k, layout) for k in coordinates]
    likeness = np.exp(-weight[: len(sizes)] * steps)
    at = codes[:, coordinates]
    ordered = [layout.ordered[k] for k in coordinates]
    if np.prod(np.array(sizes, dtype=float)) > _LARGEST_GRID:
        return _binned(likeness, at, sizes, ordered, n_draws, rng)
    index = np.ravel_multi_index(tuple(at.T), sizes)
    size = int(np.prod(sizes))
    drawn = np.empty((n_draws, codes.shape[0]))
    at_once = max(_NUMBERS_AT_ONCE // size, 1)
    for start in range(0, n_draws, at_once):
        count = min(at_once, n_draws - start)
        grid = rng.standard_normal((count, *sizes))
        for axis, (alike, is_ordered) in enumerate(zip(likeness, ordered, strict=True), 1):
            _smooth(grid, axis, float(alike), is_ordered=is_ordered)
        drawn[start : start + count] = grid.reshape(count, size)[:, index]
    return drawn


def _smooth(grid: FloatArray, axis: int, alike: float, *, is_ordered: bool) -> None:
    """Multiply an axis by a root of its kernel, in place.

    For a categorical axis the kernel is (1 - c) I + c 1 1', whose symmetric root has the same
    form.
    """
    moved = np.moveaxis(grid, axis, -1)
    if is_ordered:
        _correlate(moved, alike)
        return
    size = moved.shape[-1]
    own, whole = np.sqrt(1.0 - alike), np.sqrt(1.0 - alike + alike * size)
    mean = moved.mean(axis=-1, keepdims=True)
    moved *= own
    moved += (whole - own) * mean


def _binned(
    likeness: FloatArray,
    at: IntArray,
    sizes: Sequence[int],
    ordered: Sequence[bool],
    n_draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws over a grid that is too large to hold, by random partitions, (S, J)."""
    numbers = rng.standard_normal(2**_BOXES_LOG)
    drawn = np.zeros((n_draws, at.shape[0]))
    for i in range(n_draws):
        for _ in range(_PARTITIONS):
            key = np.full(at.shape[0], rng.integers(2**63), dtype=np.uint64)
            for k, (size, is_ordered) in enumerate(zip(sizes, ordered, strict=True)):
                box = _boxes(size, float(likeness[k]), rng, is_ordered=is_ordered)
                if box is not None:
                    # One random number per box: their sums identify combinations of boxes.
                    key += rng.integers(2**63, size=size, dtype=np.uint64)[box][at[:, k]]
            key *= np.uint64(0x9E3779B97F4A7C15)
            drawn[i] += numbers[key >> np.uint64(64 - _BOXES_LOG)]
    return np.asarray(drawn / np.sqrt(_PARTITIONS))


def _boxes(
    size: int, alike: float, rng: np.random.Generator, *, is_ordered: bool
) -> IntArray | None:
    """Return the box of each value of an axis under a random partition; None for one box."""
    if is_ordered:
        cuts = rng.random(size - 1) >= alike
        return np.concatenate([[0], np.cumsum(cuts)]) if cuts.any() else None
    return None if rng.random() < alike else np.arange(size)
