"""Every Eval Ever. Made from its published schemas, version 0.3; worked out by hand."""

from pathlib import Path
from typing import Any

import pytest
from written_logs import write_document, write_every_eval_ever, write_lines

from accuracy_assay.errors import InputError
from accuracy_assay.readers.every_eval_ever import EveryEvalEver

READER = EveryEvalEver()


def sample(name: str, score: float, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "run",
        "model_id": "acme/small",
        "evaluation_name": "sums",
        "evaluation_result_id": "sums",
        "sample_id": name,
        "input": {"raw": f"{name}?", "reference": ["4", "four"]},
        "output": {"raw": ["It is 4."]},
        "answer_attribution": [{"extracted_value": "4", "is_terminal": True}],
        "evaluation": {"score": score, "is_correct": score > 1},
        **more,
    }


def record(**config: Any) -> dict[str, Any]:
    result = {"evaluation_result_id": "sums", "metric_config": config}
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "run",
        "model_info": {},
        "evaluation_results": [result],
    }


def write(folder: Path, samples: list[Any], **config: Any) -> Path:
    write_document(folder / "a.json", record(**config))
    return write_lines(folder / "a_samples.jsonl", samples)


def test_a_record_beside_the_samples_says_what_their_scores_mean(tmp_path: Path) -> None:
    samples = [sample("q1", 3.0), sample("q2", 1.0)]
    path = write(tmp_path, samples, metric_name="grade", min_score=1.0, max_score=5.0)
    for named in (path, tmp_path / "a.json"):
        log = READER.read([named])
        assert log.metrics == ("grade", "grade (is_correct)")
        assert log.rows.get_column("score:acme/small:grade").to_list() == [0.5, 0.0]
        assert log.rows.get_column("score:acme/small:grade (is_correct)").to_list() == [1.0, 0.0]


def test_a_metric_that_is_better_when_low_is_left_out_for_whether_it_is_correct(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, [sample("q1", 0.5)], metric_name="error", lower_is_better=True)
    log = READER.read([path])
    assert log.metrics == ("error (is_correct)",)
    assert log.left_out["score error"] == "less of it is better"


def test_scores_of_a_model_are_judges(tmp_path: Path) -> None:
    path = write(tmp_path, [sample("q1", 0.7)], metric_name="rubric", llm_scoring={"judges": [1]})
    log = READER.read([path])
    assert log.scores == ()
    assert log.rows.get_column("judge:acme/small:rubric").to_list() == [0.7]


def test_the_extracted_value_is_the_answer_and_all_references_are_the_truth(
    tmp_path: Path,
) -> None:
    plain = sample("q2", 1.0, answer_attribution=[])
    chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "five"}]
    turns = sample("q3", 1.0, answer_attribution=[], output=None, messages=chat)
    log = READER.read([write(tmp_path, [sample("q1", 1.0), plain, turns])])
    assert log.rows.get_column("pred:acme/small").to_list() == ["4", "It is 4.", "five"]
    assert log.rows.get_column("target").to_list() == ["4 | four"] * 3


def test_metrics_on_several_lines_are_one_row(tmp_path: Path) -> None:
    other = sample("q1", 0.25, evaluation_result_id="f1", evaluation_name="f1")
    log = READER.read([write(tmp_path, [sample("q1", 1.0), other], metric_name="exact")])
    assert log.rows.height == 1
    assert log.rows.get_column("score:acme/small:exact").to_list() == [1.0]
    assert log.rows.get_column("score:acme/small:f1").to_list() == [0.25]


def test_repeats_are_epochs_and_copies_of_a_line_are_not(tmp_path: Path) -> None:
    first, second = sample("q1", 1.0), sample("q1", 0.0, performance={"latency_ms": 3})
    log = READER.read([write(tmp_path, [first, second, first], metric_name="exact")])
    assert log.cluster == "item"
    assert log.rows.get_column("score:acme/small:exact").to_list() == [1.0, 0.0]


def test_a_record_alone_is_refused_by_its_name(tmp_path: Path) -> None:
    path = write_document(tmp_path / "a.json", record())
    assert READER.reads(path)
    with pytest.raises(InputError, match=r"must hold samples .*a\.json, with none"):
        READER.read([path])


def test_half_a_line_is_left_out_and_counted(tmp_path: Path) -> None:
    path = write_every_eval_ever(tmp_path)[1]
    path.write_bytes(path.read_bytes()[:-20])
    log = READER.read([path])
    assert log.rows.height == 23
    assert log.left_out["small_samples.jsonl: not JSON"] == "1 lines"


def test_samples_that_do_not_add_up_to_the_record_are_said(tmp_path: Path) -> None:
    whole = write_every_eval_ever(tmp_path)
    assert READER.read(whole).left_out == {}
    lines = whole[1].read_text(encoding="utf-8").splitlines()
    whole[1].write_text(lines[0], encoding="utf-8")
    said = READER.read([whole[1]]).left_out
    assert said == {"samples of counting": "the record reports 0.333333, its samples average 1"}


def test_a_letter_becomes_the_choice_if_the_truth_is_written_out(tmp_path: Path) -> None:
    def asked(reference: str) -> dict[str, Any]:
        return {"raw": f"{reference}?", "reference": [reference], "choices": ["red", "blue"]}

    attribution = [{"extracted_value": "B", "is_terminal": True}]
    samples = [
        sample(truth, 1.0, input=asked(truth), answer_attribution=attribution)
        for truth in ("blue", "B")
    ]
    log = READER.read([write(tmp_path, samples)])
    assert log.rows.get_column("pred:acme/small").to_list() == ["blue", "B"]
