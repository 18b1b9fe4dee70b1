"""Intervals of draws: near the level, on a long lattice and on a short one."""

import numpy as np
import pytest

from accuracy_assay.numerics.intervals.of_draws import interval_of_draws


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
