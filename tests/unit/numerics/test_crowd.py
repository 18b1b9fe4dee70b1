"""What the answers of many people say about each item."""

import numpy as np

from accuracy_assay.numerics.crowd import Answers, log_odds, settle_votes, weigh_answers


def _answers(
    rng: np.random.Generator, right: np.ndarray, n_items: int
) -> tuple[Answers, np.ndarray]:
    truth = rng.integers(0, 3, n_items)
    item = np.repeat(np.arange(n_items), right.size)
    person = np.tile(np.arange(right.size), n_items)
    other = (truth[item] + rng.integers(1, 3, item.size)) % 3
    said = np.where(rng.random(item.size) < right[person], truth[item], other)
    return Answers(item, person, said, n_items, right.size, 3), truth


def test_reliable_people_outweigh_a_majority_of_guessers() -> None:
    given, truth = _answers(
        np.random.default_rng(0), np.array([0.95, 0.95, 0.34, 0.34, 0.34]), 300
    )
    belief = weigh_answers(given)
    voted = settle_votes(given.votes, belief)
    assert (belief.argmax(axis=1) == truth).mean() > (voted == truth).mean()


def test_the_order_of_people_changes_nothing() -> None:
    given, _ = _answers(np.random.default_rng(1), np.array([0.9, 0.7, 0.5]), 60)
    swapped = Answers(given.item, 2 - given.person, given.answer, 60, 3, 3)
    assert np.allclose(weigh_answers(given), weigh_answers(swapped))


def test_log_odds_are_those_of_the_normalised_probabilities() -> None:
    belief = np.log(np.array([[0.5, 0.3, 0.2]]))
    assert np.isclose(log_odds(belief, np.array([1]))[0], np.log(0.3 / 0.7))


def test_known_truth_of_an_item_says_nothing_about_that_item() -> None:
    rng = np.random.default_rng(0)
    item, person = np.repeat(np.arange(60), 3), np.tile(np.arange(3), 60)
    true = np.arange(60) % 2
    said = np.where(rng.random(180) < 0.8, true[item], 1 - true[item])
    given = Answers(item, person, said, 60, 3, 2)
    truth = np.where(np.arange(60) < 30, true, -1)
    first, second = truth.copy(), truth.copy()
    first[7], second[7] = 0, 1
    one, other = weigh_answers(given, first), weigh_answers(given, second)
    assert one[7].argmax() == other[7].argmax()
    assert np.abs(one[7] - other[7]).max() < 0.2 * np.ptp(one[7])  # through others' confusions


def test_known_truth_teaches_who_is_wrong() -> None:
    item, person = np.repeat(np.arange(40), 2), np.tile(np.arange(2), 40)
    true = np.arange(40) % 2
    said = np.where(person == 1, 1 - true[item], true[item])
    given = Answers(item, person, said, 40, 2, 2)
    belief = weigh_answers(given, np.where(np.arange(40) < 20, true, -1))
    assert np.array_equal(belief[20:].argmax(axis=1), true[20:])
