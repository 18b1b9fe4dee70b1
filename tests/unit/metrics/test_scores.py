"""Errors and coverage of a surface against the gold."""

from dataclasses import replace

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.interval_classes import CLASSES
from accuracy_assay.metrics.scores import check_intervals, coverage, evaluate, mean_width


def surface(
    mean: np.ndarray, lower: np.ndarray | None = None, upper: np.ndarray | None = None
) -> AccuracySurface:
    n = mean.size
    space = AttributeSpace((Attribute("a", tuple(range(n))),))
    one = np.ones(n)
    low, high = (np.zeros(n), one) if lower is None or upper is None else (lower, upper)
    return AccuracySurface(space, np.arange(n), one, one, one, mean, one, low, high)


def test_a_perfect_surface_has_no_error() -> None:
    gold = Gold.count(np.repeat([0, 1], 5), [1, 1, 0, 0, 0, 1, 1, 1, 1, 1])
    scores = evaluate(surface(np.array([0.4, 1.0])), gold)
    assert scores.macro_mse == pytest.approx(0.0)
    assert scores.micro_mse == pytest.approx(0.0)
    assert scores.coverage_90 == 100.0


def test_worst_and_infrequent_look_at_fifty_arms() -> None:
    size = np.arange(60) + 5
    accuracy = np.linspace(1.0, 0.0, 60)
    gold = Gold(np.arange(60), accuracy, size.astype(float), np.zeros(60))
    off = np.zeros(60)
    off[:10] = 0.1
    scores = evaluate(surface(np.abs(accuracy - off)), gold)
    assert scores.worst_mse == pytest.approx(0.0)
    assert scores.infrequent_mse == pytest.approx(100 * 0.01 * 10 / 50)
    assert scores.macro_mse == pytest.approx(100 * 0.01 * 10 / 60)
    assert scores.micro_mse == pytest.approx(100 * 0.01 * size[:10].sum() / size.sum())


def test_coverage_counts_arms_whose_gold_is_well_known() -> None:
    gold = Gold(np.arange(3), np.array([0.5, 0.9, 0.1]), np.array([20.0, 30.0, 5.0]), np.zeros(3))
    shown = surface(np.full(3, 0.5), np.array([0.4, 0.4, 0.4]), np.array([0.6, 0.6, 0.6]))
    assert coverage(shown, gold) == 50.0
    assert coverage(shown, gold, least_rows=5) == pytest.approx(100 / 3)
    assert coverage(shown, gold, least_rows=1000) == pytest.approx(100 / 3)


def test_width_is_that_of_the_arms_that_are_counted() -> None:
    gold = Gold(np.arange(3), np.full(3, 0.5), np.array([20.0, 30.0, 5.0]), np.zeros(3))
    shown = surface(np.full(3, 0.5), np.array([0.4, 0.3, 0.0]), np.array([0.6, 0.7, 1.0]))
    assert mean_width(shown, gold) == pytest.approx(0.3)


def test_gold_at_the_very_bound_is_covered() -> None:
    gold = Gold(np.array([0]), np.array([0.6]), np.array([20.0]), np.zeros(1))
    half = np.array([0.5, 0.5])
    assert coverage(surface(half, half, np.array([0.6, 0.6])), gold) == 100.0


def test_gold_that_the_surface_does_not_list_is_refused() -> None:
    gold = Gold(np.array([5]), np.array([0.6]), np.array([20.0]), np.zeros(1))
    with pytest.raises(InputError, match="gold arms must be listed by the surface"):
        evaluate(surface(np.array([0.5, 0.5])), gold)


FIVE = surface(
    np.array([0.9, 0.8, 0.4, 0.5, 0.6]),
    np.array([0.8, 0.6, 0.3, 0.35, 0.2]),
    np.array([0.95, 0.9, 0.6, 0.65, 0.9]),
)
GOLD = Gold(
    np.arange(5),
    np.array([0.7, 0.8, 0.5, 0.6, 0.8]),
    np.array([40.0, 30.0, 20.0, 10.0, 5.0]),
    np.zeros(5),
)


def test_every_class_of_support_level_and_rank_is_checked() -> None:
    found = {row[0]: row[1:] for row in check_intervals(FIVE, GOLD).rows()}
    assert found["all"] == (5, pytest.approx(0.8), pytest.approx(0.35))
    assert found["5 to 9 pool rows"] == (1, 1.0, pytest.approx(0.7))
    assert found["10 to 19 pool rows"] == (1, 1.0, pytest.approx(0.3))
    assert found["20 to 49 pool rows"] == (3, pytest.approx(2 / 3), pytest.approx(0.25))
    assert found["interval in between"][0] == found["ten that look worst"][0] == 5
    assert set(found) <= {"all", *CLASSES}


def test_a_class_by_level_counts_intervals_near_zero_and_one() -> None:
    ends = np.array([0.86, 0.0, 0.3, 0.86, 0.0]), np.array([1.0, 0.14, 0.6, 0.95, 0.16])
    checked = check_intervals(surface(np.array([0.9, 0.1, 0.4, 0.9, 0.1]), *ends), GOLD)
    found = dict(checked.select("group", "arms").rows())
    assert found["interval ends below 15%"] == 1
    assert found["interval begins above 85%"] == 2
    assert found["interval in between"] == 2


def test_arms_whose_rows_are_all_labelled_are_in_no_class() -> None:
    known = replace(FIVE, n=np.array([40.0, 30.0, 20.0, 1.0, 1.0]), correct=np.zeros(5))
    assert check_intervals(known, GOLD).row(0)[:2] == ("all", 2)
    all_known = replace(known, n=np.array([40.0, 30.0, 20.0, 10.0, 5.0]))
    assert check_intervals(all_known, GOLD).is_empty()
