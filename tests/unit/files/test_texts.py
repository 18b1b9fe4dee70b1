"""Ids, labels and predictions are the same when their normal texts are."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import (
    as_text,
    as_texts,
    find_text,
    normal_column,
    normal_text,
    require_plain,
    require_whole,
    text_positions,
)


@pytest.mark.parametrize(
    "value", [3, 3.0, np.int8(3), np.float32(3.0), "3", np.str_("3"), Decimal("3.00")]
)
def test_a_whole_number_has_one_text_whatever_its_type(value: object) -> None:
    assert as_text(value) == "3"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (-0.0, "0"),
        (True, "true"),
        (np.False_, "false"),
        ("3.0", "3.0"),
        (" cat ", " cat "),
        ("nan", "nan"),
        (2**63, "9223372036854775808"),
        (float("inf"), "inf"),
        (Decimal("2.50"), "2.5"),
        (date(2021, 12, 6), "2021-12-06"),
    ],
)
def test_other_values_are_known_by_what_they_print(value: object, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize("value", [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN")])
def test_what_is_missing_has_no_text(value: object) -> None:
    assert as_text(value) == normal_text(value) == ""


@pytest.mark.parametrize(
    "same",
    [
        (2, 2.0, "2", "2.0", "2.00", " 2.0", Decimal("2.0"), np.int8(2)),
        (2.5, "2.5", "2.50", np.float64(2.5), Decimal("2.500")),
        (0, -0.0, "0", "0.0", "-0.0", ".0"),
        (-0.5, "-0.5", "-.50"),
        (True, np.True_, "true", "True", "TRUE"),
        ("caf\u00e9", "cafe\u0301"),
        ("cat", " cat", "cat\n"),
    ],
)
def test_one_value_written_in_several_ways_has_one_normal_text(same: tuple[object, ...]) -> None:
    assert len({normal_text(value) for value in same}) == 1


def test_texts_that_only_look_like_numbers_stay_apart() -> None:
    different = ["007", "7", "1e3", "1000", "+7", "2.0.0", "0x10", "1_000", "1,000", "\u0663", "3"]
    assert [normal_text(text) for text in different] == different
    assert len({normal_text(v) for v in ("Cat", "cat", 1, "true", "yes", "nan", "None")}) == 7


@given(st.text() | st.floats() | st.integers() | st.booleans() | st.none() | st.decimals())
def test_a_normal_text_is_its_own_normal_text(value: object) -> None:
    assert normal_text(normal_text(value)) == normal_text(value)


def test_a_column_read_as_numbers_equals_one_read_as_texts() -> None:
    assert as_texts(pl.Series([7.0, None, 2.5])) == as_texts(["7", "", "2.5"])


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([2.0, 0.1, None]),
        pl.Series([2.0, 0.1, np.nan]),
        pl.Series([2.0, 0.1, None], dtype=pl.Float32),
        pl.Series(["2.0", "0.10", None]),
        pl.Series(["2.0", "0.10", None], dtype=pl.Categorical),
        pl.Series([Decimal("2.00"), Decimal("0.10"), None]),
    ],
)
def test_a_column_has_the_same_normal_texts_whatever_its_type(column: pl.Series) -> None:
    assert normal_column(column).to_list() == ["2", "0.1", None]


def test_columns_of_booleans_dates_and_lists_have_normal_texts() -> None:
    assert normal_column(pl.Series([True, None])).to_list() == ["true", None]
    assert normal_column(pl.Series([date(2021, 12, 6)])).to_list() == ["2021-12-06"]
    assert normal_column(pl.Series([[1, 2]])).to_list() == ["[1, 2]"]
    assert normal_column(pl.Series([None, None])).to_list() == [None, None]


def test_a_value_is_found_as_written_before_it_is_found_by_its_normal_text() -> None:
    positions = text_positions(["2", "2.0", "True", "a"])
    assert [find_text(v, positions) for v in ("2", "2.0", 2.0, True, "A")] == [0, 1, 0, 2, None]
    unclear = text_positions(["2.0", "2.00"])
    assert [find_text(v, unclear) for v in ("2.0", "2.00", 2)] == [0, 1, None]


def test_half_a_character_is_refused_and_shown() -> None:
    assert require_whole("caf\u00e9 \U0001f600", "label") == "caf\u00e9 \U0001f600"
    with pytest.raises(InputError, match=r"label must be text .* got 'a\\ud800b', .* surrogate"):
        require_whole("a\ud800b", "label")


def test_a_number_too_long_to_write_is_refused() -> None:
    with pytest.raises(InputError, match="at most 4300 digits"):
        as_text(10**5000)


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([{"v": "f"}, {"v": "m"}], "{'v': 'f'}"),
        ([["f"], ["m"]], r"\['f'\]"),
        (["m", '{"v": "f"}'], '{"v": "f"}'),
        (["m", ' [1, {"v": 2}]'], r' \[1, {"v": 2}\]'),
    ],
)
def test_a_column_of_objects_is_refused_by_one_of_them(values: list, shown: str) -> None:
    column = pl.Series("sex", values)
    with pytest.raises(InputError, match=shown) as refused:
        require_plain(column, "attribute")
    assert "attribute 'sex' must hold one value per row" in str(refused.value)
    assert "the column holds objects or lists" in str(refused.value)


@pytest.mark.parametrize(
    "values",
    [
        ["f", None, ""],
        ["[INST] go", "{curly}", "[1, 2", "{'v': 1}"],
        [1.5, None],
        [date(2020, 1, 1)],
        [True, False],
    ],
)
def test_plain_values_pass(values: list) -> None:
    require_plain(pl.Series("x", values), "attribute")
    require_plain(pl.Series("x", ["a", "[b]"], dtype=pl.Categorical), "attribute")


def test_an_answer_may_be_a_text_of_json_but_no_object() -> None:
    require_plain(pl.Series("y", ['{"a": 1}']), "column", may_be_json=True)
    with pytest.raises(InputError, match="holds objects"):
        require_plain(pl.Series("y", [{"a": 1}]), "column", may_be_json=True)
