"""Nothing is the same nothing in a table and in a query."""

import sys
from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.files.blank_texts import (
    is_blank,
    is_blank_sql,
    is_missing,
    is_missing_sql,
)
from accuracy_assay.files.parquet_rows import ParquetRows

SPACES = [chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace()]
COLUMNS = [
    pl.Series("x", ["a", "", " \t\n", None, "nan", " a ", *SPACES]),
    pl.Series("x", ["a", None, ""], dtype=pl.Categorical),
    pl.Series("x", [1.0, float("nan"), None, float("inf")]),
    pl.Series("x", [0, None]),
    pl.Series("x", [True, None, False]),
]


def test_white_space_alone_is_blank_whatever_the_character() -> None:
    assert is_blank(pl.Series(SPACES)).all()
    assert is_blank(pl.Series(["a", None, " a "])).to_list() == [False, False, False]


def test_null_and_nan_are_missing_and_a_blank_text_is_not() -> None:
    assert is_missing(pl.Series([1.0, float("nan"), None])).to_list() == [False, True, True]
    assert is_missing(pl.Series(["", None])).to_list() == [False, True]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_query_finds_what_a_table_has(column: pl.Series, tmp_path: Path) -> None:
    rows = ParquetRows.write(column.to_frame(), tmp_path / "x.parquet")
    found = rows.ask([is_missing_sql('"x"', column.dtype), is_blank_sql('"x"', column.dtype)])
    assert found["c0"].to_list() == is_missing(column).to_list()
    assert found["c1"].to_list() == is_blank(column).to_list()
