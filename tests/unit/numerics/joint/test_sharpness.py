"""The sharpness of one predictor, worked out by hand."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint.sharpness import fit_sharpness


def test_it_makes_stated_and_observed_rates_equal() -> None:
    # 0.9 is stated where 0.75 is true: (0.9 / 0.1)^s = 3, so s = 1/2 up to the weak prior, T = 2.
    log_m = np.log(np.tile([0.9, 0.1], (40_000, 1)))
    gold = np.arange(40_000) % 4 // 3
    assert fit_sharpness(log_m, gold) == pytest.approx(0.5, abs=1e-3)


def test_an_overcautious_predictor_is_sharpened() -> None:
    # 0.6 is stated where 0.9 is true: s = log 9 / log 1.5.
    log_m = np.log(np.tile([0.6, 0.4], (40_000, 1)))
    gold = (np.arange(40_000) % 10 == 0).astype(np.int64)
    assert fit_sharpness(log_m, gold) == pytest.approx(np.log(9.0) / np.log(1.5), rel=1e-2)


def test_a_perfect_predictor_keeps_a_finite_sharpness() -> None:
    log_m = np.log(np.tile([0.9, 0.1], (20, 1)))
    assert 1.0 < fit_sharpness(log_m, np.zeros(20, np.int64)) < np.exp(3.0)


def test_without_a_row_nothing_is_changed() -> None:
    assert fit_sharpness(np.empty((0, 3)), np.empty(0, np.int64)) == pytest.approx(1.0, abs=1e-4)
