from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.stream import read_stream

COLUMNS = Columns(("sex",), "right")
ROWS = pl.DataFrame(
    {"sex": ["F", "M"] * 30, "right": [1, 0] * 30, "when": [i // 6 for i in range(60)]}
)


def read(rows: pl.DataFrame, baseline: object = None, columns: Columns = COLUMNS):
    return read_stream(columns, rows, "when", baseline)


def test_labels_are_in_the_order_of_time_whatever_that_of_the_file() -> None:
    found = read(ROWS.sample(fraction=1.0, shuffle=True, seed=3), 2)
    assert found.times.to_list() == sorted(ROWS["when"].to_list())
    assert (found.n_baseline, found.n_later) == (18, 42)


def test_the_order_within_a_time_is_not_that_of_the_file() -> None:
    found = read(ROWS.with_columns(when=pl.Series([0] * 20 + [1] * 40)))
    assert found.scores[20:].tolist() != [1.0, 0.0] * 20


def test_the_first_third_is_the_baseline_and_a_time_is_never_cut() -> None:
    assert read(ROWS).n_baseline == 24


HOURS = [datetime(2026, 1, 1) + timedelta(hours=8 * i) for i in range(12)]


@pytest.mark.parametrize(
    ("values", "baseline", "n"),
    [
        ([f"v{i}" for i in range(1, 13)], "v9", 9),
        (HOURS, "2026-01-02", 6),
        (
            HOURS,
            "2026-01-02T08:00",
            5,
        ),
        ([datetime(2026, 1, 1 + i).date() for i in range(12)], datetime(2026, 1, 3).date(), 3),
        ([0.5 * i for i in range(12)], 1.5, 4),
        ([0.5 * i for i in range(12)], "25%", 3),
    ],
)
def test_a_baseline_is_named_as_the_column_writes_it(values, baseline: object, n: int) -> None:
    rows = pl.DataFrame({"sex": ["F", "M"] * 6, "right": [1, 1, 0] * 4, "when": values})
    assert read(rows.reverse(), baseline).n_baseline == n


@pytest.mark.parametrize(
    ("change", "baseline", "words"),
    [
        ({"when": pl.lit(None, pl.Int64)}, None, "must have a value in some labelled row"),
        ({}, -1, "labels on both sides"),
        ({}, 99, "labels on both sides"),
        ({}, "soon", "must be a value of 'when'"),
        ({"when": pl.lit(1)}, None, "two different values"),
        ({}, "120%", "between 0% and 100%"),
    ],
)
def test_what_cannot_be_put_in_order_is_refused(change, baseline: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(ROWS.with_columns(**change), baseline)


def test_labels_without_a_time_are_left_out_and_counted() -> None:
    found = read(ROWS.with_columns(when=pl.when(pl.col("when") > 0).then("when")))
    assert (found.scores.size, found.n_untimed) == (54, 6)


CLUSTERED = Columns(("sex",), "right", cluster="talk")


def test_a_cluster_is_one_label_its_mean_at_the_time_of_its_last_row() -> None:
    rows = ROWS.with_columns(talk=pl.int_range(60) // 2, sex=pl.Series(["F", "F", "M", "M"] * 15))
    found = read(rows, 2, CLUSTERED)
    assert found.scores.tolist() == [0.5] * 30
    assert (found.n_baseline, found.n_later, found.n_untimed) == (9, 21, 0)
    both = read(
        rows.with_columns(talk=pl.int_range(60) % 30 + pl.col("when") // 5 * 30), 4, CLUSTERED
    )
    assert both.n_baseline == 30, "clusters that began in the baseline belong to it"


def test_a_cluster_in_several_arms_counts_in_one_of_them_with_its_own_rows() -> None:
    rows = ROWS.with_columns(talk=pl.int_range(60) // 6)  # three F that are right, three M wrong
    found = read(rows, 2, CLUSTERED)
    is_female = found.codes[:, 0] == found.space.attributes[0].code("F")
    assert found.scores.tolist() == is_female.astype(float).tolist()
    assert 0 < is_female.sum() < 10


def test_later_rows_of_clusters_of_the_baseline_are_left_out() -> None:
    rows = ROWS.with_columns(talk=pl.when(pl.col("when") < 5).then(1).otherwise("when"))
    assert read(rows, 2, CLUSTERED).clusters.n_late == 12
    with pytest.raises(InputError, match="began in it"):
        read(rows.with_columns(talk=pl.col("sex")), 2, CLUSTERED)


def test_guessed_attributes_are_refused() -> None:
    with pytest.raises(InputError, match="guessed"):
        read(ROWS, columns=Columns(("sex",), "right", evidence={"sex": "p__*"}))


def test_rows_without_a_label_are_left_out_and_annotators_are_settled() -> None:
    rows = ROWS.with_columns(right=pl.when(pl.col("when") != 4).then("right"))
    assert read(rows).scores.size == 54
    answers = pl.DataFrame(
        {
            "item": np.repeat(np.arange(40), 3),
            "who": ["a", "b", "c"] * 40,
            "said": ["x", "x", "y"] * 40,
            "answer": np.repeat(["x", "y"], 60),
            "sex": np.repeat(["F", "M"] * 20, 3),
            "when": np.repeat(np.arange(40), 3),
        }
    )
    columns = Columns(("sex",), y_true="said", y_pred="answer", id="item", annotator="who")
    found = read(answers, 9, columns)
    assert found.scores.tolist() == [1.0] * 20 + [0.0] * 20
