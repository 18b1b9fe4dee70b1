import polars as pl
import pytest

from accuracy_assay.bench.surface_stats import surface_stats
from accuracy_assay.tasks.task import Task


def test_statistics_are_of_arms_with_at_least_five_rows() -> None:
    sex = ["F"] * 5 + ["M"] * 10 + ["X"] * 4
    score = [1, 1, 1, 0, 0] + [1] * 9 + [0] + [0] * 4
    rows = pl.DataFrame({"id": range(19), "sex": sex, "correct": score})
    stats = surface_stats(Task("toy", "A toy.", rows, ("sex",)))
    assert (stats.n_rows, stats.n_arms, stats.n_active) == (19, 3, 2)
    assert stats.worst["sex"].to_list() == ["F", "M"]
    assert stats.worst["accuracy"].to_list() == [0.6, 0.9]
    assert (stats.quantiles[0.0], stats.quantiles[1.0]) == (0.6, 0.9)
    assert stats.accuracy == pytest.approx(12 / 19)
    assert stats.macro_accuracy == pytest.approx(0.75)
    assert stats.floor_mse == pytest.approx(100 * (0.6 * 0.4 / 4 + 0.9 * 0.1 / 9) / 2)
