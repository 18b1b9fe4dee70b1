"""Metrics worked out by hand on a table of 40 rows.

The gold, from the rows (arm d has four rows only, so it does not count):

====  ====  ========  ====  =============  =====  =====================
arm   rows  accuracy  mean  squared error  x n    gold (1-gold) / (n-1)
====  ====  ========  ====  =============  =====  =====================
a     20    0.80      0.70  0.01           0.20   0.16 / 19
b     6     0.50      0.70  0.04           0.24   0.25 / 5
c     10    0.20      0.50  0.09           0.90   0.16 / 9
d     4     1.00      -     -              -      -
====  ====  ========  ====  =============  =====  =====================
"""

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import coverage, evaluate

ARMS = [0] * 20 + [1] * 6 + [2] * 10 + [3] * 4
SCORES = [1] * 16 + [0] * 4 + [1, 0] * 3 + [1] * 2 + [0] * 8 + [1] * 4


@pytest.fixture
def gold() -> Gold:
    return Gold.count(ARMS, SCORES)


@pytest.fixture
def surface() -> AccuracySurface:
    space = AttributeSpace((Attribute("arm", ("a", "b", "c", "d")),))
    count = np.array([20.0, 6.0, 10.0, 4.0])
    mean = np.array([0.7, 0.7, 0.5, 0.2])
    lower, upper = mean - 0.15, mean + 0.15
    return AccuracySurface(space, np.arange(4), count, count, count, mean, mean, lower, upper)


def test_macro_mse_is_the_plain_mean(surface: AccuracySurface, gold: Gold) -> None:
    assert evaluate(surface, gold).macro_mse == pytest.approx(100 * (0.01 + 0.04 + 0.09) / 3)


def test_micro_mse_weighs_by_rows(surface: AccuracySurface, gold: Gold) -> None:
    assert evaluate(surface, gold).micro_mse == pytest.approx(100 * (0.2 + 0.24 + 0.9) / 36)


def test_worst_and_infrequent_mse_are_of_the_arms_that_are_lowest_and_rarest(
    surface: AccuracySurface, gold: Gold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.metrics.scores._FEW_ARMS", 1)
    scores = evaluate(surface, gold)
    assert scores.worst_mse == pytest.approx(100 * 0.09)
    assert scores.infrequent_mse == pytest.approx(100 * 0.04)
    monkeypatch.setattr("accuracy_assay.metrics.scores._FEW_ARMS", 2)
    assert evaluate(surface, gold).worst_mse == pytest.approx(100 * (0.09 + 0.04) / 2)


def test_floor_is_the_noise_of_the_gold(surface: AccuracySurface, gold: Gold) -> None:
    expected = 100 * (0.16 / 19 + 0.25 / 5 + 0.16 / 9) / 3
    assert evaluate(surface, gold).floor_mse == pytest.approx(expected)


def test_coverage_is_the_share_of_intervals_that_hold_the_gold(
    surface: AccuracySurface, gold: Gold
) -> None:
    # Arm a (0.80 in 0.55 to 0.85) is the only one with 20 rows; b and c lie outside theirs.
    assert evaluate(surface, gold).coverage_90 == 100.0
    assert coverage(surface, gold, least_rows=5) == pytest.approx(100 / 3)
