"""Accuracy by two attributes as a table for pictures: of many values those with most pool rows."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["HeatTable", "heat_table"]


@dataclass(frozen=True)
class HeatTable:
    """The values of two attributes, and the accuracy where the pool has both.

    Parameters
    ----------
    rows, columns
        The attributes.
    down, across
        Their values, in their own order.
    boxes
        Position down and across, then mean, lower and upper end.
    """

    rows: str
    columns: str
    down: tuple[object, ...]
    across: tuple[object, ...]
    boxes: tuple[tuple[int, int, float, float, float], ...]


def heat_table(
    surface: AccuracySurface, rows: str, columns: str, most_rows: int, most_columns: int
) -> HeatTable:
    """Return the accuracy by two attributes, with as many values of each as there is room for."""
    down = _commonest(surface, surface.space.attribute(rows), most_rows)
    across = _commonest(surface, surface.space.attribute(columns), most_columns)
    table = averages_by(surface, (rows, columns), surface.support).filter(
        pl.col(rows).is_in(down), pl.col(columns).is_in(across)
    )
    boxes = tuple(
        (down.index(row), across.index(column), mean, lower, upper)
        for row, column, mean, lower, upper in table.select(
            rows, columns, "mean", "lower", "upper"
        ).rows()
    )
    return HeatTable(rows, columns, tuple(down), tuple(across), boxes)


def _commonest(surface: AccuracySurface, attribute: Attribute, most: int) -> list[object]:
    """Return the values with the most pool rows, in the attribute's own order."""
    if attribute.size <= most:
        return list(attribute.values)
    rows = averages_by(surface, (attribute.name,), surface.support)
    rows = rows.sort("support", descending=True).head(most)
    kept = set(rows.get_column(attribute.name).to_list())
    return [value for value in attribute.values if value in kept]
