"""Laws of the sparse affiliation rows."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation, AffiliationWarning
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError

SPACE = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("age", ("a", "b", "c"))))


def rows() -> Affiliation:
    return Affiliation(
        np.array([0, 2, 3, 6]),
        np.array([0, 5, 3, 1, 2, 4]),
        np.array([0.4, 0.6, 1, 0.2, 0.3, 0.5]),
    )


def test_exact_rows_have_one_arm_of_weight_one() -> None:
    exact = Affiliation.exact([3, 1])
    assert exact.n_rows == 2
    assert exact.is_exact
    np.testing.assert_array_equal(exact.indices, [3, 1])
    np.testing.assert_array_equal(exact.weights, [1.0, 1.0])


def test_take_repeats_and_reorders_rows() -> None:
    taken = rows().take([2, 0, 2])
    np.testing.assert_array_equal(taken.indptr, [0, 3, 5, 8])
    np.testing.assert_array_equal(taken.indices, [1, 2, 4, 0, 5, 1, 2, 4])


def test_take_of_a_mask_equals_take_of_its_row_numbers() -> None:
    masked = rows().take(np.array([True, False, True]))
    np.testing.assert_array_equal(masked.indices, rows().take([0, 2]).indices)


def test_concatenation_of_single_rows_is_the_whole() -> None:
    whole = Affiliation.concatenate([rows().take([i]) for i in range(3)])
    np.testing.assert_array_equal(whole.indptr, rows().indptr)
    np.testing.assert_array_equal(whole.indices, rows().indices)
    assert Affiliation.concatenate([]).n_rows == 0


def test_argmax_is_the_heaviest_arm_of_each_row() -> None:
    np.testing.assert_array_equal(rows().argmax(), [5, 3, 4])
    assert Affiliation.exact([]).argmax().size == 0


def test_mass_adds_up_to_the_number_of_rows() -> None:
    arms, weight = rows().mass()
    np.testing.assert_array_equal(arms, np.arange(6))
    np.testing.assert_allclose(weight, [0.4, 0.2, 0.3, 1.0, 0.5, 0.6])
    assert weight.sum() == pytest.approx(3)


def test_condition_keeps_agreeing_arms_and_renormalises() -> None:
    known = np.array([[1, -1], [-1, -1], [0, -1]])
    given = rows().condition(SPACE, known)
    np.testing.assert_array_equal(given.indices, [5, 3, 1, 2])
    np.testing.assert_allclose(given.weights, [1.0, 1.0, 0.4, 0.6])


def test_condition_on_a_contradiction_takes_over_the_known_value_and_warns() -> None:
    known = np.array([[-1, -1], [-1, 2], [-1, -1]])
    with pytest.warns(AffiliationWarning, match="1 of 3 instances had none"):
        given = rows().condition(SPACE, known)
    np.testing.assert_array_equal(given.take([1]).indices, [5])
    np.testing.assert_array_equal(given.take([0]).indices, [0, 5])


def test_condition_on_a_contradiction_merges_arms_that_became_equal() -> None:
    spread = Affiliation(np.array([0, 3]), np.array([0, 3, 4]), np.array([0.5, 0.3, 0.2]))
    with pytest.warns(AffiliationWarning):
        given = spread.condition(SPACE, np.array([[-1, 2]]))
    np.testing.assert_array_equal(given.indices, [2, 5])
    np.testing.assert_allclose(given.weights, [0.5, 0.5])


def test_condition_scales_the_bound_of_the_dropped_mass() -> None:
    truncated = Affiliation(np.array([0, 2]), np.array([0, 3]), np.array([0.9, 0.1]), 0.01)
    given = truncated.condition(SPACE, np.array([[1, -1]]))
    assert given.dropped == pytest.approx(0.01 / (0.01 + 0.99 * 0.1))


def test_arrays_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        rows().weights[0] = 2.0


@pytest.mark.parametrize(
    ("indptr", "arms", "weights", "dropped", "text"),
    [
        ([0, 1], [0], [0.9], 0.0, "must sum to one; got 0.9"),
        ([0, 1], [0], [np.nan], 0.0, "weights must be numbers"),
        ([0, 2], [0, 1], [1.5, -0.5], 0.0, "weights must be numbers of at least 0; got -0.5"),
        ([0, 0, 1], [0], [1.0], 0.0, "row 0 of an affiliation must have an arm"),
        ([0, 2], [0], [1.0], 0.0, "must have indptr"),
        ([1, 2], [0], [1.0], 0.0, "indptr must be"),
        ([0, 1], [-1], [1.0], 0.0, "indices must not be negative"),
        ([0, 1], [0], [1.0], 1.0, "dropped must lie"),
    ],
)
def test_bad_rows_are_refused(
    indptr: list[int], arms: list[int], weights: list[float], dropped: float, text: str
) -> None:
    with pytest.raises(InputError, match=text):
        Affiliation(np.array(indptr), np.array(arms), np.array(weights), dropped)


def test_condition_refuses_codes_of_another_shape() -> None:
    with pytest.raises(InputError, match="known must have shape"):
        rows().condition(SPACE, np.zeros((2, 2), int))
