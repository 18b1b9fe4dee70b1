"""OpenAI evals. Made from the recorder's published source; worked out by hand."""

from pathlib import Path
from typing import Any

from written_logs import openai_run, write_lines, write_openai_evals

from accuracy_assay.readers.openai_evals import OpenAIEvals

READER = OpenAIEvals()
SPEC = {"spec": {"completion_fns": ["m"], "eval_name": "e", "base_eval": "e", "run_id": "r"}}


def event(number: int, sample: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": number, "sample_id": sample, "type": kind, "data": data}


def read(folder: Path, *events: dict[str, Any]) -> Any:
    return READER.read([write_lines(folder / "log.jsonl", [SPEC, *events])])


def test_the_mean_of_matches_is_the_accuracy_of_the_report(tmp_path: Path) -> None:
    for path in write_openai_evals(tmp_path):
        model = path.name.split("_")[1]
        report = openai_run(model)[-1]["final_report"]["accuracy"]
        log = READER.read([path])
        assert log.rows.get_column(f"score:{model}:match").mean() == report


def test_what_was_picked_is_the_answer_and_what_was_sampled_if_nothing_was(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        event(0, "s1", "match", correct=True, expected="A", picked="A", sampled="A because"),
        event(1, "s2", "match", correct=False, expected=["A", "B"], picked=None, sampled="C"),
        event(2, "s3", "sampling", prompt="Q?", sampled=["D"]),
    )
    assert log.rows.get_column("pred:m").to_list() == ["A", "C", "D"]
    assert log.rows.get_column("target").to_list() == ["A", "A | B", None]
    assert log.rows.get_column("score:m:match").to_list() == [1.0, 0.0, None]


def test_several_matches_of_a_sample_are_epochs(tmp_path: Path) -> None:
    matches = [event(i, "s1", "match", correct=i < 2, expected="A") for i in range(3)]
    log = read(tmp_path, *matches, matches[0])
    assert log.cluster == "item"
    assert log.rows.get_column("score:m:match").to_list() == [1.0, 1.0, 0.0]


def test_what_a_grading_model_chose_is_a_judge(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        event(0, "s1", "sampling", prompt="Q?", sampled=["four"]),
        event(1, "s1", "sampling", prompt="Grade it", sampled=["B"]),
        event(2, "s1", "metrics", choice="B", score=0.5, choice_metascore=True),
    )
    row = log.rows.row(0, named=True)
    assert (row["pred:m"], row["prompt"]) == ("four", "Q?")
    assert (row["judge:m:choice"], row["judge:m:score"]) == ("B", 0.5)
    assert row["score:m:choice_metascore"] == 1.0


def test_metrics_in_range_are_scores_and_others_are_left_out(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        event(0, "s1", "metrics", f1_score=0.4, n_words=7),
        event(1, "s1", "error", type="Timeout"),
    )
    assert log.metrics == ("f1_score",)
    assert "score n_words" in log.left_out
    assert log.left_out["error events"].startswith("1 events")


def test_only_a_file_that_begins_with_a_spec_is_a_log(tmp_path: Path) -> None:
    assert READER.reads(write_lines(tmp_path / "a.jsonl", [SPEC]))
    table = write_lines(tmp_path / "b.jsonl", [{"sample_id": "s1", "type": "match", "data": {}}])
    assert not READER.reads(table)
    assert not READER.reads(write_lines(tmp_path / "c.jsonl", [{"spec": {"color": "red"}}]))
