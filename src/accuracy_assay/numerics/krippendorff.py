"""Krippendorff's alpha of answers without an order, some of which may be missing.

Notation: n_uc the number of answers c to unit u, n_u = sum_c n_uc. A unit with fewer than two
answers pairs with nothing and is left out. n_c = sum_u n_uc, n = sum_c n_c. The coincidences of
equal answers are o_cc = sum_u n_uc (n_uc - 1) / (n_u - 1), and

    alpha = 1 - (n - 1) (n - sum_c o_cc) / (n^2 - sum_c n_c^2),

1 minus observed over expected disagreement (K. Krippendorff, Computing Krippendorff's
Alpha-Reliability, 2011, nominal data).
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import IntArray

__all__ = ["nominal_alpha"]


def nominal_alpha(counts: IntArray) -> float | None:
    """Return alpha for the counts n_uc (units, answers).

    None if no unit has two answers, or all answers that pair are the same: chance then expects no
    disagreement, and alpha is 0 / 0.

    Examples
    --------
    >>> nominal_alpha(np.array([[2, 0], [0, 2], [1, 1]]))
    0.4444444444444444
    """
    paired = counts[counts.sum(axis=1) >= 2].astype(np.float64)
    n_u = paired.sum(axis=1)
    n_c = paired.sum(axis=0)
    n = n_c.sum()
    expected = n * n - (n_c * n_c).sum()
    if expected == 0.0:
        return None
    equal = ((paired * (paired - 1.0)).sum(axis=1) / (n_u - 1.0)).sum()
    return float(1.0 - (n - 1.0) * (n - equal) / expected)
