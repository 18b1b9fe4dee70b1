"""Langfuse exports. Made from the published list of fields; worked out by hand."""

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from written_logs import (
    langfuse_observation,
    langfuse_score,
    write_document,
    write_langfuse,
    write_lines,
)

from accuracy_assay.errors import InputError
from accuracy_assay.readers.langfuse import LangfuseExports

READER = LangfuseExports()


def read(folder: Path, scores: list[Any], observations: list[Any] = []) -> Any:  # noqa: B006
    paths = [write_lines(folder / "scores.jsonl", scores)]
    if observations:
        paths.append(write_lines(folder / "observations.jsonl", observations))
    return READER.read(paths)


def test_people_score_evaluators_judge_and_programs_score(tmp_path: Path) -> None:
    scores = [
        langfuse_score("small-0", "right", 1, source="ANNOTATION", data_type="BOOLEAN"),
        langfuse_score("small-0", "fluent", 4.0, source="EVAL"),
        langfuse_score("small-0", "tone", 0, source="EVAL", data_type="CATEGORICAL",
                       string_value="warm"),
        langfuse_score("small-0", "valid", 0.25),
    ]  # fmt: skip
    log = read(tmp_path, scores, [langfuse_observation("small", 0)])
    row = log.rows.row(0, named=True)
    assert (row["score:small:right"], row["score:small:valid"]) == (1.0, 0.25)
    assert (row["judge:small:fluent"], row["judge:small:tone"]) == (4.0, "warm")
    assert row["input"].startswith("What is the number")
    assert row["topic"] == "art"


def test_two_people_are_two_metrics(tmp_path: Path) -> None:
    scores = [
        langfuse_score("small-0", "right", value, source="ANNOTATION", author_user_id=author)
        for author, value in (("ann", 1.0), ("ben", 0.0))
    ]
    log = read(tmp_path, scores, [langfuse_observation("small", 0)])
    assert log.rows.get_column("score:small:right by ann").to_list() == [1.0]
    assert log.rows.get_column("score:small:right by ben").to_list() == [0.0]


def test_people_whom_an_export_does_not_name_are_told_apart(tmp_path: Path) -> None:
    scores = [
        langfuse_score("small-0", "right", value, source="ANNOTATION", id=f"s{number}")
        for number, value in enumerate((1.0, 0.0, 0.0))
    ]
    for score in scores:
        score.pop("author_user_id", None)
    log = read(tmp_path, scores, [langfuse_observation("small", 0)])
    assert log.rows.get_column("score:small:right").to_list() == [0.0]
    assert len(log.by_service["small"].people["right"]) == 3


def test_categories_that_say_pass_or_fail_are_scores_and_others_are_left_out(
    tmp_path: Path,
) -> None:
    scores = [
        langfuse_score(f"small-{i}", name, i, source="ANNOTATION", data_type="CATEGORICAL",
                       string_value=label)
        for i, name, label in [
            (0, "ok", "Correct"), (1, "ok", "incorrect"), (0, "mood", "glad"), (1, "mood", "yes")
        ]
    ]  # fmt: skip
    log = read(tmp_path, scores, [langfuse_observation("small", i) for i in range(2)])
    assert log.rows.get_column("score:small:ok").to_list() == [1.0, 0.0]
    assert log.metrics == ("ok",)
    assert log.left_out["score mood"] == "categories without a value: glad"


def test_a_score_of_a_trace_is_about_its_only_model_and_its_own_texts(tmp_path: Path) -> None:
    trace = {
        "id": "trace-small-0",
        "timestamp": "2026-01-01",
        "name": "chat",
        "session_id": None,
        "user_id": None,
        "release": "r1",
        "bookmarked": False,
        "input": "Hi?",
        "output": "Hello",
    }
    child = {**langfuse_observation("small", 0), "parent_observation_id": "root", "metadata": {}}
    path = write_document(tmp_path / "traces.json", [trace])
    assert READER.reads(path)
    paths = [
        path,
        write_lines(tmp_path / "observations.jsonl", [child]),
        write_lines(
            tmp_path / "s.jsonl", [langfuse_score("small-0", "ok", 1, observation_id=None)]
        ),
    ]
    row = READER.read(paths).rows.row(0, named=True)
    assert (row["id"], row["input"], row["pred:small"]) == ("trace-small-0", "Hi?", "Hello")
    assert row["score:small:ok"] == 1.0
    assert row["release"] == "r1"


def test_scores_of_a_trace_and_of_its_only_generation_are_about_one_answer(tmp_path: Path) -> None:
    scores = [
        langfuse_score("small-0", "right", 1, source="ANNOTATION", observation_id=None),
        langfuse_score("small-0", "fluent", 4.0, source="EVAL"),
    ]
    one = langfuse_observation("small", 0)
    row = read(tmp_path, scores, [one]).rows.row(0, named=True)
    assert (row["score:small:right"], row["judge:small:fluent"]) == (1.0, 4.0)
    two = {**one, "id": "other", "metadata": {}}
    assert read(tmp_path, scores, [{**one, "metadata": {}}, two]).rows.height == 2


def test_of_two_versions_of_a_score_the_later_one_counts(tmp_path: Path) -> None:
    new = langfuse_score("small-0", "ok", 1.0, updated_at="2026-02-01 00:00:00.000000")
    old = langfuse_score("small-0", "ok", 0.0)
    for scores in ([new, old], [old, new]):
        log = read(tmp_path, scores, [langfuse_observation("small", 0)])
        assert log.rows.get_column("score:small:ok").to_list() == [1.0]


def test_models_that_were_asked_the_same_share_a_row_without_a_dataset(tmp_path: Path) -> None:
    both = [{**langfuse_observation(m, 0), "metadata": {}} for m in ("small", "large")]
    scores = [langfuse_score(f"{m}-0", "ok", x) for m, x in (("small", 0.0), ("large", 1.0))]
    log = read(tmp_path, scores, both)
    assert log.rows.select("score:small:ok", "score:large:ok").rows() == [(0.0, 1.0)]


def test_camel_case_and_gzip_read_alike(tmp_path: Path) -> None:
    names = {"trace_id": "traceId", "observation_id": "observationId", "data_type": "dataType",
             "string_value": "stringValue", "updated_at": "updatedAt"}  # fmt: skip
    score = langfuse_score("small-0", "ok", 0.5)
    camel = {names.get(name, name): value for name, value in score.items()}
    path = tmp_path / "scores.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(camel).encode()))
    assert READER.reads(path)
    log = READER.read([path])
    assert log.rows.get_column("score:model:ok").to_list() == [0.5]
    assert log.left_out["observations"] == "none in these files"


def test_metadata_in_parquet_may_be_a_map(tmp_path: Path) -> None:
    row = {**langfuse_observation("small", 0), "metadata": [{"key": "topic", "value": "law"}]}
    observations = tmp_path / "o.parquet"
    pl.DataFrame([row]).write_parquet(observations)
    scores = write_lines(tmp_path / "s.jsonl", [langfuse_score("small-0", "ok", 1.0)])
    log = READER.read([observations, scores])
    assert log.rows.get_column("topic").to_list() == ["law"]


def test_of_parquet_only_what_has_scores_is_read(tmp_path: Path) -> None:
    observations = tmp_path / "a.parquet"
    rows = [{**langfuse_observation("small", i), "metadata": ""} for i in range(3)]
    pl.DataFrame(rows).write_parquet(observations)
    scores = write_lines(tmp_path / "s.jsonl", [langfuse_score("small-1", "ok", 1.0)])
    log = READER.read([observations, scores])
    assert log.rows.get_column("id").to_list() == ["obs-small-1"]
    assert READER.read([observations]).rows.height == 3


def test_parquet_with_more_rows_than_bytes_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "endless.parquet"
    score = pl.DataFrame([langfuse_score("small-0", "ok", 1.0)])
    pl.concat([score] * 50_000).write_parquet(path)
    with pytest.raises(InputError, match=r"endless\.parquet: 50,000 rows in"):
        READER.read([path])


def test_parquet_of_scores_is_known_by_its_columns(tmp_path: Path) -> None:
    scores, observations = write_langfuse(tmp_path)
    assert READER.reads(scores)
    assert READER.reads(observations)
    table = tmp_path / "scores.parquet"
    pl.DataFrame({"id": [1], "name": ["a"], "value": [0.5], "source": ["x"]}).write_parquet(table)
    assert not READER.reads(table)


def test_scores_of_sessions_and_free_text_are_left_out_and_counted(tmp_path: Path) -> None:
    scores = [
        langfuse_score("small-0", "ok", 1.0),
        langfuse_score("small-0", "note", 0, data_type="TEXT", string_value="fine"),
        {**langfuse_score("x", "ok", 1.0), "trace_id": None, "observation_id": None},
    ]
    log = read(tmp_path, scores)
    assert log.left_out["score note"] == "of type TEXT"
    assert log.left_out["scores of sessions and runs"].startswith("1 scores")
    assert log.rows.height == 1
