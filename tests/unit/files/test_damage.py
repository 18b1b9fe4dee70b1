"""Whatever a library does over a damaged file, the end is an error of ours."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.files.damage import is_full_disk, refusing_damage
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.files.picked_rows import pick_rows
from accuracy_assay.files.tables import read_columns, read_table, read_texts


@pytest.mark.parametrize(
    "error",
    [ValueError("bad page.\nmore"), pl.exceptions.PanicException("bad page"), OSError("bad page")],
)
def test_every_end_is_named_in_one_line(error: BaseException) -> None:
    with (
        pytest.raises(InputError, match=r"^pool must be a readable file; got 'x': bad page\.$"),
        refusing_damage("a readable file", "'x'", "pool"),
    ):
        raise error


def test_an_error_of_ours_and_ctrl_c_pass_as_they_are() -> None:
    for error in (InputError("so"), KeyboardInterrupt()):
        with pytest.raises(type(error)), refusing_damage("a", "b", "c"):
            raise error


@pytest.mark.parametrize(
    "error",
    [OSError(28, "no room"), RuntimeError("IO Error: No space left on device")],
)
def test_a_full_disk_says_so_for_readers_too(error: Exception) -> None:
    assert is_full_disk(error)
    with (
        pytest.raises(InputError, match=r"pool must have room on the disk.*'x' itself is not"),
        refusing_damage("a readable file", "'x'", "pool"),
    ):
        raise error


def readers(path: Path) -> dict[str, Callable[[], object]]:
    def rows() -> pl.DataFrame:
        found = ParquetRows.find(path)
        assert found is not None
        return found.read()

    return {
        "table": lambda: read_table(path),
        "lazy": lambda: read_table(pl.scan_parquet(path)),
        "columns": lambda: read_columns(path, ["sex"], ["p*"]),
        "texts": lambda: read_texts(path),
        "rows": rows,
        "picked": lambda: pick_rows(path, np.array([3, 17]), ["sex"], 60),
        "estimate": lambda: aa.estimate(
            path, ["sex"], score="correct", estimator="beta-independent"
        ),
    }


@pytest.mark.parametrize(
    "way", ["table", "lazy", "columns", "texts", "rows", "picked", "estimate"]
)
def test_two_changed_bytes_of_a_parquet_file_end_in_an_error_of_ours_or_a_table(
    tmp_path: Path, rng: np.random.Generator, way: str
) -> None:
    frame = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(60)],
            "sex": ["f", "m", "ü"] * 20,
            "correct": [0, 1] * 30,
            "p": np.linspace(0.0, 1.0, 60),
            "many": [[1, 2], []] * 30,
        }
    )
    whole, path = tmp_path / "whole.parquet", tmp_path / "rows.parquet"
    frame.write_parquet(whole)
    content = whole.read_bytes()
    shutil.copy(whole, path)
    readers(path)[way]()
    for _ in range(60):
        changed = bytearray(content)
        for place in rng.integers(4, len(content) - 4, 2):
            changed[place] = int(rng.integers(0, 256))
        path.write_bytes(changed)
        with suppress(AssayError):
            readers(path)[way]()


def test_pages_of_plain_columns_are_not_read_by_a_library_that_may_abort_the_process(
    tmp_path: Path,
) -> None:
    """Polars does, where a damaged page says that it holds more values than there is memory."""
    frame = pl.DataFrame({"id": [f"x{i}" for i in range(30)], "n": range(30)})
    path = tmp_path / "rows.parquet"
    frame.write_parquet(path)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("Polars must not read the pages of a file of plain columns")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pl, "read_parquet", never)
        assert read_table(path).equals(frame)
