"""Coupled draws keep their margins, whatever joins them."""

import numpy as np
import pytest

from accuracy_assay.numerics.intervals.coupled import couple, normal_draws

MEAN = np.array([[0.7, 0.6, 0.9]])
SD = np.array([[0.05, 0.04, 0.03]])
Q = 1.6448536269514722


def joined(correlation: float, count: int = 40_000) -> np.ndarray:
    R = np.full((1, 3, 3), correlation)
    R[:, np.arange(3), np.arange(3)] = 1.0
    ends = MEAN - Q * SD, MEAN + Q * SD
    return couple(MEAN, SD, ends, 0.9, R, normal_draws(count, 3))[:, 0]


@pytest.mark.parametrize("correlation", [-0.4, 0.0, 0.6, 1.0])
def test_margins_do_not_depend_on_the_correlation(correlation: float) -> None:
    draws = joined(correlation)
    assert draws.mean(axis=0) == pytest.approx(MEAN[0], abs=1e-12)
    # The standard error of a deviation of 40,000 draws is 0.4 % of it.
    assert draws.std(axis=0) == pytest.approx(SD[0], rel=0.02)
    assert np.quantile(draws, 0.95, axis=0) == pytest.approx((MEAN + Q * SD)[0], abs=2e-3)


@pytest.mark.parametrize("correlation", [-0.4, 0.0, 0.6, 1.0])
def test_draws_have_the_correlation_that_is_asked_for(correlation: float) -> None:
    assert np.corrcoef(joined(correlation).T)[0, 1] == pytest.approx(correlation, abs=0.02)


def test_an_interval_aside_of_its_mean_bends_the_draws() -> None:
    one = np.ones((1, 1))
    ends = 0.95 * one - 0.05, 0.95 * one + 0.03
    sd = 0.025 * one
    draws = couple(0.95 * one, sd, ends, 0.9, np.ones((1, 1, 1)), normal_draws(40_000, 1))[:, 0, 0]
    assert draws.mean() == pytest.approx(0.95)
    assert draws.std() == pytest.approx(0.025, rel=0.02)
    below, above = np.quantile(draws, [0.05, 0.95])
    assert 0.95 - below > above - 0.95


def test_neither_of_two_equal_numbers_is_favoured() -> None:
    two = np.full((1, 2), 0.5)
    ends = two - 0.3, two + 0.1
    R = np.array([[[1.0, 0.3], [0.3, 1.0]]])
    draws = couple(two, 0.1 * np.ones((1, 2)), ends, 0.9, R, normal_draws(400, 2))[:, 0]
    assert np.sort(draws[:, 0] - draws[:, 1]) == pytest.approx(np.sort(draws[:, 1] - draws[:, 0]))


def test_what_is_known_does_not_move() -> None:
    known = np.array([[1.0, 0.4]])
    zero = np.zeros((1, 2))
    draws = couple(known, zero, (known, known), 0.9, np.eye(2)[None], normal_draws(100, 2))
    assert (draws == known).all()
