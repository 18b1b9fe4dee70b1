"""The rows that ship with the package are what their description says."""

import ast
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa

MOST_BYTES = 300_000
EXAMPLES = files("accuracy_assay.tasks") / "examples"


def test_without_a_name_the_names_are_listed_and_each_has_rows() -> None:
    names = aa.example()
    assert "adult" in names
    for name in names:
        assert aa.example(name).height > 1_000


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(aa.InputError, match=r"example must be one of \[adult\]; got 'adults'"):
        aa.example("adults")


def test_adult_has_the_columns_that_its_description_lists_and_no_gaps() -> None:
    rows = aa.example("adult")
    assert rows.columns == [
        *("id", "age", "sex", "race", "education", "marital", "hours"),
        *("prediction", "confidence", "label", "correct"),
    ]
    assert rows.null_count().sum_horizontal().item() == 0
    assert rows["id"].to_list() == list(range(1, 6_001))
    for column in rows.columns:
        assert f"``{column}``" in str(aa.example.__doc__)
    for name in ("age", "sex", "race", "education", "marital", "hours"):
        for value in rows[name].cast(pl.String).unique():
            assert value in str(aa.example.__doc__)


def test_a_row_is_correct_where_prediction_and_label_agree_and_confidence_is_the_answers() -> None:
    rows = aa.example("adult")
    assert (rows["correct"] == (rows["prediction"] == rows["label"])).all()
    assert rows["confidence"].is_between(0.5, 1.0).all()


def test_confidence_says_how_often_the_classifier_is_right() -> None:
    # A served probability: within three standard errors in each of five parts of the rows.
    parts = aa.example("adult").sort("confidence").with_row_index("place")
    by_part = parts.group_by(pl.col("place") // 1_200).agg(
        pl.mean("confidence"), right=pl.mean("correct"), n=pl.len()
    )
    error = (by_part["right"] * (1 - by_part["right"]) / by_part["n"]).sqrt()
    assert ((by_part["confidence"] - by_part["right"]).abs() < 3.0 * error + 0.01).all()


def test_ordered_attributes_keep_their_order() -> None:
    kinds = aa.example("adult").schema
    ages, education, hours = (kinds[name] for name in ("age", "education", "hours"))
    assert ages == pl.Enum(["17-24", "25-34", "35-44", "45-54", "55-64", "65+"])
    assert education == pl.Enum(
        ["no diploma", "high school", "some college", "bachelor", "advanced"]
    )
    assert hours == pl.Enum(["under 35", "35-40", "41-50", "over 50"])


def test_the_files_are_small_and_their_licence_lies_beside_them() -> None:
    sizes = {file.name: len(file.read_bytes()) for file in EXAMPLES.iterdir()}
    assert sum(sizes.values()) < MOST_BYTES
    licence = (EXAMPLES / "LICENSE.txt").read_text(encoding="utf-8")
    for name in aa.example():
        assert f"{name}.parquet" in licence
    assert "CC BY 4.0" in licence
    assert "CC BY 4.0" in str(aa.example.__doc__)


def test_the_script_that_made_them_draws_as_many_rows() -> None:
    script = Path(__file__).parents[3] / "benchmarks" / "make_example.py"
    constants = {
        node.targets[0].id: node.value.value
        for node in ast.parse(script.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    assert constants["N_ROWS"] == aa.example("adult").height
