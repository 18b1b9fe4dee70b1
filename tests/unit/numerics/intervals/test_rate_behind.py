"""The rate behind an arm: Laplace's rule where rows are few, the arm's own interval if many."""

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import beta

from accuracy_assay.numerics.intervals.rate_behind import rate_ends

Z = 1.6448536269514722
"""The 95 % quantile of a normal number: intervals of 90 %."""


def ends(mean: float, sd: float, size: float, level: float = 0.9) -> tuple[float, float]:
    low, high = rate_ends(np.array([mean]), np.array([sd]), np.array([size]), level)
    return float(low[0]), float(high[0])


def test_two_rows_that_are_wrong_leave_the_rate_of_laplace() -> None:
    # Beta(1, 3) has the mean 1 / 4 and the variance 3 / 80; the slope of its logit is 16 / 3.
    reach = Z * np.sqrt(3 / 80) * 16 / 3
    assert ends(0.0, 0.0, 2.0) == pytest.approx((-np.log(3.0) - reach, -np.log(3.0) + reach))


def test_an_arm_without_rows_has_any_rate() -> None:
    # A uniform number has the mean 1 / 2 and the variance 1 / 12.
    reach = Z * np.sqrt(1 / 12) * 4
    assert ends(0.7, 0.2, 0.0) == pytest.approx((-reach, reach))


def test_doubt_about_the_rows_adds_to_that_about_the_rate() -> None:
    # All of four rows are right or all are wrong, as likely: one of two Betas.
    either = [beta(1, 5), beta(5, 1)]
    within = np.mean([each.var() for each in either])
    between = np.var([each.mean() for each in either])
    reach = Z * np.sqrt(within + between) * 4
    assert ends(0.5, 0.5, 4.0) == pytest.approx((-reach, reach))


def test_of_many_rows_the_rate_is_as_sure_as_their_accuracy() -> None:
    reach = Z * 0.02 / (0.8 * 0.2)
    assert ends(0.8, 0.02, 1e9) == pytest.approx((logit(0.8) - reach, logit(0.8) + reach))


def test_the_more_rows_are_all_wrong_the_more_surely_bad_is_the_arm() -> None:
    size = np.array([1.0, 2.0, 5.0, 20.0, 100.0, 10_000.0])
    _, high = rate_ends(np.zeros(6), np.zeros(6), size, 0.9)
    assert np.isfinite(high).all()
    assert (np.diff(high) < 0.0).all()


def test_right_and_wrong_are_mirror_images(rng: np.random.Generator) -> None:
    mean, size = rng.random(50), rng.integers(0, 40, 50).astype(float)
    sd = rng.random(50) * np.sqrt(mean * (1.0 - mean))
    low, high = rate_ends(mean, sd, size, 0.8)
    low_of_errors, high_of_errors = rate_ends(1.0 - mean, sd, size, 0.8)
    np.testing.assert_allclose(low, -high_of_errors)
    np.testing.assert_allclose(high, -low_of_errors)
    assert (low < high).all()
