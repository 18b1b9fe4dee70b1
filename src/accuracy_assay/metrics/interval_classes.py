"""Classes of arms in which intervals are checked: by support, by level and by rank.

An average over all arms hides where intervals fail: in small arms, near 0 and 1, and among those
that head a list. An arm whose rows are all labelled is in no class, since its accuracy is known.
"""

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["CLASSES", "classes_of"]

_SIZES = {
    "5 to 9 pool rows": (5, 10),
    "10 to 19 pool rows": (10, 20),
    "20 to 49 pool rows": (20, 50),
    "50 pool rows or more": (50, np.inf),
}
_LOW, _HIGH = 0.15, 0.85
"""Where intervals that end below, or begin above, are near 0 or 1."""
_LISTED = 10
"""Arms at either end of a list that people read."""

CLASSES = (
    *_SIZES,
    "interval ends below 15%",
    "interval in between",
    "interval begins above 85%",
    "ten that look worst",
    "ten that look best",
    "all others",
)
"""Names of the classes: four by support, three by level, three by rank."""


def classes_of(surface: AccuracySurface, gold: Gold, listed: IntArray) -> dict[str, BoolArray]:
    """Return which arms of the gold belong to each class, (A,) each.

    Parameters
    ----------
    surface
        The surface.
    gold
        Gold of some of its arms.
    listed
        Positions of these arms in the surface, (A,).
    """
    is_open = gold.size - surface.n[listed] > 0.5
    found = {name: is_open & _is_between(gold.size, *ends) for name, ends in _SIZES.items()}
    is_low = is_open & (surface.upper[listed] < _LOW)
    is_high = is_open & (surface.lower[listed] > _HIGH)
    worst = _first(surface.worst_first(), listed, is_open)
    best = _first(surface.best_first(), listed, is_open) & ~worst
    by_level = (is_low, is_open & ~is_low & ~is_high, is_high)
    by_rank = (worst, best, is_open & ~worst & ~best)
    return found | dict(zip(CLASSES[len(_SIZES) :], (*by_level, *by_rank), strict=True))


def _is_between(size: FloatArray, least: float, below: float) -> BoolArray:
    return np.asarray((size >= least) & (size < below))


def _first(order: IntArray, listed: IntArray, is_open: BoolArray) -> BoolArray:
    """Return which of the listed arms are the first that are open, in an order of positions."""
    shown = order[np.isin(order, listed[is_open])][:_LISTED]
    return np.isin(listed, shown)
