"""Leaks, cuts and near-copies are measured on the rows."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.candidate_columns import CandidateColumn
from accuracy_assay.domain.roles.measured import (
    find_truth,
    gives_away,
    is_copy,
    is_cut_of,
    is_near_copy,
)

N = 600
RNG = np.random.default_rng(0)
SCORES = (RNG.random(N) < 0.7).astype(float)


def codes(column: pl.Series) -> np.ndarray:
    return np.unique(column.cast(pl.String).to_numpy().astype(str), return_inverse=True)[1]


@pytest.mark.parametrize(
    "values",
    [
        np.where(SCORES == 1.0, "ok", "bad"),
        np.where(SCORES == 1.0, "ok", RNG.choice(["slip", "guess"], N)),
        100.0 * SCORES + RNG.random(N),
    ],
    ids=["copy", "kind of error", "number"],
)
def test_what_tells_the_score_gives_it_away(values: np.ndarray) -> None:
    column = pl.Series("x", values)
    assert gives_away(column, codes(column), SCORES)


def test_a_strong_attribute_gives_nothing_away() -> None:
    light = np.where(RNG.random(N) < 0.2 + 0.7 * SCORES, "day", "night")
    column = pl.Series("light", light)
    assert not gives_away(column, codes(column), SCORES)


def test_a_column_made_from_graded_scores_gives_them_away() -> None:
    graded = RNG.integers(0, 11, N) / 10.0
    passed = pl.Series("passed", np.where(graded >= 0.5, "yes", "no"))
    assert gives_away(passed, codes(passed), graded)


def test_in_few_rows_luck_is_no_leak() -> None:
    column = pl.Series("name", list("abcdef"))
    assert not gives_away(column, codes(column), np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0]))


def test_a_coarser_version_is_a_copy_only_if_it_keeps_much() -> None:
    fine = RNG.integers(0, 6, N)
    assert is_near_copy(fine, fine // 2)
    assert not is_near_copy(fine // 2, fine)
    assert not is_near_copy(RNG.integers(0, 40, N), (fine == 0).astype(np.int64))
    subject = RNG.integers(0, 40, N)
    assert not is_near_copy(subject, (subject == 3).astype(np.int64))


def test_a_copy_says_the_same_both_ways() -> None:
    fine = RNG.integers(0, 6, N)
    assert is_copy(fine, 5 - fine)
    assert not is_copy(fine, fine // 2)


def test_bands_are_ranges_of_their_numbers() -> None:
    age = pl.Series("age", RNG.integers(18, 90, N))
    band = CandidateColumn("band", np.digitize(age.to_numpy(), [30, 60]).astype(np.int64), 3)
    other = CandidateColumn("other", RNG.integers(0, 3, N), 3)
    assert is_cut_of(band, age)
    assert not is_cut_of(other, age)


def test_the_truth_is_the_column_that_gives_the_scores() -> None:
    truth = RNG.choice(["cat", "dog", "cow"], N)
    said = np.where(RNG.random(N) < 0.8, truth, "cat")
    rows = pl.DataFrame(
        {
            "said": said,
            "right": (said == truth).astype(int),
            "colour": RNG.choice(["red", "blue"], N),
            "animal": truth,
        }
    )
    assert find_truth(rows, "said", "right", ["colour", "animal"]) == "animal"
    assert find_truth(rows, "said", "right", ["colour"]) is None
