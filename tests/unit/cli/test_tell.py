import io
import json
from pathlib import Path

import polars as pl
import pytest


def test_answers_are_counted_once(assay, store: str) -> None:
    first = assay("tell", store, "x1=cat", "x2=dog", "--annotator", "ann", "--json")
    assert json.loads(first.out) == {"new": 2, "undone": [], "labels": 2}
    again = assay("tell", store, "x1=cat", "--annotator", "ann", "--json")
    assert json.loads(again.out) == {"new": 0, "undone": [], "labels": 2}


def test_a_contradiction_is_the_users_mistake(assay, store: str) -> None:
    assert assay("tell", store, "x1=cat", "--annotator", "ann").code == 0
    answer = assay("tell", store, "x1=dog", "--annotator", "ann")
    assert answer.code == 2
    assert "must stay 'cat'" in answer.err
    assert "--replace" in answer.err
    assert assay("tell", store, "x1=dog", "--annotator", "ann", "--replace").code == 0


def test_undo_skip_and_confirm(assay, store: str) -> None:
    assay("tell", store, "x1=cat", "--confirm", "sex=f")
    answer = assay("tell", store, "--undo", "--skip", "x2", "--json")
    assert json.loads(answer.out) == {"new": 0, "undone": ["x1"], "labels": 0}
    status = json.loads(assay("status", store, "--json").out)
    assert (status["labels"], status["skipped"], status["held"]) == (0, 1, 1)


def test_a_file_goes_out_and_comes_back(assay, store: str, folder: Path) -> None:
    assert assay("ask", store, 5, "--out", "tasks.csv").code == 0
    tasks = pl.read_csv(folder / "tasks.csv")
    tasks.with_columns(label=pl.lit("dog")).write_csv(folder / "tasks.csv")
    answer = assay("tell", store, "--file", "tasks.csv", "--annotator", "ann")
    assert answer.out.startswith("5 new answers; 5 instances labelled, 5 of a budget of 30")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "must have answers"),
        (("x1",), "must read id=label; got 'x1'"),
        (("x1=cta",), "got 'cta'. Did you mean 'cat'?"),
        (("x1=cat", "--confirm", "sex"), "must read attribute=value; got 'sex'"),
        (("--file", "none.csv"), "existing file; got 'none.csv'"),
    ],
)
def test_mistakes_are_named(assay, store: str, arguments: tuple[str, ...], message: str) -> None:
    answer = assay("tell", store, *arguments)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_people_are_told_what_was_taken_back(assay, store: str) -> None:
    assay("tell", store, "x1=cat")
    assert "took back the answer to x1" in assay("tell", store, "--undo").out


def test_a_file_of_tasks_is_told_as_whom_it_was_made_for(assay, store: str, folder: Path) -> None:
    assert assay("ask", store, 5, "--annotator", "ann", "--out", "tasks.csv").code == 0
    tasks = pl.read_csv(folder / "tasks.csv")
    tasks.with_columns(label=pl.lit("dog")).write_csv(folder / "tasks.csv")
    assert assay("tell", store, "--file", "tasks.csv").code == 0
    status = json.loads(assay("status", store, "--json").out)
    assert (status["annotators"], status["held"]) == ({"ann": 5}, 0)


def test_answers_come_from_the_standard_input(
    assay, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"id;label\nx1;Cat \nx2;dog\n"))
    monkeypatch.setattr("sys.stdin", typed)
    answer = assay("tell", store, "--file", "-", "--json")
    assert json.loads(answer.out)["new"] == 2


def test_a_name_with_stray_spaces_is_said_to_be_one_person(assay, store: str) -> None:
    answer = assay("tell", store, "x1=cat", "--annotator", "ann ")
    assert answer.code == 0
    assert "'ann ' is 'ann'" in answer.err
