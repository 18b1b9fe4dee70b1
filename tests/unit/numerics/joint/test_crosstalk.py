"""What the predictors of other attributes say, by hand."""

import numpy as np

from accuracy_assay.numerics.joint.crosstalk import Crosstalk, heard, may_hear, scales

LOG_M = [np.array([[0.0, -4.0], [-2.0, 0.0]]), np.zeros((2, 3))]


def test_an_attribute_that_nobody_guesses_is_silent() -> None:
    scale = scales(LOG_M)
    np.testing.assert_allclose(scale, [np.sqrt(2.5)] * 2 + [1.0] * 3)
    np.testing.assert_array_equal(heard(LOG_M, scale)[:, 2:], 0.0)


def test_scores_are_heard_as_differences_from_their_mean() -> None:
    louder = [LOG_M[0] + 7.0, LOG_M[1]]
    ones = np.ones(5)
    np.testing.assert_allclose(heard(louder, ones), heard(LOG_M, ones))


def test_only_guesses_of_other_attributes_are_heard() -> None:
    may = may_hear([2, 3, 1], np.array([True, True, False]))
    assert not may[:2, :2].any()
    assert not may[2:5, 2:5].any()
    assert may[:2, 2:5].all()
    assert may[2:5, :2].all()
    assert not may[5].any()
    assert not may[:, 5].any()


def test_a_score_shifts_the_values_that_it_speaks_for() -> None:
    weights = np.zeros((5, 5))
    weights[4, 0] = 0.5
    own, other = Crosstalk(weights, np.ones(5)).shifts(LOG_M)
    np.testing.assert_array_equal(own, 0.0)
    np.testing.assert_allclose(other, [[0.0, 0.0, 1.0], [0.0, 0.0, -0.5]])
