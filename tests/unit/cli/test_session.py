"""What the commands of a session share."""

import os
import sys
from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.cli.session import find_working_folder, is_store, open_assay, read_surface
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError


def test_the_working_folder_comes_last_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["elsewhere"])
    for _ in range(2):
        find_working_folder()
    assert sys.path == ["elsewhere", os.getcwd()]


def test_a_pool_that_has_moved_is_named_anew(store: str, folder: Path) -> None:
    (folder / "pool.parquet").rename(folder / "moved.parquet")
    with open_assay(store, None, folder / "moved.parquet", None) as assay:
        assert assay.pool.height == 80


def test_another_pool_is_refused(store: str, folder: Path) -> None:
    other = folder / "other.parquet"
    pl.read_parquet(folder / "pool.parquet").with_columns(sex=pl.lit("f")).write_parquet(other)
    with pytest.raises(InputError):
        open_assay(store, None, other, None)


def test_a_surface_is_no_store_and_says_who_reads_it(assay, saved: Path) -> None:
    for command in ("surface", "status"):
        answer = assay(command, saved)
        assert answer.code == 2
        assert "which is a surface: `assay look`" in " ".join(answer.err.split())


def test_a_store_is_a_database_or_a_file_that_is_one(store: str, folder: Path) -> None:
    (folder / "s.surface").write_bytes(b"PK no database")
    assert is_store(store)
    assert is_store("postgresql://host/name")
    assert not is_store("s.surface")
    assert not is_store("none.assay")


def test_a_file_is_called_by_its_name(saved: Path) -> None:
    surface, title = read_surface(str(saved), None, None, None, None)
    assert title == saved.stem
    assert surface.to_frame().equals(AccuracySurface.load(saved).to_frame())


def test_a_file_has_no_services(saved: Path) -> None:
    with pytest.raises(InputError, match="and --service, --pool"):
        read_surface(str(saved), "good", None, Path("pool.csv"), None)
