"""Isotonic regression: the rising steps closest to some points in least squares.

Notation: x (n,) positions, y (n,) heights; pool adjacent violators (Ayer et al., 1955): falling
neighbours are replaced by their mean until none fall.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["isotonic_fit"]


def isotonic_fit(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct positions in order (k,) and the rising heights there (k,).

    Between them the curve is linear, beyond them constant (`numpy.interp`).

    Examples
    --------
    >>> x, y = np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> [part.tolist() for part in isotonic_fit(x, y)]
    [[1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 0.5, 1.0]]
    """
    positions, group = np.unique(x, return_inverse=True)
    weights = np.bincount(group).astype(np.float64)
    heights = np.bincount(group, weights=y) / weights
    blocks: list[tuple[float, float, int]] = []  # height, weight and size of each level piece
    for height, weight in zip(heights.tolist(), weights.tolist(), strict=True):
        size = 1
        while blocks and blocks[-1][0] >= height:
            before, more, count = blocks.pop()
            height = (before * more + height * weight) / (more + weight)
            weight, size = weight + more, size + count
        blocks.append((height, weight, size))
    level = [height for height, _, _ in blocks]
    return positions, np.repeat(level, [size for _, _, size in blocks])
