"""What is not known is named, with what is odd about it."""

from pathlib import Path

import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.study.look.unknown import has_parquet, unknown


def test_what_does_not_exist_is_said_to_be_missing(tmp_path: Path) -> None:
    assert "must exist" in unknown(str(tmp_path / "nothing"))


def test_files_of_a_folder_are_named_with_what_is_odd_about_them(tmp_path: Path) -> None:
    assert "The folder has no file." in unknown(str(tmp_path))
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.jsonl").write_text("{}", encoding="utf-16")
    (tmp_path / "notes.md").write_text("plain")
    said = unknown(str(tmp_path))
    assert "It holds a.jsonl (empty), deep/b.jsonl (UTF-16" in said
    assert "notes.md." in said
    assert "and others" not in said
    (tmp_path / "x.md").touch()
    assert "and others" in unknown(str(tmp_path))
    assert "It is empty." in unknown(str(tmp_path / "a.jsonl"))


def test_only_folders_may_lack_parquet(tmp_path: Path) -> None:
    assert not has_parquet(str(tmp_path))
    assert has_parquet(str(tmp_path / "rows.csv"))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.parquet").touch()
    assert has_parquet(str(tmp_path))


def test_python_says_what_the_command_says(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(InputError) as caught:
        aa.look(str(tmp_path))
    assert str(caught.value) == unknown(str(tmp_path))
