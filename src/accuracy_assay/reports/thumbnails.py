"""Small grey pictures as PNG bytes, for pages that must stand alone."""

import struct
import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from accuracy_assay.runtime.arrays import IntArray

__all__ = ["encode_png", "pick_examples"]


def encode_png(image: NDArray[np.uint8]) -> bytes:
    """Return a grey image (height, width) as a PNG file (8 bits, one channel)."""
    height, width = image.shape
    lines = np.zeros((height, width + 1), np.uint8)  # each line starts with its filter, 0
    lines[:, 1:] = image
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


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
        Images an arm.
    """
    return {
        int(arm): tuple(
            encode_png(255 - images[row]) for row in np.flatnonzero(row_arms == arm)[:count]
        )
        for arm in arms
    }
