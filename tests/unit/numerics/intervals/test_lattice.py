"""Intervals on lattices: the accuracy of a finite pool, and draws that take few values."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from accuracy_assay.numerics.intervals.lattice import interval_of_draws, lattice_interval
from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval
from accuracy_assay.numerics.quadrature import logistic_moments, normal_rule


def test_they_hold_their_level_on_average(rng: np.random.Generator) -> None:
    # Arms of all sizes and rates, many with next to no errors: central intervals would hold 95 %.
    trials = rng.integers(3, 60, 20_000).astype(float)
    eta, spread = rng.normal(2.5, 1.2, trials.size), rng.uniform(0.1, 1.2, trials.size)
    rate, variance = logistic_moments(eta, spread**2)
    noise = trials * (rate * (1.0 - rate) - variance)
    low, high = lattice_interval(rate, variance, noise, trials, 0.9)
    drawn = expit(eta + spread * rng.standard_normal(trials.size))
    truth = rng.binomial(trials.astype(int), drawn)
    undecided = rate * trials < trials - 0.5
    held = ((low <= truth) & (truth <= high))[undecided]
    assert 0.89 < held.mean() < 0.915


def test_no_neighbouring_interval_is_much_nearer_to_the_level() -> None:
    eta, spread = np.array([0.3, 1.5, 3.0, 2.0]), np.array([0.4, 0.8, 1.0, 0.05])
    trials = np.array([12.0, 30.0, 25.0, 200.0])
    rate, variance = logistic_moments(eta, spread**2)
    noise = trials * (rate * (1.0 - rate) - variance)
    low, high = lattice_interval(rate, variance, noise, trials, 0.9)
    nodes, weights = normal_rule(64)
    for a in range(4):
        rho = expit(eta[a] + spread[a] * nodes)

        def mass(low: float, high: float, n: float = trials[a], rho: np.ndarray = rho) -> float:
            inside = binom.cdf(high, n, rho) - binom.cdf(low - 1.0, n, rho)
            return float(inside @ weights)

        found = abs(mass(low[a], high[a]) - 0.9)
        for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            other = abs(mass(low[a] + i, min(high[a] + j, trials[a])) - 0.9)
            assert found < other + 0.01


@pytest.mark.parametrize(
    ("rate", "trials", "ends"), [(0.379, 5, (1, 4)), (0.618, 5, (1, 4)), (0.876, 19, (14, 18))]
)
def test_an_end_moves_outwards_where_that_is_nearer_to_the_level(
    rate: float, trials: int, ends: tuple[int, int]
) -> None:
    # Coins of a known rate: with the ends 1 and 4 of 5 it is 90 %, with 1 and 3 it is 84 %.
    columns = np.array([[rate], [1e-8], [trials * rate * (1.0 - rate)], [trials]])
    assert np.ravel(lattice_interval(*columns, 0.9)).tolist() == list(ends)
    inside = binom.cdf(ends[1], trials, rate) - binom.cdf(ends[0] - 1, trials, rate)
    assert inside == pytest.approx(0.9, abs=0.005)


def test_rows_of_unlike_rates_leave_less_to_chance() -> None:
    one = np.ones(1)
    alike = lattice_interval(0.8 * one, 1e-6 * one, 40 * 0.16 * one, 40 * one, 0.9)
    # Thirty rows that are always right and ten that are mostly wrong: the same mean.
    unlike = lattice_interval(0.8 * one, 1e-6 * one, 10 * 0.16 * one, 40 * one, 0.9)
    assert unlike[1] - unlike[0] < 0.7 * (alike[1] - alike[0])
    assert alike[0] <= unlike[0] <= 32.0 <= unlike[1] <= alike[1]


def test_all_rows_may_be_right_however_many_are_expected() -> None:
    trials = np.array([47.6, 48.0, 48.4])
    rate, variance = np.full(3, 0.97), np.full(3, 0.001)
    low, high = lattice_interval(rate, variance, trials * 0.0281, trials, 0.9)
    np.testing.assert_allclose(high, trials)
    np.testing.assert_allclose(low / trials, low[1] / 48.0)


def test_an_arm_without_unlabelled_rows_has_one_value() -> None:
    low, high = lattice_interval(*np.zeros((4, 1)), 0.9)
    assert (low[0], high[0]) == (0.0, 0.0)


def test_ends_stay_among_the_possible_values(rng: np.random.Generator) -> None:
    trials = rng.integers(0, 12, 500).astype(float)
    rate = rng.random(500)
    variance = rng.random(500) * rate * (1.0 - rate)
    noise = trials * (rate * (1.0 - rate) - variance)
    low, high = lattice_interval(rate, variance, noise, trials, 0.9)
    assert ((low >= 0.0) & (low <= high) & (high <= trials)).all()
    assert np.array_equal(low, np.round(low))


def test_a_large_arm_has_the_interval_of_the_rate() -> None:
    rate, variance, trials = np.array([0.9]), np.array([4e-4]), np.array([1e6])
    low, high = lattice_interval(rate, variance, trials * 0.0896, trials, 0.9)
    expected = np.ravel(logit_normal_interval(rate, variance, 0.9))
    np.testing.assert_allclose([low[0] / 1e6, high[0] / 1e6], expected, atol=2e-3)


def test_many_arms_have_the_intervals_of_a_few(rng: np.random.Generator) -> None:
    n_arms = 2100
    rate, variance = rng.uniform(0.1, 0.9, n_arms), np.full(n_arms, 0.01)
    trials = rng.integers(1, 30, n_arms).astype(float)
    columns = (rate, variance, trials * rate * (1.0 - rate), trials)
    together = lattice_interval(*columns, 0.9)
    apart = [
        lattice_interval(*(column[part] for column in columns), 0.9)
        for part in np.array_split(np.arange(n_arms), 2)
    ]
    np.testing.assert_array_equal(together, np.concatenate(apart, axis=1))


def test_of_many_values_it_is_the_central_interval() -> None:
    draws = np.random.default_rng(0).standard_normal((20_000, 2)) * [1.0, 3.0]
    lower, upper = interval_of_draws(draws, 0.9)
    # The standard error of a 5 % quantile of 20,000 draws is 0.015 standard deviations.
    assert lower == pytest.approx([-1.645, -4.935], abs=0.2)
    assert upper == pytest.approx([1.645, 4.935], abs=0.2)


@pytest.mark.parametrize(
    ("shares", "ends"),
    [
        ((4, 92, 4), (0.0, 0.0)),  # 92 % are nearer to 90 % than all of them are
        ((20, 60, 20), (-1.0, 1.0)),  # without an end 80 % are left, which is as far off as all
        ((2, 90, 8), (0.0, 0.0)),
        ((0, 100, 0), (0.0, 0.0)),
    ],
)
def test_on_a_short_lattice_it_is_nearest_to_the_level(
    shares: tuple[int, int, int], ends: tuple[float, float]
) -> None:
    draws = np.repeat([-1.0, 0.0, 1.0], shares)[:, None]
    lower, upper = interval_of_draws(draws, 0.9)
    assert (lower[0], upper[0]) == ends


def test_reversed_draws_have_the_reversed_interval() -> None:
    draws = np.random.default_rng(1).binomial(4, 0.3, (500, 3)).astype(float)
    lower, upper = interval_of_draws(draws, 0.8)
    low, high = interval_of_draws(-draws, 0.8)
    inside = ((draws >= lower) & (draws <= upper)).mean(axis=0)
    inside_reversed = ((-draws >= low) & (-draws <= high)).mean(axis=0)
    assert np.abs(inside - 0.8) == pytest.approx(np.abs(inside_reversed - 0.8), abs=0.01)
