"""Tables with an attribute that is the label."""

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_attribute import PickedByClassWarning
from accuracy_assay.study.read.label_tables import find_label
from accuracy_assay.study.read.tables import LabelledTables, read_tables

POOL = pl.DataFrame(
    {
        "truth": ["a", "b", "c"] * 10,
        "place": ["hot", "cold"] * 15,
        "said": ["a", "b", "a", "a", "c", "c"] * 5,
        "said_else": ["a", "b", "?"] * 10,
    }
)
COLUMNS = Columns(("truth", "place"), y_true="truth", y_pred="said", from_label=("truth",))


def tables(columns: Columns = COLUMNS, rows: int = 11, **changes: Any) -> LabelledTables:
    made = read_tables(columns, POOL[:rows], POOL.drop("truth"))
    return replace(made, **changes)


def test_the_prediction_takes_the_place_of_the_label() -> None:
    found = find_label(tables())
    assert found is not None
    observed = found.observed
    assert observed.columns.names == ("predicted truth", "place")
    assert observed.columns.hidden == ()
    assert observed.labelled["predicted truth"].to_list() == POOL["said"][:11].to_list()
    assert observed.pool is not None
    assert observed.pool["predicted truth"].to_list() == POOL["said"].to_list()


def test_an_answer_that_is_no_class_has_a_value_of_its_own() -> None:
    found = find_label(tables(replace(COLUMNS, y_pred="said_else")))
    assert found is not None
    assert found.observed.labelled["predicted truth"].to_list()[:3] == ["a", "b", "another answer"]


def test_scores_that_the_label_does_not_decide_are_left_alone() -> None:
    assert find_label(tables(scores=pl.Series([0.5] * 11))) is None
    half = POOL.with_columns(truth=pl.when(pl.col("place") == "hot").then("truth"))
    assert find_label(tables(labelled=half[:11])) is None


def test_without_a_pool_or_its_predictions_there_is_nothing_to_add_up() -> None:
    assert find_label(tables(pool=None)) is None
    assert find_label(tables(pool=POOL.drop("truth", "said"))) is None


def test_as_many_rows_of_each_class_are_questioned() -> None:
    unequal = POOL.with_columns(said=pl.lit("a"))
    with pytest.warns(PickedByClassWarning, match="10 of each value of 'truth'"):
        find_label(
            replace(
                read_tables(replace(COLUMNS, score=None), unequal, unequal.drop("truth")),
                scores=(unequal["truth"] == unequal["said"]).cast(pl.Float64),
            )
        )
