"""The record of a simulated assay is what its page says."""

import polars as pl

import accuracy_assay as aa
from accuracy_assay.study.history import History

ROWS = pl.DataFrame({"sex": ["F", "M"] * 20, "correct": [1, 0, 1, 1] * 10})


def test_every_column_is_described() -> None:
    history = aa.simulate(
        ROWS, ["sex"], "correct", estimator="constant", strategy="random", seed_size=5, budget=5
    )
    assert isinstance(history, History)
    described = history.__doc__ or ""
    for column in (*history.metrics.columns, *history.picks.columns):
        assert f"``{column}``" in described
    assert history.surface.n_labels == history.metrics["labels"][-1] == 5 + history.picks.height
