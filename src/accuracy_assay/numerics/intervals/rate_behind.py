"""The rate behind an arm of a finite pool, by which arms are ranked: few rows say little of it.

Notation: an arm has N pool rows, of which X are right; X has mean N m and deviation N s. Five rows
that are all labelled and all wrong have an accuracy of zero without any doubt, but five rows are
all wrong by chance. So arms are ranked by an end of the interval of the rate that produced them.
Given X under a uniform prior it is Beta(X + 1, N - X + 1) (Laplace's rule of succession), hence

    mean E = (N m + 1) / (N + 2),  variance = v + (E (1 - E) - v) / (N + 3),  v = (N s / (N + 2))^2

and the ends are taken on the logit scale, to first order. An arm of few rows must be far worse
than one of many to stand before it.
"""

from statistics import NormalDist

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["rate_ends"]


def rate_ends(
    mean: FloatArray, sd: FloatArray, size: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the interval of the rate behind each arm, as logits, (A,) each.

    Examples
    --------
    None of 5 rows is right, none of 50, and 10 of 50: the second is the most surely bad.

    >>> nobody = np.zeros(3)
    >>> upper = rate_ends(np.array([0.0, 0.0, 0.2]), nobody, np.array([5.0, 50.0, 50.0]), 0.9)[1]
    >>> np.argsort(upper).tolist()
    [1, 2, 0]
    """
    E = (size * mean + 1.0) / (size + 2.0)
    v = (size * sd / (size + 2.0)) ** 2
    variance = v + np.maximum(E * (1.0 - E) - v, 0.0) / (size + 3.0)
    reach = NormalDist().inv_cdf(0.5 + level / 2.0) * np.sqrt(variance) / (E * (1.0 - E))
    middle = np.log(E / (1.0 - E))
    return middle - reach, middle + reach
