"""Scores in place of labels: what they add up to, and the doubt that they share."""

import numpy as np
import pytest

from accuracy_assay.numerics.annotators import judge_people
from accuracy_assay.numerics.crowd import Answers
from accuracy_assay.numerics.crowd_score import believe
from accuracy_assay.numerics.soft_scores import SoftScores, score_items

N, PEOPLE = 120, 12
_RNG = np.random.default_rng(0)
TRUTH = _RNG.integers(0, 3, N)
ITEM, PERSON = np.repeat(np.arange(N), PEOPLE), np.tile(np.arange(PEOPLE), N)
ANSWER = np.where(_RNG.random(ITEM.size) < 0.7, TRUTH[ITEM], (TRUTH[ITEM] + 1) % 3)
GIVEN = Answers(ITEM, PERSON, ANSWER, N, PEOPLE, 3)
SAID = np.where(_RNG.random(N) < 0.85, TRUTH, (TRUTH + 2) % 3)
KNOWN = judge_people(GIVEN)


def test_scores_of_a_cell_add_up_to_what_answers_say_of_it() -> None:
    cell = np.arange(N) % 2
    found = score_items(GIVEN, KNOWN, SAID, cell)
    believed = believe(GIVEN, KNOWN.tendencies, SAID)
    for k in (0, 1):
        away = found.weight * (found.score - believed.rate)
        expected = (believed.right - believed.rate)[cell == k].sum()
        assert away[cell == k].sum() == pytest.approx(expected)


def test_items_that_do_not_count_say_nothing_of_the_others() -> None:
    cell = np.where(np.arange(N) < 60, 0, -1)
    found = score_items(GIVEN, KNOWN, SAID, cell)
    silent = score_items(GIVEN, KNOWN, np.where(cell < 0, 0, SAID), cell)
    np.testing.assert_array_equal(found.score[:60], silent.score[:60])


def test_few_people_are_doubted_one_by_one_and_the_others_together() -> None:
    away = score_items(GIVEN, KNOWN, SAID, np.zeros(N, dtype=np.int64)).away
    assert away is not None
    assert away.shape == (9, N)
    assert np.abs(away).max() > 0.0


def test_other_readings_have_the_variance_of_their_directions() -> None:
    soft = SoftScores(
        np.array([0.5, 0.9]), np.array([1.0, 0.5]), np.array([[0.1, 0.0], [0.2, 0.1]])
    )
    middle = soft.weight * soft.score
    exact, drawn = soft.others(0) - middle, soft.others(4000) - middle
    np.testing.assert_allclose((exact**2).mean(axis=0), [0.05, 0.0025])
    np.testing.assert_allclose((drawn**2).mean(axis=0), [0.05, 0.0025], rtol=0.1)
