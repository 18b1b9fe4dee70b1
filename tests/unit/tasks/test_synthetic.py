import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.tasks.synthetic import synthetic


def test_shape_is_what_was_asked_for() -> None:
    task = synthetic(rows=500, attributes=3, values=2)
    assert task.n_rows == 500
    assert task.attributes == ("a1", "a2", "a3")
    assert task.evidence == {}
    assert task.rows["a1"].n_unique() == 2


def test_scores_follow_the_known_surface() -> None:
    task = synthetic(rows=40_000, attributes=2, values=3)
    arms = task.rows.group_by(task.attributes).agg(
        pl.col("correct").mean(),
        pl.col("rho").first(),
        pl.col("rho").n_unique().alias("rhos"),
        n=pl.len(),
    )
    assert (arms["rhos"] == 1).all()
    z = (arms["correct"] - arms["rho"]) / (arms["rho"] * (1 - arms["rho"]) / arms["n"]).sqrt()
    assert np.abs(z.to_numpy()).max() < 4.0


def test_calibrated_evidence_is_calibrated_under_even_odds() -> None:
    task = synthetic(rows=40_000, attributes=1, values=2, distance=1.5, sharpness=1.0)
    rows = task.rows
    share = rows["a1"].value_counts(normalize=True).filter(pl.col("a1") == "v1")["proportion"][0]
    odds = rows["p_a1__v1"] / rows["p_a1__v0"] * share / (1 - share)
    p = (odds / (1 + odds)).to_numpy()
    is_v1 = (rows["a1"] == "v1").to_numpy()
    for low in (0.1, 0.3, 0.5, 0.7):
        near = (p >= low) & (p < low + 0.2)
        standard_error = np.sqrt(0.25 / near.sum())
        assert abs(is_v1[near].mean() - p[near].mean()) < 4 * standard_error


def test_sharpness_makes_evidence_overconfident() -> None:
    mild, sharp = (
        synthetic(rows=500, distance=1.0, sharpness=s).rows["p_a1__v0"].to_numpy()
        for s in (1.0, 4.0)
    )
    assert np.abs(sharp - 0.25).mean() > np.abs(mild - 0.25).mean()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"values": 1}, "values of a synthetic task must be at least 2; got 1"),
        ({"accuracy": 1.0}, "accuracy of a synthetic task must lie between 0 and 1; got 1.0"),
    ],
)
def test_impossible_shapes_are_refused(setting: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        synthetic(**setting)  # type: ignore[arg-type]
