"""Products of the kernel matrix with vectors, without the matrix.

Notation: see the sub-package. x (T, m) holds one vector per column. Every term of the kernel is a
sum over groups of cells (one arm, one value) or a table over the values of one coordinate; the
product over coordinates is applied on the whole grid of their values, axis by axis. Only if that
grid is too large are blocks of the matrix computed.
"""

from collections.abc import Sequence

import jax
import numpy as np

from accuracy_assay.numerics.gp.anova import (
    LEVEL_VARIANCE,
    CellArrays,
    Layout,
    scaled_step,
)
from accuracy_assay.numerics.gp.kernel_matrix import kernel, tables_of
from accuracy_assay.numerics.gp.nested_effects import Level
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.padding import pad_rows, padded_size
from accuracy_assay.runtime.precision import precision
from accuracy_assay.runtime.programs import program

__all__ = ["kernel_among", "kernel_times"]

_LARGEST_GRID = 2**22
"""Most boxes of a grid: 32 MB for each vector, a tenth of a second for each axis."""
_NUMBERS_AT_ONCE = 2**24
"""Numbers of grids in memory: 128 MB, a few times over."""
_ROWS_AT_ONCE = 1024
"""Rows of a block of the matrix, if the grid is too large."""

_kernel = program(kernel)


def kernel_times(
    theta: FloatArray, cells: CellArrays, layout: Layout, x: FloatArray
) -> FloatArray:
    """Return K x at cells without padding, (T, m)."""
    if np.prod(np.array(layout.sizes, dtype=float)) > _LARGEST_GRID:
        return _by_blocks(theta, cells, layout, x)
    raw = {name: np.asarray(theta)[part] for name, part in layout.slices.items()}
    p = {name: np.exp(value) for name, value in raw.items()}
    codes = np.asarray(cells.codes, np.int64)
    attributes = layout.attributes

    def added(coordinates: Sequence[int], y: FloatArray) -> FloatArray:
        total = np.zeros_like(y)
        for k in coordinates:
            total += p["v"][k] * _along(k, p["e"][k], codes, layout, y)
        return total

    total = LEVEL_VARIANCE * x.sum(axis=0, keepdims=True) + p["s"][0] * _together(
        p["w"], layout.multiplied, codes, layout, x
    )
    own = p["o"][0] * np.asarray(cells.own)[:, None]
    total += own * _within(np.asarray(cells.arm), x)
    if cells.cluster is not None:
        cluster = np.asarray(cells.cluster)
        total += p["c"][0] * (cluster >= 0.0)[:, None] * _within(cluster, x)
    if cells.slices is not None:
        total += np.asarray(cells.slices) @ (np.asarray(cells.slices).T @ x)
    if cells.trend is not None:
        total += np.asarray(cells.trend) @ (np.asarray(cells.trend).T @ x)
    total += added(layout.ordered_signals, x)
    if layout.n_groups == 1:
        return np.asarray(total + added(attributes, x))
    factor = raw["b"][np.asarray(cells.group, np.int64)][:, None]
    for scale in (np.full_like(factor, np.sqrt(p["a"][0])), factor):
        y = scale * x
        apart = p["t"][0] * _together(p["u"], attributes, codes, layout, y)
        total += scale * (added(attributes, y) + apart)
    return np.asarray(total)


def kernel_among(theta: FloatArray, cells: CellArrays, layout: Layout) -> FloatArray:
    """Return K among a few cells, (m, m)."""
    size = padded_size(cells.arm.shape[0])
    with precision():
        padded = jax.tree.map(lambda part: put(pad_rows(np.asarray(part), size, -1.0)), cells)
        K = np.asarray(_kernel(tables_of(theta, layout), padded, padded))
    return K[: cells.arm.shape[0], : cells.arm.shape[0]]


def _within(label: IntArray, x: FloatArray) -> FloatArray:
    """Return the sum of x over the cells with each cell's label, (T, m)."""
    found, group = np.unique(label, return_inverse=True)
    return Level(group, np.ones(found.size)).add_up(x)[group]


def _table(k: int, rate: float, layout: Layout) -> FloatArray:
    """Return exp(-rate d) between the values of a coordinate, (V, V)."""
    code = np.arange(layout.sizes[k])
    step = np.abs(code[:, None] - code).astype(float)
    return np.asarray(np.exp(-rate * np.asarray(scaled_step(step, k, layout))))


def _along(k: int, rate: float, codes: IntArray, layout: Layout, x: FloatArray) -> FloatArray:
    """Return the additive term of one coordinate with variance one, times x."""
    sums = Level(codes[:, k], np.ones(layout.sizes[k])).add_up(x)
    if layout.ordered[k]:
        sums = _table(k, rate, layout) @ sums
    return np.asarray(sums[codes[:, k]])


def _together(
    weight: FloatArray,
    coordinates: Sequence[int],
    codes: IntArray,
    layout: Layout,
    x: FloatArray,
) -> FloatArray:
    """Return the kernel exp(-sum w_k d_k) over some coordinates, times x."""
    sizes = [layout.sizes[k] for k in coordinates]
    box = np.ravel_multi_index(tuple(codes[:, coordinates].T), sizes)
    n_boxes = int(np.prod(sizes))
    made = np.empty_like(x)
    at_once = max(_NUMBERS_AT_ONCE // n_boxes, 1)
    for start in range(0, x.shape[1], at_once):
        part = x[:, start : start + at_once]
        grid = Level(box, np.ones(n_boxes)).add_up(part).reshape(*sizes, -1)
        for axis, (k, w) in enumerate(zip(coordinates, weight, strict=False)):
            first = _times_axis(k, float(w), layout, np.moveaxis(grid, axis, 0))
            grid = np.moveaxis(first, 0, axis)
        made[:, start : start + at_once] = grid.reshape(n_boxes, -1)[box]
    return made


def _times_axis(k: int, w: float, layout: Layout, grid: FloatArray) -> FloatArray:
    """Return the kernel of one coordinate times a grid, whose first axis is that coordinate."""
    if layout.ordered[k]:
        return np.tensordot(_table(k, w, layout), grid, axes=1)
    alike = np.exp(-w)
    return np.asarray((1.0 - alike) * grid + alike * grid.sum(axis=0, keepdims=True))


def _by_blocks(theta: FloatArray, cells: CellArrays, layout: Layout, x: FloatArray) -> FloatArray:
    made = np.empty_like(x)
    with precision():
        tables, every = tables_of(theta, layout), jax.tree.map(put, cells)
        for start in range(0, x.shape[0], _ROWS_AT_ONCE):
            rows = np.minimum(np.arange(start, start + _ROWS_AT_ONCE), x.shape[0] - 1)
            part = jax.tree.map(lambda column, at=rows: put(np.asarray(column)[at]), cells)
            block = np.asarray(_kernel(tables, part, every))
            made[rows] = block @ x
    return made
