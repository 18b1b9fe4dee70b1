"""How closely a surface knows the whole, and the slice that it knows least, in accuracy."""

from __future__ import annotations

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["known_to"]

_LEAST_SHARE = 0.01
"""Share of the pool's rows from which a value counts as a slice: fewer would always be worst."""
_MOST_VALUES = 200
"""Values of an attribute with more are not looked at: each costs an average over draws."""


def known_to(surface: AccuracySurface) -> tuple[float, float]:
    """Return half of the widths of two intervals: of the overall accuracy, and of a slice.

    The slice is one value of one attribute: the one with the widest interval among those with a
    hundredth of the pool's rows.
    """
    overall = surface.overall
    whole, worst = (overall.upper - overall.lower) / 2.0, 0.0
    mass = surface.mass()
    for attribute in surface.space.attributes:
        if attribute.size > _MOST_VALUES:
            continue
        table = averages_by(surface, (attribute.name,), mass)
        for row in table.iter_rows(named=True):
            if row["support"] >= _LEAST_SHARE * overall.support:
                worst = max(worst, (row["upper"] - row["lower"]) / 2.0)
    return whole, max(worst, whole)
