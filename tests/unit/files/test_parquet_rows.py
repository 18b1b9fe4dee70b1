"""Rows of Parquet: the columns and rows of the files, asked for in parts or at once."""

import subprocess
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import fsspec
import polars as pl
import pytest
from patience import PATIENCE_S
from polars.testing import assert_frame_equal

import accuracy_assay.files.parquet_rows as parquet_rows
from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import ParquetRows, Part, quoted

FRAME = pl.DataFrame(
    {
        "Sex": ["F", "M", None, "F"],
        "sex": ["w", "m", "x", "w"],
        'a "b"': [1, 2, 3, 4],
        "band": pl.Series(["lo", "hi", "lo", "mid"], dtype=pl.Enum(["lo", "mid", "hi"])),
        "kind": pl.Series(["p", "q", "p", None], dtype=pl.Categorical),
        "price": pl.Series([Decimal("1.25")] * 4, dtype=pl.Decimal(10, 2)),
        "sure": pl.Series([0.5, float("nan"), None, -0.0], dtype=pl.Float32),
        "small": pl.Series([1, 2, 3, None], dtype=pl.UInt8),
        "when": [datetime(2024, 1, day) for day in (1, 2, 3, 4)],
        "is": [True, None, False, True],
    }
)


@pytest.fixture
def rows(tmp_path: Path) -> ParquetRows:
    """The frame in two files."""
    FRAME[:3].write_parquet(tmp_path / "a.parquet", row_group_size=2)
    FRAME[3:].write_parquet(tmp_path / "b.parquet")
    found = ParquetRows.find(tmp_path)
    assert found is not None
    return found


def plain() -> pl.DataFrame:
    return FRAME.with_columns(pl.col("price").cast(pl.Float64))


def test_rows_are_read_as_they_were_written(rows: ParquetRows) -> None:
    assert_frame_equal(rows.read(), plain())
    assert rows.schema == plain().schema
    assert rows.n_rows == 4
    assert_frame_equal(rows.read(["sex", "Sex"]), plain().select("sex", "Sex"))


def test_an_address_is_read_as_a_folder_is() -> None:
    memory = fsspec.filesystem("memory")
    with memory.open("/rows/a.parquet", "wb") as file:
        FRAME.write_parquet(file)
    found = ParquetRows.find("memory://rows")
    assert found is not None
    assert_frame_equal(found.read(), plain())


def test_folders_may_name_a_value(tmp_path: Path) -> None:
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        FRAME.write_parquet(tmp_path / f"year={year}" / "rows.parquet")
    found = ParquetRows.find(tmp_path)
    assert found is not None
    assert found.read(["year"]).to_series().to_list() == [2023] * 4 + [2024] * 4
    assert [batch["year"][0] for batch in found.batches(["year"])] == [2023, 2024]


def test_batches_are_the_rows_in_order(rows: ParquetRows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 1)
    assert [(part.first, part.end) for part in rows.parts()] == [(0, 2), (2, 3), (0, 1)]
    assert_frame_equal(pl.concat(rows.batches(FRAME.columns)), plain())


def test_small_row_groups_are_taken_together_and_large_ones_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 10)
    pl.DataFrame({"a": range(47)}).write_parquet(tmp_path / "a.parquet", row_group_size=4)
    pl.DataFrame({"a": range(47)}).write_parquet(tmp_path / "b.parquet", row_group_size=47)
    found = ParquetRows.find(tmp_path)
    assert found is not None
    sizes = [(part.end or 0) - part.first for part in found.parts()]
    assert sizes == [8, 8, 8, 8, 8, 7, 10, 10, 10, 17]
    assert pl.concat(found.batches(["a"]))["a"].to_list() == [*range(47), *range(47)]


def test_a_query_groups_and_is_told_how_far_it_is(rows: ParquetRows) -> None:
    told: list[float] = []
    found = rows.ask(
        [rows.column("sex"), "count(*)"], "GROUP BY 1 ORDER BY 1", on_share=told.append
    )
    assert found.rows() == [("m", 1), ("w", 2), ("x", 1)]
    assert all(0.0 <= share <= 1.0 for share in told)


def test_a_part_says_which_rows_it_is_about() -> None:
    assert str(Part(("a.parquet", "b.parquet"))) == "2 files"
    assert str(Part(("a.parquet",), 10, 20)) == "a.parquet, rows 10 to 19"


def test_a_frame_is_written_to_be_asked(tmp_path: Path) -> None:
    found = ParquetRows.write(FRAME, tmp_path / "x[1].parquet", what="pool")
    assert_frame_equal(found.read(), plain())


def test_damaged_and_empty_files_are_refused(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "empty.parquet")
    with pytest.raises(InputError, match="pool must have at least one row; got an empty table"):
        ParquetRows.find(tmp_path / "empty.parquet", what="pool")
    (tmp_path / "bad.parquet").write_bytes(b"no such thing")
    with pytest.raises(InputError, match=r"rows must be a readable parquet file; got '.*bad"):
        ParquetRows.find(tmp_path / "bad.parquet")


def test_files_with_other_columns_are_refused(rows: ParquetRows, tmp_path: Path) -> None:
    pl.DataFrame({"other": [1]}).write_parquet(tmp_path / "c.parquet")
    found = ParquetRows.find(tmp_path)
    assert found is not None
    with pytest.raises(InputError, match=r"rows must be readable parquet files; .* and 2 more"):
        found.read()


def test_a_column_that_duckdb_keeps_for_itself_cannot_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"File_Row_Number": [1]}).write_parquet(path)
    found = ParquetRows.find(path)
    assert found is not None
    assert not found.is_askable


def test_names_are_quoted() -> None:
    assert quoted('a "b"') == '"a ""b"""'


_INTERRUPTED = """
import os, signal, sys, threading
from accuracy_assay.files.parquet_rows import ParquetRows
rows = ParquetRows.find(sys.argv[1])
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    rows.ask(["sum(hash(a * b.range))"], ", range(100000000000) b")
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_stops_a_query(tmp_path: Path) -> None:
    pl.DataFrame({"a": range(100)}).write_parquet(tmp_path / "a.parquet")
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, str(tmp_path / "a.parquet")],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stdout == "stopped\n", done.stderr
