"""What answers of many services say before any label."""

import numpy as np
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.estimators.anova.anova_gp import AnovaGP
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.study.compare.joint_answers import (
    JointAnswers,
    are_enough,
    are_fitted_together,
    family_codes,
)

CODES = np.array([[0, 0, 1], [2, 2, 2], [1, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1]])
ANSWERS = JointAnswers(CODES, 4, (0, 1, 2))


@pytest.mark.parametrize(
    ("n_services", "are_known", "is_enough"),
    [(1, False, False), (2, False, True), (4, True, False), (5, True, True)],
)
def test_services_are_enough_if_only_scores_are_known_or_if_they_are_many(
    n_services: int, are_known: bool, is_enough: bool
) -> None:
    assert are_enough(n_services, are_known=are_known) == is_enough
    assert are_fitted_together(AnovaGP(), n_services, are_known=are_known) == is_enough
    assert not are_fitted_together(BetaIndependent(), n_services, are_known=are_known)


def test_families_have_one_number_and_unknown_services_are_refused() -> None:
    assert family_codes(["a", "b", "c"], {}) == (0, 1, 2)
    with pytest.raises(InputError, match=r"service of families.*'d'"):
        family_codes(["a", "b"], {"d": "x"})


def test_only_contested_rows_of_the_pool_are_counted_by_arm() -> None:
    known = ANSWERS.known(np.array([4, 5]), np.array([0, 0, 1, 1]), 3)
    assert known.is_contested.tolist() == [True, False]
    assert known.n_contested.tolist() == [1.0, 1.0, 0.0]
    assert known.expected_sum[:2] == pytest.approx(ANSWERS.expected[[0, 2]])
    assert known.expected == pytest.approx(ANSWERS.expected[4:])


def test_rows_beside_the_pool_do_not_change_what_is_known_of_it() -> None:
    alone = JointAnswers(CODES[:4], 4, (0, 1, 2))
    assert ANSWERS.expected[:4] == pytest.approx(alone.expected, abs=1e-12)
    assert ANSWERS.signal == pytest.approx(ANSWERS.expected.mean(axis=1))


def test_answers_that_bound_differences_are_those_of_the_rows() -> None:
    arm, scores = np.array([1, 0]), np.ones((2, 3))
    rows = ANSWERS.rows(np.array([4, 2]), arm, scores, np.array([0, 0, 1, 1]))
    assert rows.codes.tolist() == CODES[[4, 2]].tolist()
    assert rows.pool_codes.tolist() == CODES[:4].tolist()
