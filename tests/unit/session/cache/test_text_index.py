"""Texts by row and by text, from files that are not read."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.session.cache.text_index import TextIndex, write_texts


def index(folder: Path, texts: list[str]) -> TextIndex:
    write_texts(folder, "ids", pl.Series(texts, dtype=pl.String))
    return TextIndex(folder, "ids")


@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_every_text_is_found_where_it_stands(tmp_path_factory, texts: list[str]) -> None:
    known = index(tmp_path_factory.mktemp("index"), texts)
    assert list(known) == texts
    assert len(known) == len(texts)
    for text in texts:
        rows = [row for row, other in enumerate(texts) if other == text]
        assert known.find(text) == rows[:2]
    absent = max(texts) + "x"
    assert known.find(absent) == []


def test_texts_that_no_file_can_hold_are_not_found(tmp_path: Path) -> None:
    assert index(tmp_path, ["a", "b"]).find("\ud800") == []


def test_an_index_whose_files_do_not_fit_is_refused(tmp_path: Path) -> None:
    index(tmp_path, ["a", "b"])
    (tmp_path / "ids.bytes").write_bytes(b"abc")
    with pytest.raises(ValueError, match="as many ends"):
        TextIndex(tmp_path, "ids")


def test_many_texts_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accuracy_assay.session.cache.text_index._TEXTS_PER_PART", 7)
    texts = [f"ü{i}" for i in range(50)]
    known = index(tmp_path, texts)
    assert list(known) == texts
    assert [known.find(text) for text in texts] == [[row] for row in range(50)]
