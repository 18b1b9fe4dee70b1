"""OpenTelemetry. Made from the semantic conventions and OTLP's JSON; worked out by hand."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from written_logs import otlp_attributes, write_document, write_lines

from accuracy_assay.errors import InputError
from accuracy_assay.readers.opentelemetry import OpenTelemetryEvents

READER = OpenTelemetryEvents()
EVENT = "gen_ai.evaluation.result"


def result(response: str | None, name: str = "Correct", **score: Any) -> dict[str, Any]:
    values = {f"gen_ai.evaluation.score.{key}": value for key, value in score.items()}
    about = {"gen_ai.response.id": response, "gen_ai.request.model": "m"} if response else {}
    return {"gen_ai.evaluation.name": name, **about, **values}


def logs(*results: dict[str, Any], **record: Any) -> dict[str, Any]:
    records = [
        {"eventName": EVENT, "attributes": otlp_attributes(values), **record} for values in results
    ]
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def test_logs_of_otlp_in_one_document_or_in_lines_read_alike(tmp_path: Path) -> None:
    one, two = result("r1", value=1.0), result("r2", value=0.25)
    document = write_document(tmp_path / "a.json", logs(one, two))
    lines = write_lines(tmp_path / "b.json", [logs(one), logs(two)])
    records = write_lines(
        tmp_path / "c.jsonl", [{"event_name": EVENT, "attributes": each} for each in (one, two)]
    )
    for path in (document, lines, records):
        assert READER.reads(path)
        log = READER.read([path])
        assert log.rows.get_column("id").to_list() == ["r1", "r2"]
        assert log.rows.get_column("score:m:Correct").to_list() == [1.0, 0.25]


def test_a_label_that_says_pass_or_fail_decides_over_the_value(tmp_path: Path) -> None:
    events = logs(result("r1", value=1.0, label="fail"), result("r2", value=0.0, label="Pass"))
    log = READER.read([write_document(tmp_path / "a.json", events)])
    assert log.rows.get_column("score:m:Correct").to_list() == [0.0, 1.0]


def test_an_evaluation_on_another_scale_or_in_words_is_a_judge(tmp_path: Path) -> None:
    events = logs(
        result("r1", "Relevance", value=1.0),
        result("r2", "Relevance", value=4.0),
        result("r1", "Tone", label="warm"),
    )
    log = READER.read([write_document(tmp_path / "a.json", events)])
    assert log.scores == ()
    assert log.rows.get_column("judge:m:Relevance").to_list() == [1.0, 4.0]
    assert log.rows.get_column("judge:m:Tone").to_list() == ["warm", None]


def test_a_span_gives_its_results_model_texts_and_facts(tmp_path: Path) -> None:
    message = [{"role": "user", "parts": [{"type": "text", "content": "2 + 2?"}]}]
    span = {
        "traceId": "0af7",
        "spanId": "b7ad",
        "attributes": otlp_attributes(
            {
                "gen_ai.response.model": "m-1",
                "gen_ai.input.messages": json.dumps(message),
                "gen_ai.output.messages": "4",
                "gen_ai.usage.input_tokens": 7,
                "topic": "sums",
            }
        ),
        "events": [],
    }
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    events = logs(result(None, value=1.0), traceId="0af7", spanId="b7ad")
    log = READER.read([write_lines(tmp_path / "a.jsonl", [events, spans])])
    row = log.rows.row(0, named=True)
    assert (row["id"], row["input"], row["pred:m-1"]) == ("0af7/b7ad", "2 + 2?", "4")
    assert (row["topic"], row["gen_ai.usage.input_tokens"]) == ("sums", 7)
    assert row["score:m-1:Correct"] == 1.0


def test_results_without_a_response_are_counted(tmp_path: Path) -> None:
    events = logs(result(None, value=1.0), result("r1", value=1.0))
    log = READER.read([write_document(tmp_path / "a.json", events)])
    assert log.rows.height == 1
    assert log.left_out["results without a response"].startswith("1 with no response")


def test_the_last_of_two_results_of_one_evaluation_counts(tmp_path: Path) -> None:
    events = logs(result("r1", value=0.0), result("r1", value=1.0))
    log = READER.read([write_document(tmp_path / "a.json", events)])
    assert log.rows.get_column("score:m:Correct").to_list() == [1.0]


def test_telemetry_without_evaluations_is_refused_by_its_name(tmp_path: Path) -> None:
    path = write_document(tmp_path / "a.json", {"resourceLogs": []})
    with pytest.raises(
        InputError, match=r"must hold gen_ai.evaluation.result events; got .*a\.json"
    ):
        READER.read([path])


def test_a_result_about_a_trace_has_the_model_and_texts_of_its_first_call(tmp_path: Path) -> None:
    said = {"gen_ai.request.model": "m", "gen_ai.input.messages": "2 + 2?"}
    said |= {"gen_ai.output.messages": "4"}
    root = {"traceId": "t1", "spanId": "s0", "attributes": []}
    call = {"traceId": "t1", "spanId": "s1", "attributes": otlp_attributes(said)}
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [root, call]}]}]}
    about = [
        logs(result(None, value=1.0), traceId="t1"),
        logs(result(None, value=0.0), traceId="t2"),
    ]
    rows = READER.read([write_lines(tmp_path / "a.jsonl", [*about, spans])]).rows
    first = rows.row(by_predicate=pl.col("id") == "t1/", named=True)
    assert (first["input"], first["pred:m"], first["score:m:Correct"]) == ("2 + 2?", "4", 1.0)
    assert rows.height == 2


def test_a_result_about_a_conversation_alone_is_kept(tmp_path: Path) -> None:
    values = result(None, value=0.75) | {"session.id": "c1"}
    lines = [{"name": EVENT, "traceId": "0" * 32, "attributes": values}]
    rows = READER.read([write_lines(tmp_path / "a.jsonl", lines)]).rows
    assert rows.select("id", "score:model:Correct").rows() == [("c1", 0.75)]
