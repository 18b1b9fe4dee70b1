"""Wilson's interval: what the labels alone say about a rate.

Notation: n labels of mean p; z the normal quantile of the level. Wilson's interval holds the rates
r with (p - r)^2 <= z^2 r (1 - r) / n.
"""

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["wilson"]


def wilson(
    mean: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.9
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's interval of a rate; [0, 1] without labels.

    Examples
    --------
    >>> [round(float(end), 4) for end in wilson(0.5, 10, level=0.95)]
    [0.2366, 0.7634]
    """
    p, size = np.asarray(mean, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z2 = NormalDist().inv_cdf(0.5 + level / 2.0) ** 2
    middle = (size * p + z2 / 2.0) / (size + z2)
    reach = np.sqrt(z2 * (size * p * (1.0 - p) + z2 / 4.0)) / (size + z2)
    return (
        np.where(size > 0.0, np.clip(middle - reach, 0.0, 1.0), 0.0),
        np.where(size > 0.0, np.clip(middle + reach, 0.0, 1.0), 1.0),
    )
