"""Reliability bins and temperature, worked out by hand."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint.reliability import reliability
from accuracy_assay.numerics.joint.temperature import fit_temperature


def test_bins_and_error_of_a_worked_example() -> None:
    confidence = np.array([0.55, 0.55, 0.95, 1.0])
    found = reliability(confidence, np.array([True, False, True, True]))
    assert found.n_rows == (2, 2)
    np.testing.assert_allclose(found.confidence, [0.55, 0.975])
    np.testing.assert_allclose(found.accuracy, [0.5, 1.0])
    assert found.ece == pytest.approx(0.5 * 0.05 + 0.5 * 0.025)


def test_no_rows_have_no_error() -> None:
    assert reliability(np.empty(0), np.empty(0, bool)).ece == 0.0


def test_temperature_makes_stated_and_observed_rates_equal() -> None:
    # 0.9 is stated where 0.75 is true: (0.9 / 0.1)^t = 3, so t = 1/2 up to the weak prior.
    log_m = np.log(np.tile([0.9, 0.1], (40_000, 1)))
    gold = np.arange(40_000) % 4 // 3
    assert fit_temperature(log_m, gold) == pytest.approx(0.5, abs=1e-3)


def test_a_perfect_predictor_keeps_a_finite_temperature() -> None:
    log_m = np.log(np.tile([0.9, 0.1], (20, 1)))
    assert 1.0 < fit_temperature(log_m, np.zeros(20, np.int64)) < np.exp(3.0)
