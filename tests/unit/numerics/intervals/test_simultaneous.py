"""Bounds that hold all at once: as often as they say, whatever depends on what."""

import numpy as np
import pytest

from accuracy_assay.numerics.intervals.simultaneous import (
    all_positive,
    reach_above,
    spread_above,
)


def draw(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def test_the_spread_of_a_normal_quantity_is_its_standard_deviation() -> None:
    draws = draw((50_000, 2)) * [1.0, 3.0] + [5.0, -2.0]
    # The standard error of a root mean square of 25,000 is 0.5 %.
    assert spread_above(draws, np.array([5.0, -2.0])) == pytest.approx([1.0, 3.0], rel=0.03)


def test_a_skewed_quantity_spreads_further_on_its_long_side() -> None:
    draws = np.random.default_rng(0).exponential(size=(5_000, 1))
    above, below = spread_above(draws, draws.mean(axis=0)), spread_above(-draws, -draws.mean(0))
    assert above[0] > 1.3 * below[0]


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_all_bounds_hold_at_once_as_often_as_asked_for(confidence: float) -> None:
    mixing = draw((20, 20), 1)
    draws, fresh = draw((4_000, 20), 2) @ mixing, draw((4_000, 20), 3) @ mixing
    mean = np.zeros(20)
    bound = reach_above(draws, mean, confidence) * spread_above(draws, mean)
    held = (fresh <= bound).all(axis=1).mean()
    # Two samples of 4,000 have a standard error of 0.6 points at 80 %.
    assert held == pytest.approx(confidence, abs=0.025)


def test_a_reach_that_rests_on_few_draws_is_exceeded_as_often_as_asked_for() -> None:
    """One gate of three checks has two draws of 512 beyond the bounds of each family."""
    mean, held = np.zeros(6), []
    for seed in range(300):
        draws, fresh = np.split(draw((2 * 512, 6), seed), 2)
        bound = reach_above(draws, mean, 0.995) * spread_above(draws, mean)
        held.append((fresh <= bound).all(axis=1).mean())
    # The standard error of 300 such shares is 0.03 points.
    assert np.mean(held) == pytest.approx(0.995, abs=0.0015)


def test_a_tail_beyond_the_draws_is_that_of_normal_quantities() -> None:
    draws = draw((100, 3))
    # 1 - 0.001 / 3 has the normal quantile 3.403, further than 100 draws of three mostly go.
    assert reach_above(draws, np.zeros(3), 0.999) == pytest.approx(3.403, abs=0.01)


def test_the_reach_is_no_less_than_any_draw_went() -> None:
    draws = np.concatenate([np.tile([[-1.0], [1.0]], (49, 1)), [[-20.0], [20.0]]])
    furthest = 20.0 / spread_above(draws, np.zeros(1))[0]
    assert furthest > 6.0  # and the normal quantile is 3.1
    assert reach_above(draws, np.zeros(1), 0.999) == pytest.approx(furthest)


def test_what_is_certain_has_no_reach() -> None:
    assert reach_above(np.ones((50, 2)), np.ones(2), 0.95) == 0.0


def test_the_chance_of_all_is_the_share_of_draws_in_which_none_is_below_zero() -> None:
    draws = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [0.0, 2.0]] * 100)
    assert all_positive(draws, draws.mean(axis=0), 0.95) == (0.5, False)
    assert all_positive(draws, draws.mean(axis=0), 0.4)[1]


def test_draws_that_all_hold_do_not_prove_a_tail_that_they_cannot_show() -> None:
    draws = draw((100, 1)) + 2.6
    assert (draws >= 0.0).all()
    mean = np.array([2.6])
    assert all_positive(draws, mean, 0.95)[1]
    # A normal quantity is below its mean less 2.6 deviations with a probability of 0.5 %.
    assert not all_positive(draws, mean, 0.999)[1]


def test_what_is_certainly_positive_takes_nothing_from_the_chance() -> None:
    draws = np.column_stack([draw((100, 1)) + 5.0, np.full((100, 1), 0.2)])
    assert all_positive(draws, np.array([5.0, 0.2]), 0.999)[1]
    assert all_positive(np.full((100, 1), -0.2), np.array([-0.2]), 0.999) == (0.0, False)
