"""Columns that might be attributes are coded; identifiers, texts and constants are named."""

from datetime import date, timedelta

import numpy as np
import polars as pl

from accuracy_assay.domain.candidate_columns import read_columns
from accuracy_assay.domain.space import Attribute

N = 200
RNG = np.random.default_rng(0)


def frame(**columns: object) -> pl.DataFrame:
    return pl.DataFrame(columns)


def test_classes_are_coded_as_they_come_and_missing_is_a_value() -> None:
    (column,), skipped = read_columns(frame(light=["day", "night", None, "day"] * 50))
    assert (column.name, column.size, column.edges) == ("light", 3, ())
    assert np.unique(column.code[[0, 3]]).size == 1
    assert np.unique(column.code[:3]).size == 3
    assert column.as_typed == column.attribute == "light"
    assert not skipped


def test_numbers_are_cut_into_bands_of_equal_share() -> None:
    (column,), _ = read_columns(frame(age=RNG.normal(40.0, 12.0, N)))
    assert column.size == 5
    assert np.bincount(column.code).min() > 0.8 * N / 5
    assert column.as_typed.startswith("age:")
    assert column.attribute == Attribute("age", kind="continuous", edges=column.edges)
    np.testing.assert_array_equal(
        column.code,
        column.attribute.encode(frame(age=np.random.default_rng(0).normal(40.0, 12.0, N))["age"]),
    )


def test_missing_numbers_have_a_band_of_their_own() -> None:
    age = RNG.normal(40.0, 12.0, N)
    age[:20] = [np.nan, np.inf] * 10
    (column,), _ = read_columns(frame(age=age))
    assert column.size == 6
    assert set(column.code[:20]) == {5}
    assert 5 not in column.code[20:]


def test_a_number_that_many_rows_share_leaves_fewer_bands() -> None:
    (column,), _ = read_columns(frame(gain=np.r_[np.zeros(150), np.arange(50.0)]))
    assert 1 < column.size < 5
    assert np.unique(column.code).size == column.size


def test_dates_are_numbers() -> None:
    day = [date(2024, 1, 1) + timedelta(days=int(d)) for d in RNG.integers(0, 300, N)]
    (column,), _ = read_columns(frame(day=day))
    assert column.size == 5


def test_what_cannot_be_an_attribute_is_named_with_its_reason() -> None:
    found, skipped = read_columns(
        frame(
            id=[f"x{i}" for i in range(N)],
            number=list(range(N)),
            text=[f"sentence {i // 2}" for i in range(N)],
            constant=["a"] * N,
            several=[[1, 2]] * N,
        )
    )
    assert not found
    assert skipped == {
        "id": "is an identifier: every row has its own value",
        "number": "is an identifier: every row has its own value",
        "text": "has 100 values in 200 rows: names or free text",
        "constant": "has one value",
        "several": "holds List(Int64), not one value per row",
    }


def test_only_the_pool_decides_what_a_column_is() -> None:
    # The labelled rows stand behind the pool again: no identifier is unique in both.
    ids = [f"x{i}" for i in range(N)]
    found, skipped = read_columns(frame(id=ids + ids[:50]), N)
    assert not found
    assert "identifier" in skipped["id"]
