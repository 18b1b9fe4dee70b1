"""A table is answered in the kind that it came in."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from accuracy_assay.files.frame_kind import as_kind, kind_of

TABLE = pl.DataFrame(
    {"a": ["x", None], "n": [1, 2], "share": [0.5, None], "is_thin": [True, False]}
)


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (TABLE, "polars"),
        (TABLE.lazy(), "polars"),
        (TABLE.to_arrow(), "pyarrow"),
        (pd.DataFrame({"a": [1]}), "pandas"),
        ("rows.csv", "polars"),
        (Path("rows.csv"), "polars"),
        (None, "polars"),
    ],
)
def test_each_library_is_answered_in_itself_and_a_file_in_polars(rows: Any, kind: str) -> None:
    assert kind_of(rows) == kind


def test_values_stay_what_they_are() -> None:
    assert as_kind(TABLE, "polars") is TABLE
    made = as_kind(TABLE, "pandas")
    assert list(made.columns) == TABLE.columns
    assert made["n"].tolist() == [1, 2]
    assert made["is_thin"].tolist() == [True, False]
    assert made["a"].tolist()[0] == "x"
    assert pd.isna(made["share"][1])
    assert as_kind(TABLE.clear(), "pandas").empty
    table = as_kind(TABLE, "pyarrow")
    assert isinstance(table, pa.Table)
    assert table.to_pylist() == TABLE.to_dicts()
    assert table.schema.field("a").type == pa.large_string()
