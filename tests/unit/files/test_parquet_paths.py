"""Places of Parquet: files, folders, patterns, addresses; and what is none."""

from glob import glob
from pathlib import Path

import fsspec
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_paths import file_system, find_parquet, is_address, is_folder

FRAME = pl.DataFrame({"a": [1, 2]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files, one of them in a folder of its own, and leftovers of a writer."""
    (tmp_path / "year=2024").mkdir()
    (tmp_path / "_temporary").mkdir()
    for name in ("b.parquet", "year=2024/a.parquet", "_temporary/c.parquet", ".d.parquet"):
        FRAME.write_parquet(tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def test_a_folder_is_all_its_files_in_order_without_leftovers(folder: Path) -> None:
    found = find_parquet(folder)
    assert [Path(name).name for name in found] == ["b.parquet", "a.parquet"]


def test_a_pattern_is_the_files_that_match(folder: Path) -> None:
    assert find_parquet(str(folder / "*" / "a.parquet")) == (str(folder / "year=2024/a.parquet"),)
    assert is_folder(str(folder / "*.parquet"))


def test_a_name_stands_for_itself_whatever_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "rows[1]*.parquet"
    FRAME.write_parquet(path)
    FRAME.write_parquet(tmp_path / "rows1x.parquet")
    (found,) = find_parquet(path)
    assert glob(found) == [str(path)]


@pytest.mark.parametrize("rows", ["rows.csv", "-", "none.parquet", None, FRAME])
def test_what_is_no_parquet_has_no_files(rows: object) -> None:
    assert find_parquet(rows) == ()


def test_a_folder_without_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"pool must be an existing Parquet file.*no file ends in"
    ):
        find_parquet(tmp_path, what="pool")


def test_an_address_is_a_file_a_folder_or_a_pattern() -> None:
    memory = fsspec.filesystem("memory")
    for name in ("b", "a", "_c"):
        memory.pipe(f"/places/{name}.parquet", b"x")
    memory.pipe("/places/notes.txt", b"x")
    both = ("memory:///places/a.parquet", "memory:///places/b.parquet")
    assert find_parquet("memory://places") == both
    assert find_parquet("memory://places/[ab].parquet") == both
    assert find_parquet("memory://places/a.parquet") == both[:1]
    with pytest.raises(InputError, match="no file ends in"):
        find_parquet("memory://elsewhere")


def test_an_address_that_nobody_opens_is_refused() -> None:
    with pytest.raises(InputError, match=r"'nowhere://rows': Protocol not known"):
        file_system("nowhere://rows")


def test_stores_are_no_tables() -> None:
    assert is_address("memory://rows")
    assert not is_address("postgresql+psycopg://host/db")
    assert not is_address("rows.parquet")
