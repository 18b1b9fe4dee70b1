"""Rows of a certificate: which labels count, and what is refused."""

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world

from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.study.judges.judged_rows import JudgedRows, read_judged

COLUMNS = Columns(("topic", "length"), "right")


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    return certified_world(rng, 400, 100)


def read(rows: pl.DataFrame, columns: Columns = COLUMNS, blind: str | None = None) -> JudgedRows:
    return read_judged(columns, rows, None, "llm", None, blind, ())


def test_labels_that_were_not_blind_are_left_out_and_counted(rows: pl.DataFrame) -> None:
    marked = rows.with_row_index().with_columns(
        alone=pl.when(pl.col("index") < 20).then(None).otherwise(pl.col("index") % 2 == 0)
    )
    found = read(marked, blind="alone")
    assert found.people.size == 40  # of the rows 20 to 99 every other one
    assert found.left_out["labels given while seeing the verdict"] == 60
    assert found.pool.height == 400
    with pytest.raises(InputError, match="blind labels; got 100 labels, none of which"):
        read(rows.with_columns(alone=pl.lit(value=False)), blind="alone")


def test_rows_without_an_opinion_are_left_out_and_counted(rows: pl.DataFrame) -> None:
    holed = rows.with_columns(llm=pl.when(pl.int_range(400) >= 30).then(pl.col("llm")))
    found = read(holed)
    assert (found.people.size, found.pool.height) == (70, 370)
    assert found.left_out["rows without an opinion of the judge"] == 30


def test_a_judge_that_repeats_the_labels_is_refused(rows: pl.DataFrame) -> None:
    copied = pl.concat([rows.with_columns(right="truth", llm="truth")])
    with pytest.raises(InputError, match="must form its opinions without the labels"):
        read(copied)


def test_an_attribute_with_one_value_is_no_slice(rows: pl.DataFrame) -> None:
    found = read(rows.with_columns(length=pl.lit("long")))
    assert found.space.names == ("topic",)
    with pytest.raises(InputError, match="at least one with two values"):
        read(rows.with_columns(length=pl.lit("long")), Columns(("length",), "right"))


def test_disagreeing_annotators_give_one_label_an_item(rows: pl.DataFrame) -> None:
    first = rows.head(100).with_columns(said=pl.when(pl.col("right") > 0).then(pl.lit("a")))
    first = first.with_columns(pl.col("said").fill_null("b"), bot_said=pl.lit("a"))
    votes = [first.with_columns(who=pl.lit(name)) for name in ("ann", "bob")]
    votes.append(first.with_columns(said=pl.lit("b"), who=pl.lit("cid")))
    asked = Columns(("topic",), y_true="said", y_pred="bot_said", id="id", annotator="who")
    found = read(pl.concat(votes), asked)
    assert found.people.tolist() == first.get_column("right").to_list()


def test_values_without_a_label_are_named(rows: pl.DataFrame) -> None:
    only = rows.with_columns(right=pl.when(pl.col("topic") != "art").then(pl.col("right")))
    assert read(only).unlabelled == ("topic = art",)
