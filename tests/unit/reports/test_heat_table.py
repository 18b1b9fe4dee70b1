"""A heat map has the values with the most rows, in their own order, and no box without rows."""

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.reports.heat_table import heat_table


def made(n_values: int = 12) -> aa.AccuracySurface:
    sizes = np.arange(1, n_values + 1) * 5
    value = np.repeat(np.arange(n_values), sizes)
    rows = pl.DataFrame({"a": [f"v{i:02d}" for i in value], "b": np.where(value % 2, "x", "y")})
    rows = rows.with_columns(right=pl.Series((value > 3).astype(float)))
    return aa.estimate(rows, ["b", "a"], "right", estimator="beta-independent")


def test_values_with_the_most_rows_stay_in_their_order() -> None:
    table = heat_table(made(), "a", "b", 4, 2)
    assert table.down == ("v08", "v09", "v10", "v11")
    assert table.across == ("x", "y")


def test_boxes_are_the_averages_of_the_surface_where_the_pool_has_rows() -> None:
    surface = made()
    table = heat_table(surface, "a", "b", 20, 20)
    assert len(table.boxes) == 12
    for i, j, mean, lower, upper in table.boxes:
        wanted = surface.at(a=table.down[i], b=table.across[j])
        assert (mean, lower, upper) == (wanted.mean, wanted.lower, wanted.upper)
