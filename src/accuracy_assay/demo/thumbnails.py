"""Small grey pictures as PNG bytes, for pages that must stand alone."""

from collections.abc import Iterable
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from accuracy_assay.runtime.arrays import IntArray

__all__ = ["encode_png", "pick_examples"]


def encode_png(image: NDArray[np.uint8]) -> bytes:
    """Return a grey image (height, width) as a PNG file (8 bits, one channel)."""
    from PIL import Image

    file = BytesIO()
    Image.fromarray(np.ascontiguousarray(image)).save(file, format="PNG", optimize=True)
    return file.getvalue()


def pick_examples(
    arms: Iterable[int],
    row_arms: IntArray,
    images: NDArray[np.uint8],
    count: int = 3,
) -> dict[int, tuple[bytes, ...]]:
    """Return the first ``count`` images of each wanted arm, ink dark on light, as PNG.

    Parameters
    ----------
    arms
        Wanted arms.
    row_arms : shape (n,)
        Arm of each image.
    images : shape (n, height, width)
        Ink, 0 to 255.
    count
        Images per arm.
    """
    return {
        int(arm): tuple(
            encode_png(255 - images[row]) for row in np.flatnonzero(row_arms == arm)[:count]
        )
        for arm in arms
    }
