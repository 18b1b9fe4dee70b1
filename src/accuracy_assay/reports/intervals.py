"""How the intervals were checked: the share of arms whose interval holds the gold.

The headline is over arms with at least 20 rows, as the metric ``coverage_90`` has it: in smaller
arms the gold itself moves in coarse steps.
"""

import numpy as np
import polars as pl

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import LEAST_CHECKED_ROWS

__all__ = ["check_intervals"]

_GROUPS = (
    (LEAST_ACTIVE_ROWS, LEAST_CHECKED_ROWS),
    (LEAST_CHECKED_ROWS, 50),
    (50, 150),
    (150, None),
)
"""From and below how many rows: bounds of the two rules for arms, then in steps of about three."""
_SLACK = 1e-9
"""An interval that ends at the gold holds it, whatever the rounding."""


def check_intervals(surface: AccuracySurface, gold: Gold) -> pl.DataFrame:
    """Return the coverage of the intervals, by how many rows stand behind an arm's gold.

    Arms with fewer than five rows are left out, as their gold says little.

    Parameters
    ----------
    surface
        The surface whose intervals are checked.
    gold
        Gold accuracies, of all arms or of the active ones.

    Returns
    -------
    polars.DataFrame
        ``rows`` (the group), ``arms``, ``covered`` (a share) and ``width`` (mean). The first row
        is the headline: arms with at least 20 rows, or all where there are none.
    """
    _, listed, known = np.intersect1d(
        surface.arms, gold.arms, assume_unique=True, return_indices=True
    )
    lower, upper = surface.lower[listed], surface.upper[listed]
    accuracy, size = gold.accuracy[known], gold.size[known]
    inside = (lower - _SLACK <= accuracy) & (accuracy <= upper + _SLACK)
    well_known = size >= LEAST_CHECKED_ROWS
    groups = [(f"{LEAST_CHECKED_ROWS} or more", well_known)]
    if not well_known.any():
        groups = [("all", np.ones(size.shape, dtype=bool))]
    for low, high in _GROUPS:
        name = f"{low} or more" if high is None else f"{low} to {high - 1}"
        groups.append((name, (size >= low) & (size < (np.inf if high is None else high))))
    table = [
        (name, int(part.sum()), float(inside[part].mean()), float((upper - lower)[part].mean()))
        for name, part in groups
        if part.any()
    ]
    schema = {"rows": pl.String, "arms": pl.Int64, "covered": pl.Float64, "width": pl.Float64}
    return pl.DataFrame(table, schema=schema, orient="row")
