"""promptfoo. Made from its published types, versions 2 and 3; worked out by hand."""

from pathlib import Path
from typing import Any

import pytest
from written_logs import (
    promptfoo_document,
    promptfoo_result,
    write_document,
    write_lines,
)

from accuracy_assay.readers.promptfoo import Promptfoo

READER = Promptfoo()


def graded(*parts: tuple[dict[str, Any], float]) -> dict[str, Any]:
    listed = [{"pass": s > 0.5, "score": s, "assertion": assertion} for assertion, s in parts]
    return {"pass": True, "score": 1.0, "componentResults": listed}


def result(**more: Any) -> dict[str, Any]:
    return {**promptfoo_result("small", 0), **more}


def write(folder: Path, *results: dict[str, Any], version: int = 3) -> Path:
    return write_document(folder / "out.json", promptfoo_document(version, list(results)))


@pytest.mark.parametrize("version", [2, 3])
def test_versions_2_and_3_read_alike(tmp_path: Path, version: int) -> None:
    results = [promptfoo_result(model, i) for i in range(3) for model in ("small", "large")]
    path = write(tmp_path, *results, version=version)
    assert READER.reads(path)
    log = READER.read([path])
    assert log.services == ("acme:small", "acme:large")
    assert log.rows.get_column("score:acme:small:pass").to_list() == [1.0, 0.0, 0.0]
    assert log.rows.get_column("target").to_list() == ["1", "2", "3"]
    assert log.attributes == {"topic": 2}
    assert log.texts == ("question",)


def test_a_summary_alone_and_lines_of_results_read_as_well(tmp_path: Path) -> None:
    whole = promptfoo_document(3, [result()])
    summary = write_document(tmp_path / "summary.json", whole["results"])
    lines = write_lines(tmp_path / "out.jsonl", [result()])
    expected = READER.read([write(tmp_path, result())]).rows
    for path in (summary, lines):
        assert READER.reads(path)
        assert READER.read([path]).rows.equals(expected)


def test_a_document_is_known_in_whatever_order_its_members_come(tmp_path: Path) -> None:
    expected = READER.read([write(tmp_path, result())]).rows
    config = {"providers": ["acme:small"], "prompts": ["{{q}}"], "description": "x" * 20_000}
    rest = {k: v for k, v in promptfoo_document(3, [result()]).items() if k != "config"}
    by_name = dict(sorted({**rest, "results": dict(sorted(rest["results"].items()))}.items()))
    longer = config | {"description": "x" * 5_000_000}
    documents = [{"config": config, **rest}, {"config": config, **by_name}]
    for k, document in enumerate([*documents, {"config": longer, **rest}]):
        path = write_document(tmp_path / f"{k}.json", document)
        assert READER.reads(path)
        assert READER.read([path]).rows.equals(expected)


def test_another_document_with_a_config_is_not_taken_for_one(tmp_path: Path) -> None:
    other = {"config": {"model": "m", "x": "y" * 20_000}, "results": {"arc": {"acc": 0.5}}}
    assert not READER.reads(write_document(tmp_path / "other.json", other))


def test_what_a_model_graded_is_a_judge_and_other_assertions_are_scores(tmp_path: Path) -> None:
    one = result(
        gradingResult=graded(
            ({"type": "contains", "value": "1"}, 1.0),
            ({"type": "contains", "value": "2"}, 0.0),
            ({"type": "llm-rubric", "value": "Polite"}, 0.25),
            ({"type": "not-g-eval", "value": "Rude", "metric": "rude"}, 0.75),
        )
    )
    log = READER.read([write(tmp_path, one)])
    assert log.metrics == ("pass", "contains")
    assert log.rows.get_column("score:acme:small:contains").to_list() == [0.5]
    assert log.rows.get_column("judge:acme:small:llm-rubric").to_list() == [0.25]
    assert log.rows.get_column("judge:acme:small:rude").to_list() == [0.75]


def test_a_set_of_assertions_counts_by_its_parts(tmp_path: Path) -> None:
    inner = graded(({"type": "is-json"}, 0.0), ({"type": "factuality"}, 1.0))
    one = result(gradingResult={"componentResults": [inner]})
    log = READER.read([write(tmp_path, one)])
    assert log.metrics == ("pass", "is-json")
    assert log.judges == ("judge:acme:small:factuality",)


def test_a_log_that_only_models_graded_says_so(tmp_path: Path) -> None:
    one = result(gradingResult=graded(({"type": "llm-rubric", "value": "Polite"}, 1.0)))
    assertion = ({"type": "contains", "value": "1"}, 1.0)
    log = READER.read([write(tmp_path, one, result(testIdx=1, gradingResult=graded(assertion)))])
    assert log.left_out["truth"] == "pass is the verdict of llm-rubric alone in 1 of 2 results"


def test_repeats_of_a_test_are_epochs_even_if_the_answers_are_alike(tmp_path: Path) -> None:
    again = [result(testIdx=i, success=i < 2) for i in range(3)]
    log = READER.read([write(tmp_path, *again)])
    assert log.cluster == "item"
    assert log.rows.get_column("score:acme:small:pass").to_list() == [1.0, 1.0, 0.0]


def test_a_provider_with_two_prompts_is_two_services(tmp_path: Path) -> None:
    prompts = [
        result(promptIdx=i, prompt={"raw": "?", "label": label})
        for i, label in enumerate(["short", "long"])
    ]
    log = READER.read([write(tmp_path, *prompts)])
    assert log.services == ("acme:small, short", "acme:small, long")


def test_prompts_without_a_number_are_told_apart_by_their_labels(tmp_path: Path) -> None:
    prompts = [result(prompt={"raw": "?", "label": label}) for label in ("x" * 50, "x" * 51)]
    for one in prompts:
        del one["promptIdx"], one["testIdx"]
        one["provider"] = "acme:small"
    log = READER.read([write(tmp_path, *prompts, version=2)])
    assert log.services == ("acme:small, prompt 0", "acme:small, prompt 1")
    assert log.rows.height == 1


def test_a_provider_that_failed_did_not_pass_and_is_counted(tmp_path: Path) -> None:
    failed = result(success=False, failureReason=2, response=None, gradingResult=None)
    log = READER.read([write(tmp_path, failed)])
    assert log.rows.get_column("score:acme:small:pass").to_list() == [0.0]
    assert log.left_out["answers of providers that failed"].startswith("1 results")


def test_a_score_outside_0_to_1_is_left_out(tmp_path: Path) -> None:
    log = READER.read([write(tmp_path, result(score=7.0))])
    assert "score score" in log.left_out
    assert log.metrics == ("pass",)


def test_named_scores_of_a_script_are_scores_and_those_of_assertions_are_read_once(
    tmp_path: Path,
) -> None:
    assertion = {"type": "python", "metric": "whole", "value": "file://x.py"}
    named = {"whole": 1.5, "tone": 0.25, "llm-rubric": 0.5}
    log = READER.read(
        [write(tmp_path, result(gradingResult=graded((assertion, 0.75)), namedScores=named))]
    )
    row = log.rows.row(0, named=True)
    assert (row["score:acme:small:whole"], row["score:acme:small:tone"]) == (0.75, 0.25)
    assert row["judge:acme:small:llm-rubric"] == 0.5
