"""A kept table gives back the rows that were written."""

from pathlib import Path

import polars as pl
from polars.testing import assert_frame_equal

from accuracy_assay.session.cache.table import open_table, write_table

FRAME = pl.DataFrame(
    {
        "text": ["a", None, "b", "a", ""],
        "number": [1, 2, None, 2, -5],
        "share": [0.5, float("nan"), None, 0.5, float("inf")],
        "sure": [0.5, float("nan"), -0.0, 0.0, float("inf")],
        "near": pl.Series([0.1, 0.2, 0.3, 0.1, 0.5], dtype=pl.Float32),
        "list": [["a"], None, ["b", "c"], [], ["a"]],
        "is_so": [True, None, False, True, True],
        "size": pl.Series(["s", "l", None, "s", "m"], dtype=pl.Enum(["s", "m", "l"])),
    }
)


def test_rows_come_back_in_any_order_with_their_types(tmp_path: Path) -> None:
    write_table(tmp_path, "pool", FRAME)
    table = open_table(tmp_path, "pool")
    assert table.columns == FRAME.columns
    for rows in ([0, 1, 2, 3, 4], [4, 1, 1], []):
        assert_frame_equal(table.take(rows, FRAME.columns), FRAME[rows])
    assert_frame_equal(table.take([2, 0], ["size", "text"]), FRAME[[2, 0]].select("size", "text"))


def test_single_values_are_those_of_the_table(tmp_path: Path) -> None:
    write_table(tmp_path, "pool", FRAME)
    table = open_table(tmp_path, "pool")
    for name in FRAME.columns:
        for row in range(FRAME.height):
            assert repr(table.item(row, name)) == repr(FRAME[row, name])


def test_some_columns_may_be_left_out(tmp_path: Path) -> None:
    write_table(tmp_path, "pool", FRAME)
    less = open_table(tmp_path, "pool").select(["share", "text"])
    assert less.columns == ["share", "text"]
    assert_frame_equal(less.take([4, 0], ["share"]), FRAME[[4, 0]].select("share"))


def test_a_table_that_is_open_outlasts_its_deletion(tmp_path: Path) -> None:
    write_table(tmp_path, "pool", FRAME)
    table = open_table(tmp_path, "pool")
    for file in tmp_path.iterdir():
        file.unlink()
    assert_frame_equal(table.take([3, 1], FRAME.columns), FRAME[[3, 1]])


def test_a_table_without_columns_is_a_table(tmp_path: Path) -> None:
    write_table(tmp_path, "signals", pl.DataFrame())
    assert open_table(tmp_path, "signals").columns == []
    assert open_table(tmp_path, "signals").take([1], []).is_empty()
