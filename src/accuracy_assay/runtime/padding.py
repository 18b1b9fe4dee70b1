"""Arrays padded to a few sizes, so that a growing set of rows reuses compiled code."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["pad_rows", "padded_size"]

# Chosen by hand between compiling often and computing on padding. Up to 128 rows padding costs
# next to nothing. A factor's cost grows with the cube of the rows, so from 256 on sizes are finer;
# above 2048, where one takes a tenth of a second, a quarter more costs twice the work. Above 8192
# code compiles for as long as it runs.
_SMALLEST, _FINE, _EVEN, _MANY = 128, 256, 2048, 8192
_STEP, _LONG_STEP = 512, 2048

Scalar = TypeVar("Scalar", bound=np.generic)


def padded_size(n: int) -> int:
    """Return the least allowed length that holds ``n`` rows.

    Powers of two; from 256 on also one and a half times them; above 2048 every 512, above 8192
    every 2048.

    Examples
    --------
    >>> [padded_size(n) for n in (1, 129, 300, 600, 1100, 2100, 9000)]
    [128, 256, 384, 768, 1536, 2560, 10240]
    """
    if n > _EVEN:
        step = _STEP if n <= _MANY else _LONG_STEP
        return -(-n // step) * step
    size = _SMALLEST
    while size < n:
        if size >= _FINE and n <= size + size // 2:
            return size + size // 2
        size *= 2
    return size


def pad_rows(array: npt.NDArray[Scalar], size: int, fill: float = 0.0) -> npt.NDArray[Scalar]:
    """Return ``array`` with rows of ``fill`` added up to ``size`` rows.

    Examples
    --------
    >>> pad_rows(np.array([3, 4]), 3, fill=-1).tolist()
    [3, 4, -1]
    """
    extra = ((0, size - array.shape[0]), *((0, 0) for _ in array.shape[1:]))
    return np.pad(array, extra, constant_values=fill)
