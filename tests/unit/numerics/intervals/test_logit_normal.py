"""Rates with a normal logit: found from their moments, and their intervals."""

import numpy as np
import pytest
from scipy.special import expit

from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval, match_moments
from accuracy_assay.numerics.quadrature import logistic_moments


def test_moments_are_matched(rng: np.random.Generator) -> None:
    m, s = rng.normal(1.5, 2.0, 300), rng.uniform(0.01, 2.0, 300)
    mean, variance = logistic_moments(m, s**2)
    found_m, found_s = match_moments(mean, variance)
    again = logistic_moments(found_m, found_s**2)
    np.testing.assert_allclose(again[0], mean, atol=1e-5)
    np.testing.assert_allclose(again[1], variance, rtol=1e-2)


def test_an_interval_holds_what_it_says(rng: np.random.Generator) -> None:
    m, s = np.array([2.5, 0.0, -1.0]), np.array([1.0, 0.3, 1.5])
    low, high = logit_normal_interval(*logistic_moments(m, s**2), 0.9)
    rho = expit(m + s * rng.standard_normal((100_000, 3)))
    np.testing.assert_allclose(((low < rho) & (rho < high)).mean(axis=0), 0.9, atol=0.004)


@pytest.mark.parametrize("mean", [0.0, 1e-12, 0.5, 1.0])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.999, 2.0])
def test_impossible_moments_still_have_an_interval(mean: float, share: float) -> None:
    variance = np.array([share * max(mean * (1.0 - mean), 1e-9)])
    low, high = logit_normal_interval(np.array([mean]), variance, 0.9)
    assert 0.0 <= low[0] <= high[0] <= 1.0
