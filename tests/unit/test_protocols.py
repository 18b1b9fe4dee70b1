"""Candidates are questions as columns; tests/conformance holds implementations to the rest."""

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.question import LABEL, Question, QuestionType
from accuracy_assay.protocols import Candidates

ROWS = Affiliation(np.array([0, 1, 3]), np.array([7, 1, 4]), np.array([1.0, 0.25, 0.75]))


def test_the_arm_of_a_candidate_is_its_most_probable_one() -> None:
    assert Candidates(np.arange(2), ROWS, n_strata=3).arm.tolist() == [2, 1]
    assert Candidates(np.zeros(0, np.int64), Affiliation.exact([])).arm.size == 0


def test_over_arms_strata_are_left_out() -> None:
    cells = Candidates(np.arange(2), ROWS, 3, pending=Affiliation.exact([8]), count=np.arange(2))
    arms = cells.over_arms()
    assert arms.affiliation.indices.tolist() == [2, 0, 1]
    assert arms.affiliation.weights.tolist() == ROWS.weights.tolist()
    assert (arms.pending.indices.tolist(), arms.n_strata) == ([2], 1)
    assert (arms.arm.tolist(), arms.n_left.tolist()) == (cells.arm.tolist(), [0, 1])


def test_a_candidate_asks_anyone_for_a_label_at_the_price_of_one_by_default() -> None:
    assert Candidates(np.arange(2), ROWS).question(1, "x") == Question("x")


def test_a_candidate_has_its_own_type_and_price() -> None:
    types = (LABEL, QuestionType("opinion", of="ann"))
    options = Candidates(
        np.arange(2), ROWS, price=np.array([1.0, 0.4]), types=types, type_index=np.array([0, 1])
    )
    assert options.question(0, "x") == Question("x")
    assert options.question(1, "x") == Question("x", "opinion", "ann", 0.4)
