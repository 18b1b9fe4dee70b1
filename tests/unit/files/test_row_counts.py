"""Counts of groups are the same, whether one query makes them or many parts."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay.files.parquet_rows as parquet_rows
import accuracy_assay.files.row_counts as row_counts
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.files.row_counts import count_rows, merge_counts


class ManyParts:
    """An engine that is not the local one: every part is worked on alone."""

    def __init__(self) -> None:
        self.n_parts = 0
        self.names: list[str] = []

    def map(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        for part in parts:
            self.n_parts += 1
            self.names.append(str(part))
            yield work(part)


@pytest.fixture
def frame(rng: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame(
        {"a": rng.choice(["x", "y", ""], 100), "n": rng.integers(0, 9, 100)}
    ).with_columns(pl.col("a").replace("", None))


def test_parts_add_up_to_the_whole(
    frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 10)
    monkeypatch.setattr(row_counts, "_WAITING_ROWS", 20)
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=10)
    rows = ParquetRows.find(tmp_path)
    assert rows is not None
    keys = {"group": rows.column("a")}
    sums = {"rows": "count(*)", "sum": 'sum("n"::DOUBLE)'}
    engine, told = ManyParts(), list[float]()
    apart = count_rows(rows, keys, sums, engine, told.append)
    whole = count_rows(rows, keys, sums)
    assert_frame_equal(apart, whole, check_row_order=False)
    wanted = frame.group_by(group="a").agg(
        pl.len().cast(pl.Int64).alias("rows"), pl.col("n").sum().cast(pl.Float64).alias("sum")
    )
    assert_frame_equal(whole, wanted, check_row_order=False)
    assert engine.n_parts == len(told) == 10
    assert told[-1] == 1.0


def test_of_very_many_parts_several_are_added_up_by_one_worker(
    frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_rows, "_BATCH_ROWS", 10)
    monkeypatch.setattr(row_counts, "_MANY_SHARES", 3)
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=10)
    rows = ParquetRows.find(tmp_path)
    assert rows is not None
    asked = {"group": rows.column("a")}, {"rows": "count(*)", "sum": 'sum("n"::DOUBLE)'}
    engine, told = ManyParts(), list[float]()
    apart = count_rows(rows, *asked, engine, told.append)
    assert_frame_equal(apart, count_rows(rows, *asked), check_row_order=False)
    assert engine.n_parts == len(told) == 4  # of three parts each, and the tenth
    assert "rows 0 to 9, to " in engine.names[0]
    assert engine.names[0].endswith("rows 20 to 29")
    assert engine.names[3].endswith("rows 90 to 99")


def test_counts_of_no_key_are_one_row() -> None:
    assert merge_counts([pl.DataFrame({"n": [1]}), pl.DataFrame({"n": [2]})], []).rows() == [(3,)]
