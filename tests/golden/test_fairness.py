"""With every row labelled and nothing borrowed, groups are those of fairlearn's MetricFrame."""

import numpy as np
import polars as pl
import pytest
from fairlearn.metrics import (
    MetricFrame,
    false_negative_rate,
    false_positive_rate,
    true_negative_rate,
    true_positive_rate,
)
from sklearn.metrics import precision_score

import accuracy_assay as aa

RNG = np.random.default_rng(11)
N = 6000
GROUP = RNG.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2])
TRUTH = (RNG.random(N) < np.where(GROUP == "a", 0.5, 0.3)).astype(int)
SAID = np.where(
    TRUTH == 1, RNG.random(N) < np.where(GROUP == "c", 0.6, 0.85), RNG.random(N) < 0.2
).astype(int)
ROWS = pl.DataFrame({"group": GROUP, "truth": TRUTH, "said": SAID})


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("recall", true_positive_rate),
        ("false-negative-rate", false_negative_rate),
        ("false-positive-rate", false_positive_rate),
        ("true-negative-rate", true_negative_rate),
        ("precision", precision_score),
    ],
)
@pytest.mark.parametrize("pool", [None, ROWS.drop("truth")])
def test_groups_are_those_of_fairlearn(
    name: str, metric: object, pool: pl.DataFrame | None
) -> None:
    surface = aa.estimate(
        ROWS,
        ["group"],
        y_true="truth",
        y_pred="said",
        measure=f"{name}:1",
        pool=pool,
        estimator="beta-independent",
        prior_strength=1e-6,
    )
    frame = MetricFrame(metrics=metric, y_true=TRUTH, y_pred=SAID, sensitive_features=GROUP)
    found = dict(surface.by_group("group").select("group", "mean").iter_rows())
    assert found == pytest.approx(frame.by_group.to_dict(), abs=1e-6)
    assert surface.overall.mean == pytest.approx(frame.overall, abs=1e-6)
    for method in ("between_groups", "to_overall"):
        gap, ratio = frame.difference(method=method), frame.ratio(method=method)
        assert surface.difference("group", method=method).mean == pytest.approx(gap, abs=1e-6)
        assert surface.ratio("group", method=method).mean == pytest.approx(ratio, abs=1e-5)
    low, high = surface.group_min("group"), surface.group_max("group")
    assert low.estimate.mean == pytest.approx(frame.group_min(), abs=1e-6)
    assert high.estimate.mean == pytest.approx(frame.group_max(), abs=1e-6)
