"""Image operations whose strength is an attribute, each over a whole stack at once.

Notation: n images of s x s pixels, ink in [0, 1] (0 paper, 1 ink); every strength has shape (n,).
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import ndimage

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["add_noise", "change_stroke", "cover", "enlarge", "rotate", "shrink"]

Images = NDArray[np.float32]
Strength = FloatArray


def enlarge(images: Images) -> Images:
    """Return the images at twice the size, by linear interpolation; shape (n, 2s, 2s)."""
    bigger = ndimage.zoom(images, (1, 2, 2), order=1, grid_mode=True, mode="nearest")
    return np.asarray(np.clip(bigger, 0.0, 1.0), np.float32)


def shrink(images: Images) -> Images:
    """Return the images at half the size, by averaging 2 x 2 blocks; shape (n, s/2, s/2)."""
    n, s, _ = images.shape
    return np.asarray(images.reshape(n, s // 2, 2, s // 2, 2).mean(axis=(2, 4)), np.float32)


def change_stroke(images: Images, weight: Strength) -> Images:
    """Blend each image with its erosion (weight < 0, down to -1) or dilation (up to +1)."""
    cross = ndimage.generate_binary_structure(2, 1)[None]
    w = weight.astype(np.float32)[:, None, None]
    thin = ndimage.grey_erosion(images, footprint=cross)
    bold = ndimage.grey_dilation(images, footprint=cross)
    return np.asarray(images + np.abs(w) * (np.where(w < 0, thin, bold) - images), np.float32)


def rotate(images: Images, degrees: Strength) -> Images:
    """Turn each image clockwise about its centre, with linear interpolation."""
    n, s, _ = images.shape
    centre = (s - 1) / 2
    y, x = np.indices((s, s)) - centre
    cos = np.cos(np.deg2rad(degrees))[:, None, None]
    sin = np.sin(np.deg2rad(degrees))[:, None, None]
    rows = np.broadcast_to(np.arange(n)[:, None, None], (n, s, s))
    at = [rows, cos * y - sin * x + centre, sin * y + cos * x + centre]
    turned = ndimage.map_coordinates(images, at, order=1, mode="constant", prefilter=False)
    return np.asarray(turned, np.float32)


def cover(images: Images, top: Strength, bottom: Strength) -> Images:
    """Hide the given number of pixel rows at the top and at the bottom; fractions fade."""
    row = np.arange(images.shape[1]) + 1.0
    seen = np.clip(row - top[:, None], 0.0, 1.0) * np.clip(row[::-1] - bottom[:, None], 0.0, 1.0)
    return np.asarray(images * seen[:, :, None], np.float32)


def add_noise(images: Images, sigma: Strength, rng: Generator) -> Images:
    """Add Gaussian noise of standard deviation ``sigma`` and clip to [0, 1]."""
    noise = rng.standard_normal(images.shape, dtype=np.float32)
    return np.clip(images + sigma.astype(np.float32)[:, None, None] * noise, 0.0, 1.0)
