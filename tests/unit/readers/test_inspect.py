"""Logs of Inspect become rows: archives and JSON, grades, epochs, judges, unfinished runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from made_logs import (
    inspect_log,
    inspect_sample,
    write_eval,
    write_inspect_json,
    write_zstandard,
)

from accuracy_assay.errors import InputError
from accuracy_assay.readers import archives
from accuracy_assay.readers.inspect import InspectLogs

READER = InspectLogs()
GRADER = {"name": "model_graded_qa", "options": {"model": "acme/judge"}}
SAMPLES = [inspect_sample(n, {"match": "CIPN"[n]}) for n in range(4)]


def column(rows: Any, name: str) -> list[Any]:
    return list(rows.get_column(name).to_list())


def write_stored(path: Path, log: dict[str, Any]) -> Path:
    return write_eval(path, log, is_stored=True)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.eval", write_eval),
        ("a.eval", write_stored),
        ("a.eval", write_zstandard),
        ("a.json", write_inspect_json),
    ],
)
def test_every_form_of_a_log_reads_alike(
    tmp_path: Path, name: str, write: Callable[[Path, dict[str, Any]], Path]
) -> None:
    path = write(tmp_path / name, inspect_log(SAMPLES))
    assert READER.reads(path)
    log = READER.read([path])
    assert log.services == ("acme/large",)
    assert column(log.rows, "score:acme/large:match") == [1.0, 0.0, 0.5, 0.0]
    assert log.rows.row(2, named=True) == {
        "id": "2",
        "question": "Question 2?",
        "task": "quiz",
        "topic": "law",
        "about.year": 1999,
        "target": "truth 2",
        "pred:acme/large": "answer 2",
        "score:acme/large:match": 0.5,
    }
    assert not log.left_out


def test_epochs_are_a_cluster(tmp_path: Path) -> None:
    samples = [inspect_sample(n, {"match": "C"}, epoch) for n in (1, 2) for epoch in (1, 2)]
    log = READER.read([write_eval(tmp_path / "a.eval", inspect_log(samples))])
    assert log.cluster == "item"
    assert column(log.rows, "item") == ["1", "1", "2", "2"]


def test_models_join_by_sample_unless_its_question_differs(tmp_path: Path) -> None:
    other = [SAMPLES[0], SAMPLES[1] | {"input": "Another question?"}]
    paths = [
        write_eval(tmp_path / "a.eval", inspect_log(SAMPLES[:2], "a")),
        write_eval(tmp_path / "b.eval", inspect_log(other, "b")),
    ]
    log = READER.read(paths)
    assert column(log.rows, "id") == ["0", "1", "1.2"]
    assert column(log.rows, "score:b:match") == [1.0, None, 0.0]


def test_a_model_that_grades_is_a_judge_beside_another_score(tmp_path: Path) -> None:
    samples = [inspect_sample(n, {"match": "C", "model_graded_qa": "I"}) for n in (1, 2)]
    log = READER.read([write_eval(tmp_path / "a.eval", inspect_log(samples, scorers=[GRADER]))])
    assert list(log.by_service["acme/large"].scores) == ["match"]
    assert log.judges == ("judge:acme/large:model_graded_qa",)
    assert column(log.rows, log.judges[0]) == [0.0, 0.0]


def test_grades_of_a_model_are_the_score_where_there_is_no_other(tmp_path: Path) -> None:
    samples = [inspect_sample(n, {"model_graded_qa": "C"}) for n in (1, 2)]
    log = READER.read([write_eval(tmp_path / "a.eval", inspect_log(samples, scorers=[GRADER]))])
    assert log.scores == ("score:acme/large:model_graded_qa",)
    assert log.judges == ()
    assert log.left_out["a truth behind model_graded_qa"].startswith("acme/judge graded")


def test_a_scorer_that_keeps_what_it_asked_a_model_is_a_judge(tmp_path: Path) -> None:
    samples = [inspect_sample(n, {"match": "C", "tone": "I"}) for n in (1, 2)]
    for sample in samples:
        sample["scores"]["tone"]["metadata"] = {"grading": [{"role": "user", "content": "?"}]}
    log = READER.read([write_inspect_json(tmp_path / "a.json", inspect_log(samples))])
    assert log.judges == ("judge:acme/large:tone",)


def test_a_run_that_was_stopped_gives_what_is_there_and_says_so(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", inspect_log(SAMPLES, status="cancelled"))
    said = READER.read([path]).left_out["the rest of a.eval"]
    assert said == "the run has status 'cancelled': 4 of 100 samples are there"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:  # it never came to write its header
        start = inspect_log([])
        archive.writestr("_journal/start.json", json.dumps({"eval": start["eval"]}))
        archive.writestr("_journal/summaries/1.json", json.dumps(SAMPLES[:2]))
    log = READER.read([path])
    assert column(log.rows, "score:acme/large:match") == [1.0, 0.0]
    assert "status 'started'" in log.left_out["the rest of a.eval"]


def test_samples_that_ended_in_an_error_are_counted(tmp_path: Path) -> None:
    failed = inspect_sample(5, {}, error={"message": "no tokens left"}, output={})
    log = READER.read([write_inspect_json(tmp_path / "a.json", inspect_log([*SAMPLES, failed]))])
    assert log.left_out == {"scores in a.json": "1 samples ended in an error"}


def test_a_sample_in_parts_is_put_together(tmp_path: Path) -> None:
    path, log = tmp_path / "a.eval", inspect_log(SAMPLES[:1])
    shell = {k: v for k, v in SAMPLES[0].items() if k != "metadata"}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log | {"samples": []}))
        archive.writestr("samples/0_epoch_1/sample.json", json.dumps(shell))
        archive.writestr("samples/0_epoch_1/metadata.json", json.dumps({"topic": "sea"}))
        archive.writestr("samples/0_epoch_1/events/0.json", "[]")
    assert column(READER.read([path]).rows, "topic") == ["sea"]


def test_a_log_without_samples_is_refused_with_its_own_figures(tmp_path: Path) -> None:
    log = inspect_log([])
    log["results"]["scores"] = [{"name": "match", "metrics": {"accuracy": {"value": 0.431}}}]
    path = write_inspect_json(tmp_path / "a.json", log)
    with pytest.raises(InputError, match=r"got a\.json, which has none \(match accuracy 0\.431\)"):
        READER.read([path])
    whole = write_eval(tmp_path / "b.eval", inspect_log(SAMPLES))
    assert READER.read([path, whole]).left_out == {"a.json": "no samples"}


def test_a_sample_that_is_too_large_is_read_from_its_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = SAMPLES[0] | {"events": ["x" * 10_000]}
    path = write_eval(tmp_path / "a.eval", inspect_log([large, SAMPLES[1]]))
    monkeypatch.setattr(archives.Archive.json, "__defaults__", (5_000,))
    log = READER.read([path])
    assert sorted(column(log.rows, "id")) == ["0", "1"]
    assert log.left_out == {
        "transcripts of a.eval": "1 samples are too large; their summaries are read"
    }
