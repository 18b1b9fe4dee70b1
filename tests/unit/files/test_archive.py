"""Archives are looked over before they are unpacked, and every kind of damage is one error."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.files.archive import Archive, open_archive

ARRAY = np.linspace(0.0, 1.0, 6).reshape(2, 3)


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def announcing(shape: tuple[int, ...]) -> bytes:
    """The header of an array of any shape, with nothing behind it."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return out.getvalue()


def archive_of(path: Path, packing: int = zipfile.ZIP_DEFLATED, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def refusal(tmp_path: Path) -> Callable[..., str]:
    """What is said when a method is called on an archive of the given members."""

    def refused(read: Callable[[Archive], object], **members: bytes) -> str:
        path = archive_of(tmp_path / "a.zip", **members)
        with pytest.raises(InputError) as caught, open_archive(path, "toy file", "toy") as opened:
            read(opened)
        said = str(caught.value)
        assert said.startswith(f"toy file must be one that toy wrote; got '{path}' (")
        return said

    return refused


def test_what_is_sound_is_read(tmp_path: Path) -> None:
    table = io.BytesIO()
    pl.DataFrame({"a": [1, 2], "b": [3.0, 4.0]}).write_parquet(table)
    header = json.dumps({"format": "toy", "version": 1, "x": 2}).encode()
    members = {"h": header, "t": table.getvalue(), "c": npy(ARRAY), "f": npy(ARRAY.T)}
    with open_archive(archive_of(tmp_path / "a.zip", **members), "toy file", "toy") as opened:
        assert opened.header("h", "toy", 1)["x"] == 2
        assert opened.table("t", ["b"]).columns == ["b"]
        np.testing.assert_array_equal(opened.array("c", (2, None)), ARRAY)
        np.testing.assert_array_equal(opened.array("f"), ARRAY.T)
        assert "c" in opened
        assert "d" not in opened


@pytest.mark.parametrize("shape", [(2**40,), (2**62, 2**62), (3, 2**33)])
def test_an_array_that_announces_more_than_there_is_costs_nothing(
    refusal: Callable[..., str], shape: tuple[int, ...]
) -> None:
    tracemalloc.start()
    said = refusal(lambda opened: opened.array("a"), a=announcing(shape))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "a announces shape" in said
    assert peak < 2**23


def test_an_archive_that_unpacks_to_far_more_than_it_has_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.files.archive._LEAST_BOUND", 2**16)
    path = archive_of(tmp_path / "a.zip", a=npy(np.zeros(2**18)))
    with (
        pytest.raises(InputError, match=r"must unpack to at most 65536 bytes; it announces 2097"),
        open_archive(path, "toy file", "toy"),
    ):
        pytest.fail("it was opened")


def test_a_member_that_is_longer_than_it_says_ends_early(
    refusal: Callable[..., str], tmp_path: Path
) -> None:
    path = archive_of(tmp_path / "a.zip", a=bytes(2**24))
    content = path.read_bytes().replace((2**24).to_bytes(4, "little"), (99).to_bytes(4, "little"))
    path.write_bytes(content)
    tracemalloc.start()
    with (
        pytest.raises(InputError, match="toy file must be one that toy wrote"),
        open_archive(path, "toy file", "toy") as opened,
    ):
        opened.header("a", "toy", 1)
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()


def test_a_table_that_announces_too_many_rows_is_not_read(
    refusal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.files.archive._LEAST_BOUND", 2**16)
    table = io.BytesIO()
    pl.DataFrame({"a": np.zeros(100_000)}).write_parquet(table)
    assert "t announces 100000 rows" in refusal(lambda o: o.table("t", ["a"]), t=table.getvalue())


def test_arrays_of_other_kinds_and_shapes_are_refused(refusal: Callable[..., str]) -> None:
    array = npy(ARRAY)
    assert "must have shape (any, 4); it has (2, 3)" in refusal(
        lambda o: o.array("a", (None, 4)), a=array
    )
    assert "floating-point numbers; it has int64" in refusal(
        lambda o: o.array("a"), a=npy(np.arange(3))
    )
    assert "finite numbers" in refusal(lambda o: o.array("a"), a=npy(np.array([np.inf])))
    assert "announces shape (2, 3) and has" in refusal(lambda o: o.array("a"), a=array + b"more")
    assert "announces shape (2, 3) and has" in refusal(lambda o: o.array("a"), a=array[:-1])


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b"{}",
        b"[1]",
        b'{"format": "other", "version": 1}',
        b'{"format": "toy", "version": "1"}',
        b'{"format": "toy", "version": true}',
        b"\xff",
    ],
)
def test_headers_that_are_none_are_refused(refusal: Callable[..., str], header: bytes) -> None:
    refusal(lambda opened: opened.header("h", "toy", 1), h=header)


def test_a_later_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a.zip", h=b'{"format": "toy", "version": 3}')
    with (
        pytest.raises(InputError, match=r"toy file must have format version 2 or lower; got 3 in"),
        open_archive(path, "toy file", "toy") as opened,
    ):
        opened.header("h", "toy", 2)


def test_packings_that_others_use_are_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a.zip", zipfile.ZIP_LZMA, a=bytes(100))
    with (
        pytest.raises(InputError, match="a must be stored or deflated"),
        open_archive(path, "toy file", "toy"),
    ):
        pytest.fail("it was opened")


def test_a_flipped_bit_is_an_error_or_changes_nothing(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = archive_of(tmp_path / "a.zip", a=npy(ARRAY))
    whole = bytearray(path.read_bytes())
    for place in rng.integers(0, 8 * len(whole), 300):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        try:
            with open_archive(path, "toy file", "toy") as opened:
                np.testing.assert_array_equal(opened.array("a"), ARRAY)
        except InputError:
            pass
