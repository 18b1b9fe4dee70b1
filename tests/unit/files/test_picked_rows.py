"""Rows of a Parquet file by their numbers."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
from polars.testing import assert_frame_equal

from accuracy_assay.files.picked_rows import pick_rows
from accuracy_assay.files.tables import read_table

FRAME = pl.DataFrame({"id": range(1000), "text": [f"t{i}" for i in range(1000)]})


def test_rows_come_in_the_order_in_which_they_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a[b]*.parquet"
    FRAME.write_parquet(path, row_group_size=100)
    rows = np.array([999, 3, 3, 450, 0])
    found = pick_rows(path, rows, ["text", "id"], 1000)
    assert found is not None
    assert_frame_equal(found, FRAME[rows].select("text", "id"))


def test_rows_of_a_folder_are_numbered_through_its_files(tmp_path: Path) -> None:
    for part in (1, 0, 2):
        FRAME[part * 300 : (part + 1) * 300].write_parquet(tmp_path / f"{part}.parquet")
    rows = np.array([599, 0, 300, 899])
    found = pick_rows(tmp_path, rows, ["text"], 900)
    assert found is not None
    assert_frame_equal(found, read_table(tmp_path)[rows].select("text"))


def test_the_whole_table_is_wanted_where_rows_cannot_be_had_alone(tmp_path: Path) -> None:
    path, csv = tmp_path / "pool.parquet", tmp_path / "pool.csv"
    FRAME.write_parquet(path)
    FRAME.write_csv(csv)
    few = np.array([1, 2])
    assert pick_rows(csv, few, ["id"], 1000) is None
    assert pick_rows(tmp_path / "none", few, ["id"], 1000) is None
    assert pick_rows(path, few, ["no such column"], 1000) is None
    assert pick_rows(path, np.arange(900), ["id"], 1000) is None  # too many
    assert pick_rows(path, np.array([1000]), ["id"], 1000) is None  # of the seed set
    assert pick_rows(path, np.array([], dtype=np.int64), ["id"], 1000) is None


def test_rows_have_the_types_that_the_whole_table_has(tmp_path: Path) -> None:
    path = tmp_path / "pool.parquet"
    pl.DataFrame(
        {
            "price": [Decimal("1.5"), Decimal("2.25")],
            "long": pl.Series([2**70, 3], dtype=pl.Int128),
            "size": pl.Series(["s", "m"], dtype=pl.Enum(["s", "m", "l"])),
        }
    ).write_parquet(path)
    found = pick_rows(path, np.array([1, 0]), ["size", "long", "price"], 2)
    assert found is not None
    assert_frame_equal(found, read_table(path)[[1, 0]].select("size", "long", "price"))
