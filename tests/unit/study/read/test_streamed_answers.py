"""Rows of Parquet without an answer are found in place, as in memory."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.missing_answers import MissingAnswers, MissingAnswerWarning
from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.study.read.streamed_answers import find_unanswered, only_answered

ROWS = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d", "e"],
        "sex": ["F", "M", "F", "M", "F"],
        "truth": ["x", None, "x", "y", "x"],
        "said": ["x", None, " ", "x", None],
    }
)


def columns(rule: str, **given: Any) -> Columns:
    return Columns.of(["sex"], y_true="truth", y_pred="said", missing_prediction=rule, **given)


@pytest.fixture
def rows(tmp_path: Path) -> ParquetRows:
    return ParquetRows.write(ROWS, tmp_path / "rows.parquet")


def labelled() -> pl.DataFrame:
    return ROWS.filter(pl.col("truth").is_not_null())


@pytest.mark.parametrize("given", [{}, {"id": "id"}])
def test_the_refusal_is_that_of_rows_in_memory(rows: ParquetRows, given: dict[str, str]) -> None:
    asked = columns("refuse", **given)
    with pytest.raises(InputError) as wanted:
        asked.missing_answers(labelled())
    with pytest.raises(InputError) as found:
        find_unanswered(asked, rows)
    assert str(found.value) == str(wanted.value)


def test_rows_that_are_left_out_are_counted_with_a_warning(rows: ParquetRows) -> None:
    with pytest.warns(MissingAnswerWarning, match="2 of 4 labelled rows"):
        found = find_unanswered(columns("drop"), rows)
    assert found == MissingAnswers("drop", 2, 4)
    left = only_answered(columns("drop"), rows)
    assert left.n_rows == 2
    assert left.read(["id"])["id"].to_list() == ["a", "d"]


def test_rows_that_count_as_wrong_are_counted_with_their_scores(rows: ParquetRows) -> None:
    assert find_unanswered(columns("wrong"), rows) is None


def test_files_without_the_answers_stay_as_they_are(tmp_path: Path) -> None:
    pool = ParquetRows.write(ROWS.drop("said"), tmp_path / "pool.parquet")
    assert only_answered(columns("drop"), pool) is pool
    assert find_unanswered(columns("drop"), pool) is None
