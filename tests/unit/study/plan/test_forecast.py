"""Forecasts in words, and goals that cannot be forecast."""

import numpy as np
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.plan.forecast import Forecast, forecast


def make(labels: int = 40, *, is_within_pool: bool = True, cost: float | None = None) -> Forecast:
    counts = (100, 900, labels, 30, 60)
    costs = (None, None, None) if cost is None else (cost, cost - 1.0, cost + 1.0)
    return Forecast("overall", 0.05, 0.03, *counts, 0.9, is_within_pool, *costs)


def test_a_forecast_says_how_many_labels_and_how_sure_that_is() -> None:
    assert str(make()) == (
        "overall: about 40 more labels (90% interval 30 to 60) after the 100 so far"
    )
    assert str(make(cost=8.0)).endswith(", at a cost of 8.00 (7.00 to 9.00)")


def test_what_is_reached_or_out_of_reach_is_said() -> None:
    assert str(make(0)) == "overall: reached with the 100 labels so far"
    assert "more labels than the 900 instances left" in str(make(is_within_pool=False))


def test_a_goal_is_about_one_service() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="must be about one service"):
        forecast(
            {}, [], [], None, rng, half_width=None, of="overall", where=None, cost_per_label=0.0
        )  # type: ignore[arg-type]
