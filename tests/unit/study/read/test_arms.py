"""Which arms a row may belong to: labels before gold, gold before guesses."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.protocols import Calibration, OnSteps
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.read.arms import Arms, learn_calibration

SPACE = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("age", ("young", "old"))))
CODES = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])
GUESSES = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.6, 0.4]])
UNKNOWN = np.full((4, 2), -1)


def never() -> Calibration:
    raise AssertionError("exact attributes need no calibration")


def guessed(gold: IntArray = UNKNOWN, n_pool: int = 4) -> Arms:
    """Return arms whose age is certain and whose sex is guessed."""
    evidence = Evidence(SPACE, (GUESSES, CODES[:, 1]))
    return Arms.read(evidence, gold, n_pool, lambda: uncalibrated(SPACE))


def codes_of(rows: Affiliation) -> list[list[int]]:
    assert rows.is_exact
    return SPACE.codes(rows.indices).tolist()


def test_exact_arms_need_no_calibration() -> None:
    arms = Arms.read(Evidence.exact(SPACE, CODES), UNKNOWN, 4, never)
    assert arms.calibration is None
    assert codes_of(arms.candidate) == CODES.tolist()
    assert codes_of(Arms.exact(SPACE, CODES, 4).candidate) == CODES.tolist()


def test_what_is_unknown_behind_the_pool_needs_no_calibration_either() -> None:
    evidence = Evidence.exact(SPACE, np.vstack([CODES, [[-1, 0]]]))
    gold = np.vstack([UNKNOWN, [[1, 0]]])
    arms = Arms.read(evidence, gold, 4, never)
    assert codes_of(arms.labelled(np.array([4]))) == [[1, 0]]


@pytest.mark.parametrize("column", [GUESSES, np.array([0, -1, 1, 0])])
def test_one_guess_or_gap_in_the_pool_asks_for_a_calibration(column: np.ndarray) -> None:
    calibration = uncalibrated(SPACE)
    arms = Arms.read(Evidence(SPACE, (column, CODES[:, 1])), UNKNOWN, 4, lambda: calibration)
    assert arms.calibration is calibration


def test_guesses_are_read_by_the_calibration() -> None:
    assert codes_of(guessed().candidate) == [[0, 1], [1, 1], [1, 0], [0, 0]]


def test_gold_stands_before_the_guess() -> None:
    gold = UNKNOWN.copy()
    gold[0, 0], gold[2] = 1, (0, 1)
    assert codes_of(guessed(gold).candidate) == [[1, 1], [1, 1], [0, 1], [0, 0]]


def test_gold_stands_before_an_exact_column_too() -> None:
    gold = UNKNOWN.copy()
    gold[1, 0] = 0
    arms = Arms.read(Evidence.exact(SPACE, CODES), gold, 4, never)
    assert codes_of(arms.candidate)[1] == [0, 1]


@pytest.mark.parametrize("is_guessed", [True, False])
def test_what_the_label_shows_stands_before_gold(is_guessed: bool) -> None:
    gold = UNKNOWN.copy()
    gold[0, 0] = 1
    known = np.array([[-1, 0], [0, -1]])
    exact = Arms.read(Evidence.exact(SPACE, CODES), gold, 4, never)
    arms = guessed(gold) if is_guessed else exact
    rows = np.array([0, 1])
    assert codes_of(arms.labelled(rows)) == [[1, 1], [1, 1]]
    assert codes_of(arms.labelled(rows, known)) == [[1, 0], [0, 1]]
    both = np.array([[0, -1], [-1, -1]])
    assert codes_of(arms.labelled(rows, both)) == [[0, 1], [1, 1]]


def test_all_rows_are_labelled_unless_some_are_named() -> None:
    arms = guessed()
    assert codes_of(arms.labelled()) == codes_of(arms.candidate)
    assert codes_of(arms.labelled(np.array([3, 1]))) == [[0, 0], [1, 1]]


def test_candidates_are_the_rows_of_the_pool() -> None:
    assert guessed(n_pool=3).candidate.n_rows == 3
    assert guessed(n_pool=3).labelled().n_rows == 4


@dataclass
class Listening:
    """A calibrator that keeps what it was given."""

    heard: list[tuple[Evidence, IntArray, Evidence]] = field(default_factory=list)

    def fit(
        self,
        seed: Evidence,
        gold: IntArray,
        pool: Evidence,
        rng: np.random.Generator,
        on_steps: OnSteps | None = None,
    ) -> Calibration:
        self.heard.append((seed, gold, pool))
        return uncalibrated(pool.space)


def test_a_calibration_learns_from_the_gold_rows_and_the_evidence_of_the_pool(
    rng: np.random.Generator,
) -> None:
    evidence = Evidence(SPACE, (GUESSES, CODES[:, 1]))
    gold = np.where(np.arange(4)[:, None] >= 2, CODES, -1)
    calibrator = Listening()
    learn_calibration(calibrator, evidence, gold, 3, np.array([2, 3]), rng)
    ((seed, seed_gold, pool),) = calibrator.heard
    np.testing.assert_array_equal(seed.columns[0], evidence.columns[0][2:])
    np.testing.assert_array_equal(seed_gold, CODES[2:])
    np.testing.assert_array_equal(pool.columns[0], evidence.columns[0][:3])
