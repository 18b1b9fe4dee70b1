"""Ids of Parquet that occur twice are found, whatever they are."""

from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.files.tables import require_unique
from accuracy_assay.files.unique_ids import require_unique_rows


def written(ids: pl.Series, path: Path) -> ParquetRows:
    return ParquetRows.write(ids.to_frame("id"), path / "rows.parquet", what="pool")


def test_different_ids_pass(tmp_path: Path) -> None:
    require_unique_rows(written(pl.Series(range(1000)), tmp_path), "id")


@pytest.mark.parametrize("ids", [[3, 1, 2, 1], ["b", "a", "c", "b", "b"], [None, "a", None]])
def test_a_repeated_id_is_named_as_in_memory(ids: list[object], tmp_path: Path) -> None:
    column = pl.Series("id", ids)
    with pytest.raises(InputError) as in_memory:
        require_unique(column, what="pool")
    with pytest.raises(InputError) as streamed:
        require_unique_rows(written(column, tmp_path), "id")
    assert str(streamed.value) == str(in_memory.value)
