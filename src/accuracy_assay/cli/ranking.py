"""Estimates side by side, best first, with the distance of each from the best.

Notation: with means m and deviations s of independent posteriors, the distance to the best b is
normal with mean ``m_b - m`` and variance ``s_b^2 + s^2``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from statistics import NormalDist

from rich.table import Table

from accuracy_assay.domain.surface import Estimate

__all__ = ["Place", "rank", "ranking_table"]


@dataclass(frozen=True, slots=True)
class Place:
    """One service's place: its estimate, and how far it is behind the best."""

    name: str
    estimate: Estimate
    behind: float
    behind_lower: float
    behind_upper: float


def rank(found: Mapping[str, Estimate]) -> list[Place]:
    """Return the estimates from best to worst."""
    ordered = sorted(found.items(), key=lambda item: -item[1].mean)
    best = ordered[0][1]
    places = []
    for name, estimate in ordered:
        behind = best.mean - estimate.mean
        reach = 0.0
        if estimate is not best:
            z = NormalDist().inv_cdf(0.5 + estimate.level / 2.0)
            reach = z * hypot(best.sd, estimate.sd)
        places.append(Place(name, estimate, behind, behind - reach, behind + reach))
    return places


def ranking_table(places: list[Place]) -> Table:
    """Return the places as a table."""
    level = places[0].estimate.level
    table = Table(title_justify="left")
    for column in ("surface", "accuracy", f"{level:.0%} interval", "labels", "behind the best"):
        table.add_column(column, justify="left" if column == "surface" else "right")
    for place in places:
        e = place.estimate
        gap = f"{place.behind:.3f} ({place.behind_lower:.3f} to {place.behind_upper:.3f})"
        table.add_row(
            place.name,
            f"{e.mean:.3f}",
            f"{e.lower:.3f} to {e.upper:.3f}",
            f"{e.n:,.0f}",
            "" if place is places[0] else gap,
        )
    return table
