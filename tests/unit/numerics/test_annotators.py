"""Reliability of people: guessers are found, names and hard items don't matter."""

import numpy as np

from accuracy_assay.numerics.annotators import judge_people
from accuracy_assay.numerics.crowd import Answers
from accuracy_assay.runtime.arrays import IntArray

Crowd = tuple[Answers, IntArray]


def make_crowd(
    *, right: tuple[float, ...], n_items: int = 120, n_classes: int = 3, seed: int = 0
) -> Crowd:
    """Everybody answers every item; a share of right answers of 0 stands for a guesser."""
    rng = np.random.default_rng(seed)
    m = len(right)
    item, person = np.repeat(np.arange(n_items), m), np.tile(np.arange(m), n_items)
    truth = rng.integers(0, n_classes, n_items)
    is_right = rng.random(item.size) < np.asarray(right)[person]
    other = (truth[item] + rng.integers(1, n_classes, item.size)) % n_classes
    said = np.where(is_right, truth[item], other)
    guess = rng.integers(0, n_classes, item.size)
    said = np.where(np.asarray(right)[person] == 0.0, guess, said)
    return Answers(item, person, said, n_items, m, n_classes), truth


def test_who_guesses_is_named_and_nobody_else() -> None:
    given, _ = make_crowd(right=(0.9, 0.7, 0.0, 0.8))
    assert judge_people(given).is_random.tolist() == [False, False, True, False]


def test_intervals_hold_what_people_do_where_truth_is_known() -> None:
    given, truth = make_crowd(right=(0.9, 0.7, 0.55, 0.8))
    found = judge_people(given, truth)
    own = np.bincount(given.person, given.answer == truth[given.item]) / 120
    assert np.all((found.lower <= own) & (own <= found.upper))


def test_who_always_answers_the_same_is_no_better_than_chance() -> None:
    given, _ = make_crowd(right=(0.9, 0.9, 0.9))
    said = np.where(given.person == 0, 1, given.answer)
    same = Answers(given.item, given.person, said, 120, 3, 3)
    assert judge_people(same).is_random.tolist() == [True, False, False]


def test_hard_items_blame_nobody() -> None:
    given, _ = make_crowd(right=(0.9, 0.9, 0.9, 0.9))
    rng = np.random.default_rng(1)
    is_hard = given.item < 60
    said = np.where(is_hard, rng.integers(0, 3, given.item.size), given.answer)
    kept = is_hard | (given.person > 0)  # person 0 answered the hard ones alone
    hard = Answers(given.item[kept], given.person[kept], said[kept], 120, 4, 3)
    assert not judge_people(hard).is_random.any()


def test_order_of_people_does_not_matter() -> None:
    given, _ = make_crowd(right=(0.9, 0.6, 0.0, 0.8))
    mixed = np.array([2, 0, 3, 1])
    other = Answers(given.item, mixed[given.person], given.answer, 120, 4, 3)
    np.testing.assert_allclose(
        judge_people(given).accuracy, judge_people(other).accuracy[mixed], rtol=1e-9
    )


def test_nothing_is_known_of_who_shares_no_item() -> None:
    alone = Answers(np.arange(20), np.arange(20) % 2, np.arange(20) % 3, 20, 2, 3)
    found = judge_people(alone)
    assert found.compared.tolist() == [0, 0]
    assert not found.is_random.any()


def test_guessers_are_named_after_few_answers_and_others_seldom() -> None:
    named, blamed = [], []
    for seed in range(60):
        right = (0.8, 0.0, 0.7, 0.8)
        given, _ = make_crowd(right=right, n_items=40, n_classes=4, seed=seed)
        is_random = judge_people(given).is_random
        named.append(is_random[1])
        blamed.append(is_random[[0, 2, 3]].any())
    assert np.mean(named) >= 0.8
    assert np.mean(blamed) <= 0.05


def test_asking_again_where_answers_differ_blames_nobody() -> None:
    rng, n = np.random.default_rng(3), 4_000
    truth = rng.integers(0, 3, n)
    said = np.where(rng.random(n) < 0.85, truth, (truth + 1) % 3)  # by the service

    def answers(of: IntArray) -> IntArray:
        return np.where(rng.random(of.size) < 0.8, of, (of + rng.integers(1, 3, of.size)) % 3)

    person, first = rng.integers(0, 4, n), answers(truth)
    chosen, drawn = np.flatnonzero(first != said), rng.permutation(n)[:800]
    item = np.concatenate([np.arange(n), chosen, drawn])
    who = np.concatenate([person, (person[chosen] + 1) % 4, (person[drawn] + 2) % 4])
    told = np.concatenate([first, answers(truth[chosen]), answers(truth[drawn])])
    given = Answers(item, who, told, n, 4, 3)
    again = np.repeat([False, True, False], [n, chosen.size, drawn.size])
    leaning = np.log(np.where(np.arange(3) == said[:, None], 0.85, 0.075))
    found = judge_people(given, again=again, leaning=leaning)
    assert np.all(np.abs(found.accuracy - 0.8) < 0.05)
    assert judge_people(given).accuracy.mean() < 0.75
    assert found.compared.sum() < given.item.size - n + drawn.size + 1
