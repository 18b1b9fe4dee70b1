"""How well the probability of the most probable value matches how often it is right.

Confidences in [0, 1] fall into bins of equal width. Bin i holds n_i rows of mean confidence conf_i
and accuracy acc_i; expected calibration error (ECE) = sum_i n_i |acc_i - conf_i| / n.

Special to this module: confidence (n,) that the top value is right, is_right (n,) whether it was.
"""

from typing import NamedTuple

import numpy as np

from accuracy_assay.runtime.arrays import BoolArray, FloatArray

__all__ = ["Reliability", "reliability"]


class Reliability(NamedTuple):
    """The bins that have rows, in increasing confidence, and the error over them."""

    n_rows: tuple[int, ...]
    confidence: tuple[float, ...]
    accuracy: tuple[float, ...]
    ece: float


def reliability(confidence: FloatArray, is_right: BoolArray, n_bins: int = 10) -> Reliability:
    """Return the reliability bins and the expected calibration error.

    Ten bins are what papers on calibration usually show (Guo et al. use 15).

    Examples
    --------
    >>> reliability(np.array([0.95, 0.95]), np.array([True, False])).ece
    0.45
    """
    which = np.minimum((confidence * n_bins).astype(np.int64), n_bins - 1)
    count = np.bincount(which, minlength=n_bins)
    used = np.flatnonzero(count)
    mean = np.bincount(which, confidence, minlength=n_bins)[used] / count[used]
    rate = np.bincount(which, is_right, minlength=n_bins)[used] / count[used]
    ece = float(np.sum(count[used] * np.abs(rate - mean)) / max(confidence.size, 1))
    return Reliability(
        tuple(count[used].tolist()), tuple(mean.tolist()), tuple(rate.tolist()), round(ece, 12)
    )
