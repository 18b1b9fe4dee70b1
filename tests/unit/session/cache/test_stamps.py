"""Stamps: a table that changed is never taken for the one before."""

import os
import time
from pathlib import Path

import pytest

from accuracy_assay.session.cache.stamps import settled_stamp, stamp_of


def test_a_file_keeps_its_stamp_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("a")
    first = settled_stamp(path)
    assert first == stamp_of(path) == stamp_of(str(path))
    path.write_text("b")  # as long as before
    assert stamp_of(path) != first


def test_a_file_that_another_took_the_place_of_has_another_stamp(tmp_path: Path) -> None:
    path, other = tmp_path / "pool.csv", tmp_path / "new.csv"
    for file in (path, other):
        file.write_text("a")
        os.utime(file, ns=(10**18, 10**18))
    before = stamp_of(path)
    other.replace(path)
    assert stamp_of(path) != before


def test_a_change_within_a_tick_of_the_clock_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pool.csv"
    for round_ in range(20):
        path.write_text("a")
        stamp = settled_stamp(path)
        path.write_text("b")
        assert stamp_of(path) != stamp, round_
    old = time.time() - 100.0
    os.utime(path, (old, old))
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("there is nothing to wait for"))
    settled_stamp(path)


def test_a_folder_has_the_stamps_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "part=1").mkdir()
    (tmp_path / "part=1" / "a.parquet").write_text("a")
    first = stamp_of(tmp_path)
    assert first is not None
    assert len(first) == 1
    (tmp_path / "part=1" / "b.parquet").write_text("b")
    assert stamp_of(tmp_path) != first


def test_what_is_not_there_has_no_stamp(tmp_path: Path) -> None:
    assert stamp_of(tmp_path / "none") is None
    assert settled_stamp(tmp_path / "none") is None
    assert settled_stamp(tmp_path) is None  # a folder without a file
