"""What the formats share: whole files, texts and times."""

from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.labelers.files import read_text, seconds_of, write_tasks


def test_what_was_written_is_read_and_half_a_character_does_not_lose_the_tasks(
    tmp_path: Path,
) -> None:
    write_tasks(tmp_path / "t", "é \ud800\r\n")
    assert read_text(tmp_path / "t") == "é ?\r\n"
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"file of tasks must go to an existing folder; got '.*no'"
    ):
        write_tasks(tmp_path / "no" / "tasks.csv", "")


def test_answers_that_are_no_text_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"answers must be an existing file; got '.*none'"):
        read_text(tmp_path / "none")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"answers must be UTF-8 text; got '.*latin'"):
        read_text(tmp_path / "latin")


@pytest.mark.parametrize(("value", "seconds"), [(None, None), ("", None), ("2.5", 2.5), (0, 0.0)])
def test_a_time_is_a_number_of_seconds_or_not_known(value: object, seconds: float | None) -> None:
    assert seconds_of(value, "row 1") == seconds


@pytest.mark.parametrize("value", ["long", -1.0, float("inf"), float("nan"), [], 10**400])
def test_what_is_no_time_is_refused_with_its_place(value: object) -> None:
    with pytest.raises(InputError, match="time of row 3 must be a number of seconds; got"):
        seconds_of(value, "row 3")
