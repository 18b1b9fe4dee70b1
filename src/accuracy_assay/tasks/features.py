"""Numbers that describe an image, from which its attributes are guessed.

Notation: n images of s x s pixels, ink in [0, 1]; g_y, g_x ink gradients.
"""

import numpy as np
from numpy.typing import NDArray

from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.tasks.transforms import shrink

__all__ = ["describe"]

N_DIRECTIONS = 12
"""Directions of a gradient are told apart by 15 degrees: rotations differ by 25."""

_TINY = 1e-6
"""Ink, edges and spread of a blank image, so that nothing is divided by zero."""


def describe(images: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return features of each image; shape (n, s^2/4 + s + 12 + 9).

    Pixels at half size, ink by row, shares of gradient direction, and second moments.
    """
    gy, gx = (np.asarray(g) for g in np.gradient(images, axis=(1, 2)))
    strength = np.hypot(gy, gx)
    edges = strength.sum(axis=(1, 2))
    ink = images.sum(axis=(1, 2)) + _TINY
    columns = [
        shrink(images).reshape(len(images), -1),
        images.mean(axis=2),
        _directions(gy, gx, strength),
        _moments(images, ink),
        np.stack([ink, edges, edges / ink, images.std(axis=(1, 2))], axis=1),
    ]
    return np.concatenate(columns, axis=1, dtype=np.float32)


def _directions(
    gy: NDArray[np.float32], gx: NDArray[np.float32], strength: NDArray[np.float32]
) -> FloatArray:
    n = len(strength)
    turn = np.arctan2(gy, gx) * (N_DIRECTIONS / np.pi)
    bin_ = np.floor(turn).astype(np.int32) % N_DIRECTIONS
    flat = bin_.reshape(n, -1) + N_DIRECTIONS * np.arange(n)[:, None]
    total = np.bincount(flat.ravel(), strength.ravel(), minlength=n * N_DIRECTIONS)
    share = total.reshape(n, N_DIRECTIONS)
    return np.asarray(share / (share.sum(axis=1, keepdims=True) + _TINY))


def _moments(images: NDArray[np.float32], ink: NDArray[np.float32]) -> FloatArray:
    n, s, _ = images.shape
    y, x = (axis.ravel() for axis in np.indices((s, s)))
    powers = np.stack([y, x, y * y, x * x, y * x], axis=1).astype(np.float64)
    my, mx, myy, mxx, mxy = (images.reshape(n, -1) @ powers / ink[:, None]).T
    vy, vx, cov = myy - my * my, mxx - mx * mx, mxy - my * mx
    return np.stack([my, mx, vy, vx, cov / np.sqrt(vy * vx + _TINY)], axis=1)
