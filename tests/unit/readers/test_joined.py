"""The last step of a reader."""

from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.joined import joined

PATHS = [Path(f"{i}.json") for i in range(5)]


def test_files_without_answers_are_named() -> None:
    with pytest.raises(
        InputError, match=r"must hold results; got 0\.json.* and 2 more, with none"
    ):
        joined([], PATHS, "results", {})


def test_answers_become_a_log() -> None:
    log = joined([Answer("m", "q", "4")], PATHS, "results", {"x": "why"})
    assert log.rows.get_column("pred:m").to_list() == ["4"]
    assert log.left_out == {"x": "why"}


def test_values_that_nothing_can_compare_are_refused_with_the_names_of_the_files() -> None:
    def endless() -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in range(100_000):
            value = {"a": value}
        return value

    answers = [Answer("m", "q", facts=endless()), Answer("n", "q", facts=endless())]
    with pytest.raises(InputError, match=r"got 0\.json.*recursion"):
        joined(answers, PATHS, "results", {})
