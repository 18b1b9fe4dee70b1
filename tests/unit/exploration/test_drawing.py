"""Rows drawn for an average: by their pull, honest about their chances, none twice."""

import numpy as np
import pytest

from accuracy_assay.exploration.drawing import draw_rows


def test_a_chance_is_the_uniform_share_and_the_rest_in_proportion_to_the_pull() -> None:
    # A tenth over three rows, and nine tenths over a total pull of four.
    expected = np.array([0.1 / 3 + 0.9 * 3 / 4, 0.1 / 3 + 0.9 * 1 / 4, 0.1 / 3])
    drawn = set()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        picks = draw_rows(np.array([3.0, 1.0, 0.0]), np.ones(3, dtype=np.int64), 1, 0.1, rng)
        assert picks.probability == pytest.approx(expected[picks.positions])
        assert picks.least == pytest.approx([0.1 / 3])
        drawn.add(int(picks.positions[0]))
    assert drawn == {0, 1, 2}


def test_a_row_that_counts_has_a_fifth_of_the_largest_chance_at_least() -> None:
    chances: dict[int, float] = {}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        picks = draw_rows(np.array([10.0, 1e-6, 0.0]), np.ones(3, dtype=np.int64), 1, 0.0, rng)
        chances[int(picks.positions[0])] = float(picks.probability[0])
    assert chances == {0: pytest.approx(10 / 12), 1: pytest.approx(2 / 12)}


def test_rows_are_drawn_as_often_as_their_chances_say(rng: np.random.Generator) -> None:
    rounds, pull, count = 4000, np.array([2.0, 1.0, 0.0]), np.array([1, 3, 2])
    first = [int(draw_rows(pull, count.copy(), 1, 0.2, rng).positions[0]) for _ in range(rounds)]
    # Six rows in all, with a total pull of 2 + 3.
    expected = count * (0.2 / 6 + 0.8 * pull / 5)
    assert expected.sum() == pytest.approx(1.0)
    found = np.bincount(first, minlength=3) / rounds
    standard_error = np.sqrt(expected * (1.0 - expected) / rounds)
    assert (np.abs(found - expected) < 5 * standard_error).all()


def test_every_row_is_drawn_once_and_named_among_those_left(rng: np.random.Generator) -> None:
    count = np.array([3, 0, 4, 1])
    n_left = count.copy()
    picks = draw_rows(np.array([1.0, 5.0, 0.5, 0.0]), n_left, 8, 0.1, rng)
    assert np.bincount(picks.positions, minlength=4).tolist() == count.tolist()
    assert n_left.tolist() == [0, 0, 0, 0]
    assert picks.rank is not None
    rows = [list(range(c)) for c in count]
    for position, rank in zip(picks.positions, picks.rank, strict=True):
        rows[position].pop(rank)
    assert rows == [[], [], [], []]


def test_when_nothing_that_counts_is_left_the_rest_is_drawn_uniformly(
    rng: np.random.Generator,
) -> None:
    picks = draw_rows(np.array([0.0, 1.0, 0.0]), np.ones(3, dtype=np.int64), 3, 0.0, rng)
    assert picks.positions[0] == 1
    assert picks.probability.tolist() == [1.0, 0.5, 1.0]
    assert picks.least is not None
    assert picks.least.tolist() == [0.0, 0.5, 1.0]
    assert "for the average" in picks.reason[0]
    assert picks.reason[1:] == ("at random", "at random")


def test_a_random_share_of_one_takes_no_notice_of_the_pull(rng: np.random.Generator) -> None:
    picks = draw_rows(np.array([9.0, 1.0, 0.0]), np.array([2, 1, 2]), 4, 1.0, rng)
    assert picks.probability == pytest.approx([1 / 5, 1 / 4, 1 / 3, 1 / 2])
    assert picks.least == pytest.approx(picks.probability)
    assert picks.reason == ("at random",) * 4


def test_picks_say_which_were_drawn_from_all_rows_alike(rng: np.random.Generator) -> None:
    picks = draw_rows(np.ones(40), np.full(40, 5), 60, 0.5, rng)
    assert picks.at_random is not None
    assert picks.at_random.tolist() == [reason == "at random" for reason in picks.reason]
    assert 10 < picks.at_random.sum() < 50
