"""Intervals for the accuracy of a finite pool."""

import numpy as np
from scipy.stats import betabinom

from accuracy_assay.numerics.finite_pool import beta_interval, lattice_interval


def test_they_hold_their_level_on_average(rng: np.random.Generator) -> None:
    # Arms of all sizes and rates, many with next to no errors: central intervals would hold 95 %.
    size = rng.integers(3, 60, 20_000)
    strength = rng.uniform(5.0, 60.0, size.size)
    rate = rng.beta(8.0, 0.8, size.size)
    coins = betabinom(size, rate * strength, (1.0 - rate) * strength)
    mean, variance = coins.mean(), coins.var()
    low, high = lattice_interval(mean, variance, size.astype(float), 0.9)
    truth = coins.rvs(random_state=rng)
    undecided = mean < size - 0.5
    held = ((low <= truth) & (truth <= high))[undecided]
    assert 0.88 < held.mean() < 0.92


def test_an_arm_without_unlabelled_rows_has_one_value() -> None:
    low, high = lattice_interval(np.zeros(1), np.zeros(1), np.zeros(1), 0.9)
    assert (low[0], high[0]) == (0.0, 0.0)


def test_ends_stay_among_the_possible_values(rng: np.random.Generator) -> None:
    trials = rng.integers(0, 12, 500).astype(float)
    mean = trials * rng.random(500)
    low, high = lattice_interval(mean, rng.random(500) * trials, trials, 0.9)
    assert ((low >= 0.0) & (low <= high) & (high <= trials)).all()
    assert np.array_equal(low, np.round(low))


def test_a_large_arm_has_the_interval_of_the_rate() -> None:
    low, high = lattice_interval(np.array([9e5]), np.array([4e8]), np.array([1e6]), 0.9)
    rate = beta_interval(np.array([0.9]), np.array([4e-4]), 0.9)
    np.testing.assert_allclose([low[0] / 1e6, high[0] / 1e6], np.ravel(rate), atol=1e-5)
