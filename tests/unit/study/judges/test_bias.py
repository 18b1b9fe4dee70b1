"""The bias of a judge: opinion less accuracy, wider by what the curve varies, clear or not."""

import numpy as np
import polars as pl

from accuracy_assay.study.judges.bias import Bias, Grouping, _discoveries, find_bias

RNG = np.random.default_rng(0)


def made(gap: float, n_rows: int = 3000) -> tuple[Bias, np.ndarray]:
    """Return the bias over five slices of which the first has scores that are too high."""
    rng = np.random.default_rng(1)
    chance = rng.uniform(0.2, 0.9, n_rows)
    place = np.arange(n_rows) % 5
    score = chance + gap * (place == 0)
    right = (rng.random(n_rows) < chance).astype(float)
    truth = np.asarray([right[place == k].mean() for k in range(5)])
    groups = Grouping(place, place[:600], 5)
    accuracy = (truth, truth - 0.05, truth + 0.05)
    said = pl.Series(score)
    return find_bias(said, said[:600], right[:600], groups, accuracy, 0.9, RNG), truth


def test_a_place_with_scores_that_are_too_high_is_lenient_and_no_other() -> None:
    bias, truth = made(0.4)
    assert bias.is_clear.tolist() == [True, False, False, False, False]
    assert bias.bias[0] > 0.15
    np.testing.assert_allclose(bias.opinion - bias.bias, truth)
    assert (bias.lower < bias.bias).all()
    assert (bias.bias < bias.upper).all()
    assert bias.clarity.argmax() == 0


def test_harsh_is_below_zero() -> None:
    bias, _ = made(-0.4)
    assert bias.is_clear[0]
    assert bias.upper[0] < 0.0


def test_an_honest_judge_is_clear_nowhere() -> None:
    bias, _ = made(0.0)
    assert not bias.is_clear.any()


def test_intervals_are_wider_than_those_of_the_accuracy_alone() -> None:
    bias, _ = made(0.0)
    assert (bias.upper - bias.lower > 0.1).all()


def test_more_places_looked_at_make_fewer_of_them_clear() -> None:
    chance = np.array([0.01, 0.03, 0.5])
    assert _discoveries(chance, 0.1, 3).tolist() == [True, True, False]
    assert _discoveries(chance, 0.1, 9).tolist() == [True, False, False]


def test_one_label_gives_an_answer() -> None:
    one = Grouping(np.zeros(3, dtype=int), np.zeros(1, dtype=int), 1)
    accuracy = (np.array([0.5]), np.array([0.1]), np.array([0.9]))
    said = pl.Series([0.1, 0.2, 0.3])
    bias = find_bias(said, said[:1], np.array([1.0]), one, accuracy, 0.9, RNG)
    assert bias.opinion.tolist() == [1.0]


def test_discoveries_are_those_of_benjamini_and_hochberg() -> None:
    chance = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216])
    assert _discoveries(chance, 0.05, 10).sum() == 2
    assert _discoveries(chance[::-1], 0.05, 10)[-2:].all()
    assert not _discoveries(np.array([0.2, 0.9]), 0.1, 2).any()
