"""What no answer is, what becomes of it, and how that is said."""

from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.domain.missing_answers import (
    MissingAnswers,
    MissingAnswerWarning,
    check_rule,
    settle,
    unanswered,
    unanswered_sql,
)
from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows

SAID = pl.Series("said", ["a", None, " ", "", "b"])
TRUTH = pl.Series("truth", ["a", "b", "c", "", ""])


def test_null_and_blank_are_no_answer_unless_the_truth_is_blank_too() -> None:
    assert unanswered(SAID).to_list() == [False, True, True, True, False]
    assert unanswered(SAID, TRUTH).to_list() == [False, True, True, False, False]
    numbers = pl.Series([1.0, float("nan"), None])
    assert unanswered(numbers).to_list() == [False, True, True]


def test_a_query_finds_the_same_rows(tmp_path: Path) -> None:
    rows = ParquetRows.write(pl.DataFrame([SAID, TRUTH]), tmp_path / "x.parquet")
    said, truth = ('"said"', pl.String()), ('"truth"', pl.String())
    found = rows.ask([unanswered_sql(said), unanswered_sql(said, truth)])
    assert found["c0"].to_list() == unanswered(SAID).to_list()
    assert found["c1"].to_list() == unanswered(SAID, TRUTH).to_list()


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        (
            MissingAnswers("wrong", 1_200, 10_000),
            "1,200 of 10,000 labelled rows have no answer and count as wrong",
        ),
        (
            MissingAnswers("wrong", 1, 9, meaning="not 'yes'"),
            "1 of 9 labelled rows has no answer and counts as not 'yes'",
        ),
        (
            MissingAnswers("drop", 3, 9, "pool rows", " of some service"),
            "3 of 9 pool rows have no answer of some service and are left out, which makes a "
            "service look better than it is",
        ),
    ],
)
def test_it_is_said_in_words_and_comes_back_from_details(
    missing: MissingAnswers, words: str
) -> None:
    assert str(missing) == words
    assert MissingAnswers.said_by(missing.details) == missing


def test_a_surface_without_any_says_nothing() -> None:
    assert MissingAnswers("wrong", 0, 9).details == {}
    assert MissingAnswers.said_by({}) is None
    assert MissingAnswers.said_by({"missing_prediction": {"rows": 3}}) is None


def test_refused_rows_are_counted_and_the_first_are_named() -> None:
    ids = pl.Series("id", ["x4", "x7", "x8", "x9"])
    message = r"'said' must have an answer in every row.*got 4 of 9 .*\(id x4, x7, x8, \.\.\.\)"
    with pytest.raises(InputError, match=message):
        settle(MissingAnswers("refuse", 4, 9), "said", ids.head)
    assert settle(MissingAnswers("refuse", 0, 9), "said", ids.head).rows == 0


def test_rows_that_are_left_out_must_leave_some() -> None:
    with pytest.raises(InputError, match="got none in 9, and missing_prediction='drop'"):
        settle(MissingAnswers("drop", 9, 9), "said", SAID.head)


def test_leaving_out_is_warned_of_and_counting_is_not() -> None:
    with pytest.warns(MissingAnswerWarning, match="3 of 9 labelled rows have no answer"):
        MissingAnswers("drop", 3, 9).warn()
    MissingAnswers("drop", 0, 9).warn()
    MissingAnswers("wrong", 3, 9).warn()


def test_an_unknown_rule_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="missing_prediction"):
        check_rule("ignore")
