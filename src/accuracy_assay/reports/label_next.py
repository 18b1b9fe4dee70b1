"""Which arms to label next, as advice: where one more label narrows most, by pool rows.

Notation: an arm with mean m, variance v and w pool rows. A Beta posterior with these moments has
strength s = m (1 - m) / v - 1, and one more label leaves v s / (s + 1) of its variance on average,
so that w v / (s + 1) = w v^2 / (m (1 - m)) is gained. What neighbours would learn from the label
is left out: a strategy knows it, a surface alone does not.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["label_next"]

_LEAST_VARIANCE = 1e-6
"""Of a single answer, m (1 - m): an accuracy of 0 or 1 to six digits has nothing to gain."""


def label_next(surface: AccuracySurface, count: int = 8) -> IntArray:
    """Return positions in ``surface.arms`` of those to label next, the largest gain first.

    Arms of which every pool row is labelled, and those with fewer than five, are left out.
    """
    variance = np.minimum(surface.sd**2, surface.mean * (1.0 - surface.mean))
    single = np.maximum(surface.mean * (1.0 - surface.mean), _LEAST_VARIANCE)
    gain = surface.support * variance**2 / single
    order = np.argsort(-gain, kind="stable")
    is_open = (surface.support - surface.n >= 1.0) & (surface.support >= LEAST_ACTIVE_ROWS)
    return np.asarray(order[(is_open & (gain > 0.0))[order]][:count])
