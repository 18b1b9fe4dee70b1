from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task_file import read_task

SPEC = """
rows = "calls.csv"
score = "correct"
signals = ["confidence"]

[[attribute]]
name = "age"
edges = [30, 60]

[[attribute]]
name = "line"
kind = "ordinal"
values = ["bad", "good"]

[[attribute]]
name = "accent"
evidence = "p_accent__*"

[[attribute]]
name = "word"
from_label = true
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    rows = pl.DataFrame(
        {
            "age": [25, 70, 44],
            "line": ["good", "bad", "good"],
            "accent": ["here", "there", "here"],
            "word": [1, 2, 1],
            "confidence": [0.9, 0.2, 0.5],
            "correct": [1, 0, 1],
            "p_accent__here": [0.8, 0.3, 0.6],
            "p_accent__there": [0.2, 0.7, 0.4],
        }
    )
    rows.write_csv(tmp_path / "calls.csv")
    path = tmp_path / "calls.toml"
    path.write_text(SPEC)
    return path


def test_columns_have_the_part_that_the_file_gives_them(spec: Path) -> None:
    task = read_task(spec)
    assert task.name == "calls"
    assert task.evidence == {"accent": "p_accent__*"}
    assert task.from_label == ("word",)
    assert task.signals == ("confidence",)
    age, line, accent, _ = task.columns.attributes
    assert (age.kind, age.values) == ("ordinal", ("< 30", "30 to 60", ">= 60"))
    assert (line.kind, line.values) == ("ordinal", ("bad", "good"))
    assert accent.kind == "categorical"
    assert task.rows["age"].to_list() == ["< 30", ">= 60", "30 to 60"]


def test_the_path_serves_as_a_name(spec: Path) -> None:
    assert load_task(str(spec)).name == str(spec)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('score = "correct"', "", "must have 'score'"),
        ('score = "correct"', 'socre = "correct"', "got 'socre'"),
        ('score = "correct"', 'score = "right"', "got 'right'"),
        ('name = "accent"', 'name = "dialect"', "got 'dialect'"),
        ("edges = [30, 60]", "edge = [30, 60]", "got 'edge'"),
        ('values = ["bad", "good"]', 'values = ["bad", "poor"]', "got 'good'"),
        ('rows = "calls.csv"', 'rows = "cells.csv"', "existing file"),
        ('rows = "calls.csv"', "rows = ", "must be TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(spec: Path, old: str, new: str, message: str) -> None:
    spec.write_text(SPEC.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        read_task(spec)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        load_task(str(tmp_path / "nowhere.toml"))
