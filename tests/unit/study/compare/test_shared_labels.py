"""What services share: their scores in a row, and differences that rows allow."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.responses import Responses
from accuracy_assay.study.compare.shared_labels import KnownAnswers, SharedLabels

SPACE = AttributeSpace((Attribute("arm", ("x", "y")),))
SIZE = np.array([4.0, 6.0])
POOL_ARM = np.repeat([0, 1], [4, 6])
LABELLED_ARM = np.array([0, 0, 1, 1])
OVERALL = np.array([[0.4, 0.6]])
"""Two arms of four and six pool rows, of which two each are labelled."""


def response(rate: float = 0.5, sd: float = 0.1) -> Responses:
    surface = AccuracySurface(
        SPACE,
        np.arange(2),
        n=np.full(2, 2.0),
        correct=np.full(2, 1.0),
        support=SIZE,
        mean=np.full(2, rate),
        sd=np.full(2, sd),
        lower=np.zeros(2),
        upper=np.ones(2),
        details={"target": "pool"},
    )
    return Responses.of(surface, Affiliation.exact(LABELLED_ARM), 1)


def shared(scores: FloatArray, answers: KnownAnswers | None = None) -> SharedLabels:
    return SharedLabels((response(),) * scores.shape[1], scores, answers)


def known(
    labelled: IntArray, pool: IntArray, rates: tuple[float, ...] = (0.5, 0.5), **how: bool
) -> KnownAnswers:
    rate = np.tile(rates, (pool.shape[0], 1))
    return KnownAnswers(labelled, pool, POOL_ARM, rate, SIZE, **how)


def coins(of: SharedLabels) -> FloatArray:
    """Return the variances of averages that nothing but the coins of rows leaves open."""
    return np.stack([OVERALL**2 @ each.coin for each in of.responses], axis=1)


ALIKE = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
OPPOSITE = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(("scores", "r"), [(ALIKE, 2 / 3), (OPPOSITE, -2 / 3)])
def test_coins_and_labels_go_together_as_residuals_do_with_two_rows_more_that_say_nothing(
    scores: FloatArray, r: float
) -> None:
    of = shared(scores)
    told = np.stack([each.to_rows(OVERALL) ** 2 @ each.noise for each in of.responses], axis=1)
    assert (told > 0.0).all()
    for variance in (coins(of), coins(of) + told):
        found = of.correlation(OVERALL, variance, [0, 1])
        assert found[0] == pytest.approx(np.array([[1.0, r], [r, 1.0]]))


def test_what_no_label_has_told_goes_together_as_the_odds_ratio_says() -> None:
    # Two rows right for both, two for neither, half a row in every field: OR = (2.5 / 0.5)^2.
    odds = 25.0**0.75
    found = shared(ALIKE).correlation(OVERALL, np.full((1, 2), 1e9), [0, 1])
    assert found[0, 0, 1] == pytest.approx((odds - 1.0) / (odds + 1.0), abs=1e-3)
    # Scores between right and wrong have no odds: the residuals, 4 rows of 6, speak for them.
    partly = shared(0.25 + 0.5 * ALIKE).correlation(OVERALL, np.full((1, 2), 1e9), [0, 1])
    assert partly[0, 0, 1] == pytest.approx(2 / 3, abs=1e-3)


def test_services_with_the_same_answers_are_one() -> None:
    codes = np.zeros((4, 2), dtype=np.int64), np.zeros((10, 2), dtype=np.int64)
    of = shared(ALIKE, known(*codes))
    for variance in (coins(of), coins(of) + 0.01):
        assert of.correlation(OVERALL, variance, [0, 1])[0] == pytest.approx(np.ones((2, 2)))


def test_coins_of_different_answers_are_never_both_heads() -> None:
    codes = np.tile([0, 1], (4, 1)), np.tile([0, 1], (10, 1))
    of = shared(ALIKE, known(*codes, rates=(0.6, 0.3)))
    found = of.correlation(OVERALL, coins(of), [0, 1])[0, 0, 1]
    assert found == pytest.approx(-0.6 * 0.3 / np.sqrt(0.6 * 0.4 * 0.3 * 0.7))


@pytest.mark.parametrize("has_answers", [True, False])
def test_a_pair_has_the_same_correlation_whoever_is_asked_beside_it(
    has_answers: bool, rng: np.random.Generator
) -> None:
    labelled, pool = rng.integers(0, 2, (4, 3)), rng.integers(0, 2, (10, 3))
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    answers = known(labelled, pool, (0.4, 0.5, 0.3)) if has_answers else None
    of = SharedLabels(tuple(response(rate) for rate in (0.4, 0.5, 0.3)), scores, answers)
    weight = np.concatenate([OVERALL, np.eye(2)])
    every = of.correlation(weight, np.full((3, 3), 0.03), [0, 1, 2])
    assert every == pytest.approx(every.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(every).min() > -1e-9
    pair = of.correlation(weight, np.full((3, 2), 0.03), [2, 0])
    assert pair == pytest.approx(every[:, [2, 0]][:, :, [2, 0]])


def test_a_difference_is_open_only_in_rows_with_different_answers_and_no_label() -> None:
    # Arm x: answers differ in two of four rows, one of them labelled, where the first is right.
    # Arm y: they differ in three of six rows, none of them labelled.
    labelled = np.array([[0, 1], [2, 2], [3, 3], [4, 4]])
    pool = np.array([[0, 1], [2, 2], [5, 6], [7, 7], *[[8, 9]] * 3, *[[3, 3]] * 3])
    of = shared(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]), known(labelled, pool))
    weight = np.concatenate([np.eye(2), OVERALL])
    found = of.bounds(weight, 0, 1)
    assert found is not None
    assert found[0] == pytest.approx([0.0, -0.5, -0.3])
    assert found[1] == pytest.approx([0.5, 0.5, 0.5])
    reversed_order = of.bounds(weight, 1, 0)
    assert reversed_order is not None
    assert reversed_order[1] == pytest.approx(-found[0])
    assert shared(ALIKE).bounds(weight, 0, 1) is None
    others = known(labelled, pool, is_counted=False)
    assert shared(ALIKE, others).bounds(weight, 0, 1) is None  # its rows stand for others
