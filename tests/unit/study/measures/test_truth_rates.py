"""Rates of rows that the truth chooses are ratios of drawn numbers of rows, arm by arm."""

from typing import Any

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.study.measures.truth_rates import PREDICTED, rates_of_truth

SPACE = AttributeSpace((Attribute("sex", ("f", "m", "x")), PREDICTED))


def shares(**changes: Any) -> AccuracySurface:
    """Return shares of three groups by prediction, the last of which the pool lacks."""
    rng = np.random.default_rng(4)
    mean = np.array([0.1, 0.8, 0.2, 0.9, 0.3, 0.7])
    draws = np.clip(mean + rng.normal(0.0, 0.05, (500, 6)), 0.0, 1.0)
    columns: dict[str, Any] = {
        "n": np.array([20.0, 30.0, 10.0, 40.0, 0.0, 0.0]),
        "correct": np.array([2.0, 24.0, 2.0, 36.0, 0.0, 0.0]),
        "support": np.array([200.0, 100.0, 300.0, 100.0, 0.0, 0.0]),
        "mean": mean,
        "sd": np.full(6, 0.05),
        "lower": mean - 0.1,
        "upper": mean + 0.1,
        "draws": draws.astype(np.float32),
    }
    return AccuracySurface(SPACE, np.arange(6), **columns | changes)


@pytest.mark.parametrize("is_of_class", [True, False])
@pytest.mark.parametrize("is_predicted", [True, False])
def test_rates_equal_brute_force_over_the_posterior(is_of_class: bool, is_predicted: bool) -> None:
    share = shares()
    found = rates_of_truth(share, is_of_class=is_of_class, is_predicted=is_predicted)
    assert share.joint_draws is not None
    drawn = share.joint_draws.astype(float)
    drawn = np.clip(drawn + share.mean - drawn.mean(axis=0), 0.0, 1.0)

    def rows(values: np.ndarray, arm: int, predicted: int) -> np.ndarray:
        part = values[..., 2 * arm + predicted]
        return share.support[2 * arm + predicted] * (part if is_of_class else 1.0 - part)

    for arm in range(2):
        hits = rows(drawn, arm, int(is_predicted))
        every = rows(drawn, arm, 0) + rows(drawn, arm, 1)
        assert found.joint_draws is not None
        np.testing.assert_allclose(found.joint_draws[:, arm], hits / every, rtol=1e-5)
        expected = rows(share.mean, arm, 0) + rows(share.mean, arm, 1)
        assert found.support[arm] == pytest.approx(float(expected))
        wanted = float(rows(share.mean, arm, int(is_predicted)) / expected)
        assert found.mean[arm] == pytest.approx(wanted)
        assert found.lower[arm] < wanted < found.upper[arm]


def test_averages_over_arms_are_ratios_of_what_is_expected_in_all() -> None:
    found = rates_of_truth(shares(), is_of_class=True, is_predicted=True)
    assert found.overall.mean == pytest.approx((80 + 90) / (20 + 80 + 60 + 90))


def test_labels_are_those_whose_truth_counts() -> None:
    recall = rates_of_truth(shares(), is_of_class=True, is_predicted=True)
    assert (recall.n.tolist(), recall.correct.tolist()) == ([26.0, 38.0, 0.0], [24.0, 36.0, 0.0])
    false = rates_of_truth(shares(), is_of_class=False, is_predicted=True)
    assert (false.n.tolist(), false.correct.tolist()) == ([24.0, 12.0, 0.0], [6.0, 4.0, 0.0])


def test_an_arm_that_the_pool_lacks_has_the_pools_own_mix_of_predictions() -> None:
    recall = rates_of_truth(shares(), is_of_class=True, is_predicted=True)
    assert recall.support[2] == 0.0
    assert recall.mean[2] == pytest.approx(2 * 0.7 / (5 * 0.3 + 2 * 0.7))
    assert recall.to_frame()["status"][2] == "not in pool"


def test_an_arm_without_a_row_of_the_class_is_no_division_by_zero() -> None:
    mean = np.array([0.0, 0.0, 0.2, 0.9, 0.3, 0.7])
    none = shares(
        mean=mean, lower=mean, upper=mean + 0.1, draws=np.tile(mean, (9, 1)).astype("f4")
    )
    recall = rates_of_truth(none, is_of_class=True, is_predicted=True)
    assert np.isfinite(recall.mean).all()
    assert recall.support[0] == 0.0
