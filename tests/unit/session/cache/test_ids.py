"""Ids by row and by text, from a file that is not read."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.files.texts import find_text, text_positions
from accuracy_assay.session.cache.ids import KeptIds, write_ids

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ANY = st.one_of(TEXT, st.integers(), st.floats(allow_nan=False), st.booleans(), st.none())


def index(folder: Path, texts: list[str]) -> KeptIds:
    write_ids(folder / "ids", pl.Series(texts, dtype=pl.String))
    return KeptIds(folder / "ids")


@given(texts=st.lists(TEXT, unique=True))
def test_every_id_is_found_where_it_stands(tmp_path_factory: Any, texts: list[str]) -> None:
    known = index(tmp_path_factory.mktemp("index"), texts)
    assert list(known) == texts
    assert len(known) == len(known.rows) == len(texts)
    assert dict(known.rows) == {text: row for row, text in enumerate(texts)}
    assert [known[row] for row in range(len(texts))] == texts
    absent = max(texts, default="") + "x"
    assert absent not in known.rows
    assert known.rows.get(absent, -1) == -1
    assert known.find(absent) in (None, known.find_text(absent.strip()))


@given(texts=st.lists(TEXT, unique=True), values=st.lists(ANY))
def test_other_spellings_are_found_as_among_texts_in_memory(
    tmp_path_factory: Any, texts: list[str], values: list[Any]
) -> None:
    known, positions = index(tmp_path_factory.mktemp("index"), texts), text_positions(texts)
    for value in (*values, *(f" {text} " for text in texts), *(f"{text}.0" for text in texts)):
        if value != "" and value is not None:
            assert known.find(value) == find_text(value, positions), value


def test_some_of_them_are_taken_in_their_order(tmp_path: Path) -> None:
    known = index(tmp_path, [f"ü{i}" for i in range(50)])
    assert known[:3] == ("ü0", "ü1", "ü2")
    assert known[47:] == ("ü47", "ü48", "ü49")
    assert known[10:20:5] == ("ü10", "ü15")
    for row in (-1, 50):
        with pytest.raises(IndexError, match=f"below 50; got {row}"):
            known[row]


def test_texts_that_no_file_can_hold_are_not_found(tmp_path: Path) -> None:
    known = index(tmp_path, ["a", "b"])
    assert known.find("\ud800") is None
    assert "\ud800" not in known.rows


def test_a_file_that_is_no_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"abc" * 1000)
    sqlite3.connect(tmp_path / "empty").close()
    index(tmp_path, [f"x{i}" for i in range(10_000)])
    whole = (tmp_path / "ids").read_bytes()
    (tmp_path / "short").write_bytes(whole[: len(whole) // 2])
    for name in ("text", "empty", "short", "none"):
        with pytest.raises(sqlite3.Error):
            KeptIds(tmp_path / name)


def test_an_index_that_is_open_outlasts_its_deletion(tmp_path: Path) -> None:
    texts = [f"x{i}" for i in range(100_000)]
    known = index(tmp_path, texts)
    (tmp_path / "ids").unlink()
    assert [known.find(texts[row]) for row in range(0, 100_000, 1_000)] == list(
        range(0, 100_000, 1_000)
    )
    assert list(known) == texts


def test_threads_share_an_index(tmp_path: Path) -> None:
    texts = [f"x{i * 7 % 5003}" for i in range(5003)]
    known = index(tmp_path, texts)

    def look(start: int) -> bool:
        rows = range(start, len(texts), 8)
        return all(known[row] == texts[row] and known.find(texts[row]) == row for row in rows)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(look, range(8)))


def test_a_path_may_have_any_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%20 ü"
    folder.mkdir()
    assert list(index(folder, ["x"])) == ["x"]
