from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from assay_bench.tasks.data_folder import order_values, read_pool


def test_the_table_of_a_folder_is_read(tables: Path) -> None:
    assert read_pool(tables, "whisper_text").height == 2


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds 'adult_llama'; got none\. Pass --data DIR"):
        read_pool(None, "adult_llama")
    with pytest.raises(InputError, match=r"must hold adult_llama/pool\.parquet; got"):
        read_pool(tmp_path, "adult_llama")


def test_ordered_values_keep_their_order_and_no_other_value_is_let_through() -> None:
    rows = pl.DataFrame({"size": ["large", "small"], "other": ["x", "y"]})
    ordered = order_values(rows, {"size": ("small", "large")})
    assert ordered.sort("size")["size"].to_list() == ["small", "large"]
    assert ordered["other"].dtype == pl.String
    with pytest.raises(pl.exceptions.InvalidOperationError, match="large"):
        order_values(rows, {"size": ("small", "middle")})
