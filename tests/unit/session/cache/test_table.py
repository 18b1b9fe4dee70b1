"""A kept table gives back the rows that were written."""

from pathlib import Path

import polars as pl
from polars.testing import assert_frame_equal

from accuracy_assay.session.cache.table import KeptTable, write_table

FRAME = pl.DataFrame(
    {
        "text": ["a", None, "b", "a", ""],
        "number": [1, 2, None, 2, -5],
        "share": [0.5, float("nan"), None, 0.5, float("inf")],
        "is_so": [True, None, False, True, True],
        "size": pl.Series(["s", "l", None, "s", "m"], dtype=pl.Enum(["s", "m", "l"])),
    }
)


def test_rows_come_back_in_any_order_with_their_types(tmp_path: Path) -> None:
    columns = write_table(tmp_path, "pool", FRAME)
    table = KeptTable(tmp_path, "pool", columns)
    for rows in ([0, 1, 2, 3, 4], [4, 1, 1], []):
        assert_frame_equal(table.take(rows, FRAME.columns), FRAME[rows])
    assert_frame_equal(table.take([2, 0], ["size", "text"]), FRAME[[2, 0]].select("size", "text"))


def test_single_values_are_those_of_the_table(tmp_path: Path) -> None:
    table = KeptTable(tmp_path, "pool", write_table(tmp_path, "pool", FRAME))
    for name in FRAME.columns:
        for row in range(FRAME.height):
            assert repr(table.item(row, name)) == repr(FRAME[row, name])


def test_some_columns_may_be_hidden(tmp_path: Path) -> None:
    columns = write_table(tmp_path, "pool", FRAME)
    assert KeptTable(tmp_path, "pool", columns).columns == FRAME.columns
    assert KeptTable(tmp_path, "pool", columns, ["share"]).columns == ["share"]
