"""A batch goes out to a tool and its answers come back: all of them, or none."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import ConflictError, InputError, UnknownNameError


def answered(path: Path, answers: dict[str, str]) -> None:
    """Fill in tasks as each tool would."""
    if path.suffix == ".csv":
        frame = pl.read_csv(path, infer_schema=False)
        frame.with_columns(label=pl.col("id").replace_strict(answers)).write_csv(path)
    elif path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        told = [line | {"label": answers[line["id"]]} for line in lines]
        path.write_text("\n".join(map(json.dumps, told)))
    else:
        tasks = json.loads(path.read_text())
        for number, task in enumerate(tasks):
            value = {"choices": [answers[task["data"]["assay_id"]]]}
            result = {"from_name": "label", "to_name": "shown", "type": "choices", "value": value}
            task |= {"id": number, "annotations": [{"result": [result], "completed_by": 3}]}
        path.write_text(json.dumps(tasks))


@pytest.mark.parametrize("name", ["tasks.csv", "tasks.jsonl", "tasks.json"])
def test_a_round_trip_records_every_answer(bench, tmp_path: Path, name: str) -> None:
    assay = bench.create()
    batch = assay.ask(6, annotator="3")
    assay.write_tasks(batch, tmp_path / name)
    assert "prediction" not in (tmp_path / name).read_text()
    answers = dict(zip(batch["id"], bench.truth(batch["id"]), strict=True))
    answered(tmp_path / name, answers)
    assert assay.tell_file(tmp_path / name, annotator="3") == 6
    assert dict(assay.labels().select("id", "label").iter_rows()) == answers
    assert assay.status().held == 0
    assert assay.tell_file(tmp_path / name, annotator="3") == 0


def test_predictions_are_shown_only_when_asked_for(bench, tmp_path: Path) -> None:
    assay = bench.create()
    assay.write_tasks(assay.ask(2), tmp_path / "tasks.json", show_predictions=True)
    task = json.loads((tmp_path / "tasks.json").read_text())[0]
    assert [p["model_version"] for p in task["predictions"]] == ["good", "bad"]


def lines(*answers: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, answers))


def test_one_bad_answer_in_a_file_records_none(bench, tmp_path: Path) -> None:
    assay = bench.create()
    path = tmp_path / "told.jsonl"
    good = {"id": "x1", "label": "cat", "annotator": "ann"}
    for bad in ({"id": "x2", "label": "cta"}, {"id": "nope", "label": "cat"}):
        path.write_text(lines(good, bad | {"annotator": "bob"}))
        with pytest.raises(InputError, match=r"x2|nope"):
            assay.tell_file(path)
    path.write_text(lines(good, good | {"label": "dog"}))
    with pytest.raises(ConflictError, match="'ann' to instance 'x1' must agree"):
        assay.tell_file(path)
    assert assay.status().events == 1


def test_several_annotators_in_one_file_are_kept_apart(bench, tmp_path: Path) -> None:
    assay = bench.create()
    path = tmp_path / "told.jsonl"
    path.write_text(
        lines(
            {"id": "x1", "label": "cat", "annotator": "ann", "attributes": {"sex": "f"}},
            {"id": "x1", "label": "dog", "annotator": "bob"},
            {"id": "x2", "skipped": True, "annotator": "bob"},
            {"id": "x3", "label": "dog"},
        )
    )
    assert assay.tell_file(path, annotator="cem") == 3
    assert assay.status().annotators == {"ann": 1, "bob": 1, "cem": 1}
    assert assay.status().skipped == 1
    assert assay.status().disputed == 1
    events = assay.status().events
    assert assay.tell_file(path, annotator="cem") == 0
    assert assay.status().events == events


def test_an_unknown_tool_or_ending_is_named(bench, tmp_path: Path) -> None:
    assay = bench.create()
    with pytest.raises(UnknownNameError, match=r"file type of told\.xlsx .* got '\.xlsx'"):
        assay.tell_file(tmp_path / "told.xlsx")
    with pytest.raises(UnknownNameError, match=r"labelling tool .* got 'labelstudio'"):
        assay.tell_file(tmp_path / "told.json", format="labelstudio")


@pytest.mark.parametrize("name", ["tasks.csv", "tasks.jsonl", "tasks.json"])
def test_a_file_of_tasks_remembers_whom_it_was_made_for(bench, tmp_path: Path, name: str) -> None:
    assay = bench.create()
    batch = assay.ask(3, annotator="ann")
    assay.write_tasks(batch, tmp_path / name, annotator="ann")
    answered(tmp_path / name, dict(zip(batch["id"], bench.truth(batch["id"]), strict=True)))
    if name == "tasks.json":  # as a tool exports it that knows no one
        tasks = json.loads((tmp_path / name).read_text())
        for task in tasks:
            task["annotations"][0].pop("completed_by")
        (tmp_path / name).write_text(json.dumps(tasks))
    assert assay.tell_file(tmp_path / name) == 3
    assert assay.status().annotators == {"ann": 3}
    assert assay.status().held == 0


def test_every_bad_answer_of_a_file_is_named(bench, tmp_path: Path) -> None:
    assay = bench.create()
    path = tmp_path / "told.csv"
    path.write_text("id,label\nx1,cta\nx2,cat\nnope,dog\n")
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*'x1'.*'cta'.*\n.*'nope'"):
        assay.tell_file(path)
    path.write_text("id,label\nx1,cat\nx1,dog\nx2,cat\nx2,dog\n")
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*'x1' must agree.*\n.*'x2' must"):
        assay.tell_file(path)
    assert assay.status().events == 1


def test_the_same_answer_twice_in_a_file_is_one(bench, tmp_path: Path) -> None:
    path = tmp_path / "told.csv"
    path.write_text("id,label\nx1,cat\nx1,cat\n")
    assert bench.create().tell_file(path) == 1
