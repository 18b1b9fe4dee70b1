"""Scores without gold: unbiased though items are asked again for what was answered."""

import numpy as np
import pytest

from accuracy_assay.numerics.annotators import Tendencies
from accuracy_assay.numerics.crowd import Answers
from accuracy_assay.numerics.crowd_score import Believed, believe, lean
from accuracy_assay.runtime.arrays import FloatArray, IntArray

K = 3
KNOWS = np.array([0.85, 0.7, 0.9, 0.0])
PEOPLE = Tendencies(KNOWS, np.full((4, K), 1 / K), np.full(K, 1 / K))
RATES = np.array([0.93, 0.6])


def answer(truth: IntArray, who: IntArray, rng: np.random.Generator) -> IntArray:
    knows = rng.random(truth.size) < KNOWS[who]
    return np.where(knows, truth, rng.integers(0, K, truth.size))


def make_world(n: int = 40_000) -> tuple[Answers, IntArray, IntArray]:
    """One answer each; one more, of someone else, wherever it differs from the service's."""
    rng = np.random.default_rng(0)
    group, truth = rng.integers(0, 2, n), rng.integers(0, K, n)
    is_right = rng.random(n) < RATES[group]
    said = np.where(is_right, truth, (truth + rng.integers(1, K, n)) % K)
    item, first = np.arange(n), rng.integers(0, 4, n)
    answered = answer(truth, first, rng)
    again = np.flatnonzero(answered != said)
    second = (first[again] + rng.integers(1, 4, again.size)) % 4
    other = answer(truth[again], second, rng)
    every = (np.append(item, again), np.append(first, second), np.append(answered, other))
    return Answers(*every, n, 4, K), said, group


def test_rate_of_every_group_is_found_though_only_differing_answers_are_asked_again() -> None:
    given, said, group = make_world()
    believed = believe(given, PEOPLE, said)
    score, worth = believed.scores(group)
    for k, rate in enumerate(RATES):
        own = group == k
        found = np.average(score[own], weights=worth[own])
        assert found == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / worth[own].sum()))
    first = given.answer[: said.size]  # what the majority comes to: ties go to who came first
    assert np.mean(first == said) < believed.rate - 0.05


def test_counts_of_cells_lie_within_what_they_are_worth() -> None:
    given, said, _ = make_world(300)
    cell = np.arange(300) % 120
    score, worth = believe(given, PEOPLE, said).scores(cell)
    n = np.bincount(cell, worth)
    right = np.bincount(cell, worth * score)
    assert np.all((right >= -1e-9) & (right <= n + 1e-9))


def test_more_answers_are_worth_more_labels() -> None:
    given, said, group = make_world(2_000)
    n = said.size
    first = Answers(given.item[:n], given.person[:n], given.answer[:n], n, 4, K)
    few, many = (believe(some, PEOPLE, said).scores(group)[1].sum() for some in (first, given))
    assert many > 1.1 * few


def test_a_service_that_said_nothing_is_wrong() -> None:
    given, said, group = make_world(50)
    said[:10] = -1
    believed = believe(given, PEOPLE, said)
    score, worth = believed.scores(group)
    assert np.all(believed.right[:10] == 0.0)
    assert np.all(score[:10] == 0.0)
    assert np.all(worth[:10] == 1.0)


def test_who_guesses_tells_nothing() -> None:
    given, said, _ = make_world(200)
    kept = given.person == 3
    alone = Answers(given.item[kept], given.person[kept], given.answer[kept], 200, 4, K)
    believed = believe(alone, PEOPLE, said)
    np.testing.assert_allclose(believed.right, believed.rate, rtol=1e-9)
    np.testing.assert_allclose(believed.gain(0.0, PEOPLE.share), 0.0, atol=1e-12)


def by_hand(chances: FloatArray, said: int, knows: float) -> float:
    """Expected fall of r (1 - r), summed over what may be answered."""
    before = chances[said] * (1 - chances[said])
    for told in range(K):
        like = (1 - knows) / K + knows * (np.arange(K) == told)
        says = float(chances[:K] @ like)
        after = chances[said] * like[said] / says
        before -= says * after * (1 - after)
    return float(before)


def test_gain_is_the_expected_fall_of_the_doubt() -> None:
    chances = np.array([[0.5, 0.3, 0.2, 0.0], [0.9, 0.05, 0.05, 0.0]])
    believed = Believed(chances, np.array([0, 1]), 0.8, PEOPLE.share)
    expected = [by_hand(chances[0], 0, 0.7), by_hand(chances[1], 1, 0.7)]
    np.testing.assert_allclose(believed.gain(0.7, PEOPLE.share), expected, rtol=1e-9)
    new = np.exp(lean(np.array([0]), 0.8, PEOPLE.share))[0]
    assert believed.gain_of_new(0.7, PEOPLE.share) == pytest.approx(by_hand(new, 0, 0.7))
