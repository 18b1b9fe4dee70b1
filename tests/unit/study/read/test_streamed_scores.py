"""Scores of rows that stream: three ways to count them, one result, one set of refusals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay.files.parquet_rows as parquet_rows
import accuracy_assay.study.read.streamed_scores as streamed_scores
from accuracy_assay.domain.agreement import AgreementWarning, score_column
from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.study.read.streamed_scores import (
    LABELS,
    MISSING,
    ROWS,
    SCORE,
    SCORE_SQ,
    StreamedScores,
)

FRAME = pl.DataFrame(
    {
        "sex": ["F", "M", "F", "M", "F", "M"],
        "truth": ["cat", " 2.0", None, "TRUE", "a b", "dog"],
        "said": ["cat", "2", "cat", "true", "a c", "cat"],
        "score": [1.0, 0.25, None, 1.0, 0.5, 0.0],
    }
)


@pytest.fixture(autouse=True)
def _two_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 2)


def scores(path: Path, frame: pl.DataFrame = FRAME, **given: Any) -> StreamedScores:
    frame.write_parquet(path / "rows.parquet", row_group_size=2)
    rows = ParquetRows.find(path)
    assert rows is not None
    return StreamedScores(rows, Columns(("sex",), **given))


def in_memory(frame: pl.DataFrame = FRAME, **given: Any) -> pl.DataFrame:
    options = {"score": None, "y_true": None, "y_pred": None} | given
    agree = options.pop("agreement", "equal")
    has_label = pl.col(options["score"] or options["y_true"]).is_not_null()
    found = score_column(frame.filter(has_label), agree=agree, **options)
    labelled = frame.filter(has_label).with_columns(found.alias(SCORE))
    value = pl.col(SCORE)
    said = pl.col("said").fill_null("").str.strip_chars() if options["score"] is None else None
    is_silent = pl.lit(0) if said is None else (said == "").cast(pl.Int64).sum()
    sums = labelled.group_by("sex").agg(
        pl.len().cast(pl.Int64).alias(LABELS),
        value.sum(),
        (value * value).sum().alias(SCORE_SQ),
        is_silent.alias(MISSING),
    )
    rows = frame.group_by("sex").agg(pl.len().cast(pl.Int64).alias(ROWS))
    return rows.join(sums, on="sex").select("sex", ROWS, LABELS, SCORE, SCORE_SQ, MISSING)


GIVEN: Sequence[dict[str, Any]] = (
    {"score": "score"},
    {"y_true": "truth", "y_pred": "said"},
    {"y_true": "truth", "y_pred": "said", "agreement": "wer"},
)


@pytest.mark.parametrize("given", GIVEN)
def test_sums_are_those_of_rows_in_memory(given: dict[str, Any], tmp_path: Path) -> None:
    found = scores(tmp_path, **given).count({"sex": '"sex"'})
    wanted = in_memory(**given)
    assert_frame_equal(
        found, wanted, check_row_order=False, check_column_order=False, check_dtypes=False
    )


@pytest.mark.parametrize("looked_at", [20_000, 6])
@pytest.mark.parametrize("given", GIVEN[1:])
def test_rows_without_an_answer_are_wrong_and_counted(
    given: dict[str, Any], looked_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_scores, "_LOOKED_AT", looked_at)
    silent = FRAME.with_columns(said=pl.Series(["cat", None, None, " ", "a c", ""]))
    found = scores(tmp_path, silent, **given).count({"sex": '"sex"'}).sort("sex")
    assert found[MISSING].to_list() == [0, 3]
    assert found[LABELS].to_list() == [2, 3]
    wanted = in_memory(silent, **given).sort("sex")
    assert found[SCORE].to_list() == pytest.approx(wanted[SCORE].to_list())


def test_texts_are_compared_batch_by_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StreamedScores, "_compare_pairs", None)
    monkeypatch.setattr(streamed_scores, "_LOOKED_AT", 6)
    given: dict[str, Any] = {"y_true": "truth", "y_pred": "said"}
    told: list[float] = []
    found = scores(tmp_path, **given).count({"sex": '"sex"'}, on_share=told.append)
    wanted = in_memory(**given)
    assert_frame_equal(
        found, wanted, check_row_order=False, check_column_order=False, check_dtypes=False
    )
    assert told == pytest.approx([1 / 3, 2 / 3, 1.0])


def with_value(column: str, row: int, value: object) -> pl.DataFrame:
    values = FRAME.get_column(column).to_list()
    values[row] = value
    return FRAME.with_columns(pl.Series(column, values))


@pytest.mark.parametrize(
    ("frame", "given"),
    [
        (with_value("score", 4, 1.5), {"score": "score"}),
        (with_value("score", 5, float("nan")), {"score": "score"}),
        (
            with_value("said", 4, "").with_columns(
                truth=pl.Series(["a", "b", None, "c", "", "d"])
            ),
            {"y_true": "truth", "y_pred": "said"},
        ),
    ],
)
def test_what_has_no_score_is_refused_as_in_memory(
    frame: pl.DataFrame, given: dict[str, Any], tmp_path: Path
) -> None:
    import accuracy_assay as aa

    with pytest.raises(InputError) as wanted:
        aa.estimate(frame, ["sex"], estimator="beta-independent", **given)
    with pytest.raises(InputError) as found:
        scores(tmp_path, frame, **given).count({"sex": '"sex"'})
    assert str(found.value) == str(wanted.value)
    assert "row" in str(found.value)


def test_a_score_that_is_a_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must hold numbers in"):
        scores(tmp_path, score="said").count({})


def test_rows_without_any_label_are_refused(tmp_path: Path) -> None:
    frame = FRAME.with_columns(score=pl.lit(None, dtype=pl.Float64))
    with pytest.raises(InputError, match="'score' must have a value in some row; got 6 rows"):
        scores(tmp_path, frame, score="score").count({"sex": '"sex"'})


@pytest.mark.parametrize("looked_at", [20_000, 6])
def test_labels_of_which_none_matches_are_warned_of(
    looked_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_scores, "_LOOKED_AT", looked_at)
    frame = FRAME.with_columns(said=pl.lit("x"))
    given = scores(tmp_path, frame, y_true="truth", y_pred="said")
    with pytest.warns(AgreementWarning, match="none of 5 labels equals"):
        given.count({"sex": '"sex"'})


def test_batches_are_the_labelled_rows_with_their_scores(tmp_path: Path) -> None:
    found = list(scores(tmp_path, score="score").batches(["sex"]))
    labelled = pl.concat([batch for batch, _ in found])
    assert labelled["sex"].to_list() == ["F", "M", "M", "F", "M"]
    np.testing.assert_array_equal(
        np.concatenate([s.to_numpy() for _, s in found]), [1.0, 0.25, 1.0, 0.5, 0.0]
    )
