"""Intervals on lattices: the accuracy of a finite pool, and draws that take few values."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from accuracy_assay.numerics.intervals.lattice import (
    fewest_right,
    interval_of_draws,
    lattice_interval,
)
from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval
from accuracy_assay.numerics.quadrature import logistic_moments, normal_rule


def test_they_hold_their_level_at_every_size_and_little_more_in_large_arms(
    rng: np.random.Generator,
) -> None:
    # Arms of all rates, many with next to no errors: central intervals would hold 95 % and more.
    for sizes, most in (((3, 10), 0.98), ((10, 20), 0.95), ((20, 60), 0.94), ((60, 300), 0.925)):
        trials = rng.integers(*sizes, 10_000).astype(float)
        eta, spread = rng.normal(2.5, 1.2, trials.size), rng.uniform(0.1, 1.2, trials.size)
        rate, variance = logistic_moments(eta, spread**2)
        noise = trials * (rate * (1.0 - rate) - variance)
        low, high = lattice_interval(rate, variance, noise, trials, 0.9)
        drawn = expit(eta + spread * rng.standard_normal(trials.size))
        truth = rng.binomial(trials.astype(int), drawn)
        held = float(((low <= truth) & (truth <= high)).mean())
        assert 0.9 - 0.003 < held < most  # a standard error is 0.003


def test_those_that_end_lowest_hold_their_level_too(rng: np.random.Generator) -> None:
    # Whoever ranks arms by the upper end picks intervals that are short by luck of the lattice.
    trials = rng.integers(5, 20, 40_000).astype(float)
    eta, spread = rng.normal(-2.5, 1.0, trials.size), rng.uniform(0.3, 1.0, trials.size)
    rate, variance = logistic_moments(eta, spread**2)
    noise = trials * (rate * (1.0 - rate) - variance)
    low, high = lattice_interval(rate, variance, noise, trials, 0.9)
    truth = rng.binomial(trials.astype(int), expit(eta + spread * rng.standard_normal(eta.size)))
    lowest = np.argsort(high / trials, kind="stable")[:2000]
    assert ((low <= truth) & (truth <= high))[lowest].mean() > 0.9


def _mass(low: float, high: float, trials: float, rates: np.ndarray, weights: np.ndarray) -> float:
    inside = binom.cdf(high, trials, rates) - binom.cdf(low - 1.0, trials, rates)
    return float(inside @ weights)


def test_no_shorter_run_has_the_level() -> None:
    eta, spread = np.array([0.3, 1.5, 3.0, 2.0, -2.2]), np.array([0.4, 0.8, 1.0, 0.05, 0.6])
    trials = np.array([12.0, 30.0, 25.0, 90.0, 7.0])
    rate, variance = logistic_moments(eta, spread**2)
    noise = trials * (rate * (1.0 - rate) - variance)
    low, high = lattice_interval(rate, variance, noise, trials, 0.9)
    nodes, weights = normal_rule(64)
    for a in range(eta.size):
        of = (trials[a], expit(eta[a] + spread[a] * nodes), weights)
        assert _mass(low[a], high[a], *of) > 0.9 - 0.01  # the lattice's own rule has 13 nodes
        shorter = high[a] - low[a] - 1.0
        starts = np.arange(trials[a] - shorter + 1.0)
        assert max(_mass(start, start + shorter, *of) for start in starts) < 0.9 + 0.01


@pytest.mark.parametrize(
    ("rate", "trials", "ends"),
    [(0.02, 7, (0, 1)), (0.005, 7, (0, 1)), (0.98, 7, (6, 7)), (0.379, 5, (0, 3))],
)
def test_ends_are_numbers_of_rows_on_both_sides_of_the_mean(
    rate: float, trials: int, ends: tuple[int, int]
) -> None:
    # Coins of a known rate: of seven at 0.005 none falls with 97 %, but their mean is above 0.
    columns = np.array([[rate], [1e-8], [trials * rate * (1.0 - rate)], [trials]])
    assert np.ravel(lattice_interval(*columns, 0.9)).tolist() == list(ends)
    assert ends[0] <= rate * trials <= ends[1]


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


def test_the_fewest_right_leave_all_that_may_be_missed_below_them() -> None:
    rng = np.random.default_rng(3)
    U = np.repeat([3.0, 12.0, 60.0, 400.0], 30)
    m, s = rng.normal(2.5, 1.0, U.size), rng.uniform(0.1, 1.0, U.size)
    rate = expit(m[:, None] + s[:, None] * rng.standard_normal((U.size, 20_000)))
    drawn = rng.binomial(U[:, None].astype(int), rate)
    mean, variance = rate.mean(axis=1), rate.var(axis=1)
    noise = U * (rate * (1.0 - rate)).mean(axis=1)
    fewest = fewest_right(mean, variance, noise, U, 0.9)
    held = (drawn >= fewest[:, None]).mean(axis=1)
    above = (drawn >= fewest[:, None] + 1.0).mean(axis=1)
    is_capped = fewest >= np.floor(U * mean)  # never above the mean
    error = 0.012  # of 20,000 draws, and of a continuous count on long lattices
    assert (held > 0.9 - error).all()
    assert (above < 0.9 + error)[~is_capped].all()
