"""What answers are worth: chances between 0 and 1 that gold decides, and how far they may err."""

import numpy as np
import pytest

from accuracy_assay.numerics.crowd_gold import calibrate_crowd


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_mean_chance_of_gold_items_is_their_share_of_right_answers(
    rng: np.random.Generator,
) -> None:
    x = rng.normal(size=300)
    right = (rng.random(300) < 1.0 / (1.0 + np.exp(-1.0 - x))).astype(float)
    found = calibrate_crowd(x, right)
    assert found.chance(x).mean() == pytest.approx(right.mean(), abs=2e-3)  # of the prior


def test_a_crowd_that_says_nothing_has_one_chance_for_all(rng: np.random.Generator) -> None:
    x = rng.normal(size=4000)
    right = (rng.random(4000) < 0.8).astype(float)
    found = calibrate_crowd(x, right)
    assert np.ptp(found.chance(x)) < 0.1
    assert found.explained(x) < 0.01


def test_more_gold_leaves_less_doubt(rng: np.random.Generator) -> None:
    x = rng.normal(size=1000)
    right = (rng.random(1000) < 1.0 / (1.0 + np.exp(-x))).astype(float)
    few, many = (calibrate_crowd(x[:n], right[:n]) for n in (30, 1000))
    doubt = [float((f.directions(x).mean(axis=1) ** 2).sum()) for f in (few, many)]
    assert doubt[1] < doubt[0] / 10.0


def test_directions_of_groups_touch_their_own_items_alone(rng: np.random.Generator) -> None:
    x, group = rng.normal(size=60), np.arange(60)[:, None] % 3
    found = calibrate_crowd(x, (x > 0).astype(float))
    own = found.directions(x, group)[2:]
    assert own.shape == (3, 60)
    assert np.array_equal(own > 0.0, np.arange(3)[:, None] == group[:, 0])


def test_order_of_items_does_not_matter(rng: np.random.Generator) -> None:
    x = rng.normal(size=50)
    right, mixed = (x > 0.3).astype(float), rng.permutation(50)
    first, second = calibrate_crowd(x, right), calibrate_crowd(x[mixed], right[mixed])
    np.testing.assert_allclose(first.chance(x), second.chance(x), rtol=1e-8)
