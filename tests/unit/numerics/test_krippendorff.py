"""Krippendorff's alpha against the worked examples of his paper of 2011, done by hand."""

from fractions import Fraction

import numpy as np
import pytest

from accuracy_assay.numerics.krippendorff import nominal_alpha

MISSING = "."
# Each string has the answers of one observer to the units in their order.
TWO_OBSERVERS_TWO_VALUES = ("0100000010", "1110010000")
TWO_OBSERVERS = ("aabbdcccedda", "babbbccceddd")
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def counts_of(observers: tuple[str, ...]) -> np.ndarray:
    values = sorted(set("".join(observers)) - {MISSING})
    return np.array(
        [[unit.count(value) for value in values] for unit in zip(*observers, strict=True)]
    )


@pytest.mark.parametrize(
    ("observers", "coincidences", "totals", "alpha"),
    [
        # The diagonal o_cc of the coincidence matrix, its margins n_c, and alpha as a fraction.
        (TWO_OBSERVERS_TWO_VALUES, (10, 2), (14, 6), 1 - Fraction(19 * 4, 14 * 6)),
        (TWO_OBSERVERS, (2, 4, 6, 4, 2), (4, 6, 6, 6, 2), Fraction(23 * 18 - 104, 24 * 23 - 104)),
        (
            FOUR_OBSERVERS,
            (7, 10, 8, 4, 3),
            (9, 13, 10, 5, 3),
            Fraction(39 * 32 - 344, 40 * 39 - 344),
        ),
    ],
)
def test_the_examples_of_the_paper(
    observers: tuple[str, ...],
    coincidences: tuple[int, ...],
    totals: tuple[int, ...],
    alpha: Fraction,
) -> None:
    counts = counts_of(observers)
    paired = counts[counts.sum(axis=1) > 1]
    own = paired * (paired - 1) / (paired.sum(axis=1, keepdims=True) - 1)
    assert tuple(own.sum(axis=0)) == coincidences
    assert tuple(paired.sum(axis=0)) == totals
    assert nominal_alpha(counts) == pytest.approx(float(alpha), rel=1e-14)


def test_the_paper_rounds_them_to_these() -> None:
    found = [
        nominal_alpha(counts_of(observers))
        for observers in (TWO_OBSERVERS_TWO_VALUES, TWO_OBSERVERS, FOUR_OBSERVERS)
    ]
    np.testing.assert_allclose(found, [0.095, 0.692, 0.743], atol=5e-4)


def test_a_unit_with_one_answer_or_none_changes_nothing() -> None:
    counts = counts_of(FOUR_OBSERVERS)
    more = np.vstack([counts, [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    assert nominal_alpha(more) == nominal_alpha(counts)


def test_full_agreement_is_one_and_values_have_no_order() -> None:
    assert nominal_alpha(np.array([[3, 0], [0, 2]])) == 1.0
    counts = counts_of(FOUR_OBSERVERS)
    assert nominal_alpha(counts[::-1, [3, 0, 4, 1, 2]]) == pytest.approx(nominal_alpha(counts))


def test_without_a_pair_or_with_one_value_alone_there_is_no_alpha() -> None:
    assert nominal_alpha(np.array([[1, 0], [0, 1]])) is None
    assert nominal_alpha(np.array([[2, 0], [3, 0], [0, 1]])) is None
    assert nominal_alpha(np.zeros((0, 2), dtype=np.int64)) is None


def test_answers_at_random_have_an_alpha_near_zero(rng: np.random.Generator) -> None:
    counts = rng.multinomial(3, [0.5, 0.3, 0.2], size=20_000)
    found = nominal_alpha(counts)
    # Each unit's share of equal pairs has a variance below 1/4.
    assert found == pytest.approx(0.0, abs=5.0 * 0.5 / np.sqrt(20_000) / 0.62)
