"""Samples of lm-evaluation-harness become rows: metrics, filters, choices, models, tasks."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from made_logs import DATE, lm_eval_choice, lm_eval_text, write_lm_eval

from accuracy_assay.errors import InputError
from accuracy_assay.readers import unpacking
from accuracy_assay.readers.lm_eval import LmEvalLogs

READER = LmEvalLogs()


def column(rows: Any, name: str) -> list[Any]:
    return list(rows.get_column(name).to_list())


def test_written_answers_are_read_with_what_was_asked(tmp_path: Path) -> None:
    lines = [lm_eval_text(1, "2", "2", 1.0), lm_eval_text(2, "5", "4", 0.0)]
    log = READER.read([write_lm_eval(tmp_path, "acme/large", "sums", lines)])
    assert log.services == ("acme/large",)
    assert (log.scores, log.predictions) == (
        ("score:acme/large:exact_match",),
        ("pred:acme/large",),
    )
    assert log.rows.row(1, named=True) == {
        "id": f"{2:064x}",
        "question": "What is 2 + 2?",
        "task": "sums",
        "level": "Level 0",
        "tags": "sum, short",
        "target": "4",
        "pred:acme/large": "5",
        "score:acme/large:exact_match": 0.0,
    }


def test_logs_of_versions_without_hashes_join_with_later_ones(tmp_path: Path) -> None:
    later = [lm_eval_text(n, "x", "x", 1.0) for n in (1, 2)]
    for line in later:  # as lm-evaluation-harness hashes since 0.4.3
        whole = json.dumps(line["doc"], indent=2, ensure_ascii=False)
        line["doc_hash"] = hashlib.sha256(whole.encode()).hexdigest()
    known_later = ("doc_hash", "prompt_hash", "target_hash", "metrics", "filter")
    earlier = [{k: v for k, v in line.items() if k not in known_later} for line in later]
    paths = [write_lm_eval(tmp_path, *of) for of in (("a", "t", earlier), ("b", "t", later))]
    log = READER.read(paths)
    assert log.rows.height == 2
    assert len(log.services) == 2


def test_models_join_by_the_hash_of_the_document(tmp_path: Path) -> None:
    one = write_lm_eval(tmp_path, "a", "t", [lm_eval_text(n, "x", "x", 1.0) for n in (1, 2)])
    two = write_lm_eval(tmp_path, "b", "t", [lm_eval_text(n, "y", "x", 0.0) for n in (2, 3)])
    log = READER.read([two, one])
    assert log.services == ("a", "b")
    assert column(log.rows, "score:a:exact_match") == [1.0, 1.0, None]
    assert column(log.rows, "score:b:exact_match") == [None, 0.0, 0.0]


def test_filters_are_metrics_where_a_task_has_several(tmp_path: Path) -> None:
    lines = [
        lm_eval_text(n, said, "1", score, filter=name)
        for name, said, score in (("strict-match", "?", 0.0), ("flexible-extract", "1", 1.0))
        for n in (1, 2)
    ]
    both = READER.read([write_lm_eval(tmp_path / "both", "m", "t", lines)])
    assert list(both.by_service["m"].scores) == [
        "exact_match,strict-match",
        "exact_match,flexible-extract",
    ]
    assert column(both.rows, "pred:m") == ["?", "?"]
    one = READER.read([write_lm_eval(tmp_path / "one", "m", "t", lines[:2])])
    assert list(one.by_service["m"].scores) == ["exact_match"]


def test_a_log_without_the_filters_numbers_what_differs(tmp_path: Path) -> None:
    lines = [lm_eval_text(n, "1", "1", 1.0) for n in (1, 2)]
    lines += [lm_eval_text(1, "1", "1", 1.0), lm_eval_text(2, "7", "1", 0.0)]
    for line in lines:
        del line["filter"]
    log = READER.read([write_lm_eval(tmp_path, "m", "t", lines)])
    assert column(log.rows, "score:m:exact_match") == [1.0, 1.0]
    assert column(log.rows, "score:m:exact_match.2") == [1.0, 0.0]


def test_a_file_that_was_appended_to_counts_once(tmp_path: Path) -> None:
    lines = [lm_eval_text(n, "1", "1", float(n % 2)) for n in range(4)]
    log = READER.read([write_lm_eval(tmp_path, "m", "t", [*lines, *lines])])
    assert (log.rows.height, log.scores) == (4, ("score:m:exact_match",))


def test_a_document_that_a_task_has_twice_stays_two_items(tmp_path: Path) -> None:
    line = lm_eval_text(1, "1", "1", 1.0)
    log = READER.read([write_lm_eval(tmp_path, "m", "t", [line, line | {"doc_id": 9}])])
    assert column(log.rows, "id") == [f"{1:064x}", f"{1:064x}.2"]


def test_metrics_without_a_list_are_the_numbers_that_are_no_known_field(tmp_path: Path) -> None:
    line = lm_eval_choice(0, [-2.0, -1.0], "1", 1.0, acc_norm=0.0, brier_score=[1, [0.2, 0.8]])
    log = READER.read([write_lm_eval(tmp_path, "m", "t", [line])])
    assert list(log.by_service["m"].scores) == ["acc", "acc_norm"]
    assert log.left_out == {"score brier_score": "several values per document"}


def test_several_tasks_are_told_apart(tmp_path: Path) -> None:
    paths = [
        write_lm_eval(tmp_path, "m", "sums", [lm_eval_text(1, "2", "2", 1.0)]),
        write_lm_eval(tmp_path, "m", "more_sums", [lm_eval_text(1, "2", "2", 1.0)]),
    ]
    log = READER.read(paths)
    assert column(log.rows, "id") == [f"more_sums/{1:064x}", f"sums/{1:064x}"]
    assert column(log.rows, "task") == ["more_sums", "sums"]


@pytest.mark.parametrize(
    ("results", "model"),
    [
        ({"model_name": "org/name"}, "org/name"),
        (
            {"config": {"model": "hf", "model_args": "pretrained=org/other,dtype=auto"}},
            "org/other",
        ),
        ({"config": {"model": "hf", "model_args": {"pretrained": "org/third"}}}, "org/third"),
        ({"config": {"model": "dummy", "model_args": ""}}, "dummy"),
        ("not an object", "acme/large"),
        (None, "acme/large"),
    ],
)
def test_the_model_is_named_by_the_results_or_the_folder(
    tmp_path: Path, results: Any, model: str
) -> None:
    lines = [lm_eval_text(1, "2", "2", 1.0)]
    path = write_lm_eval(tmp_path, "acme/large", "t", lines, has_results=False)
    if results is not None:
        text = json.dumps({"results": {}, **results} if isinstance(results, dict) else results)
        path.with_name(f"results_{DATE}.json").write_text(text)
    assert READER.read([path]).services == (model,)


def test_two_runs_of_a_model_that_differ_are_two_services(tmp_path: Path) -> None:
    paths = [
        write_lm_eval(tmp_path, "m", "t", [lm_eval_text(1, said, "2", 1.0)], date=date)
        for said, date in (("2", "2025-01-01T00-00-00"), ("two", "2025-02-01T00-00-00"))
    ]
    assert READER.read(paths).services == ("m (2025-01-01T00-00-00)", "m (2025-02-01T00-00-00)")


def test_half_a_line_at_the_end_is_left_out_and_said(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "m", "t", [lm_eval_text(n, "2", "2", 1.0) for n in (1, 2)])
    whole = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + whole[:-40])
    log = READER.read([path])
    assert log.rows.height == 1
    assert log.left_out == {f"{path.name}: not JSON": "1 lines"}


def test_older_and_packed_files_read_alike(tmp_path: Path) -> None:
    lines = [lm_eval_text(n, "2", "2", 1.0) for n in (1, 2)]
    as_list = tmp_path / "pretrained__m_sums.jsonl"
    as_list.write_text(json.dumps(lines, indent=2))
    packed = tmp_path / f"samples_sums_{DATE}.jsonl.gz"
    packed.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    for path in (as_list, packed):
        assert READER.reads(path)
        assert READER.read([path]).rows.height == 2


def test_a_packed_file_made_to_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_ALWAYS_ALLOWED", 1_000_000)
    path = tmp_path / f"samples_sums_{DATE}.jsonl.gz"
    line = json.dumps(lm_eval_text(1, "0" * 100_000, "2", 1.0)).encode()
    for content in (b"\n".join([line] * 100), b"[" + b",".join([line] * 100) + b"]"):
        path.write_bytes(gzip.compress(content))
        with pytest.raises(InputError, match=f"{path.name}: it unpacks to more than 200 times"):
            READER.read([path])


def test_results_name_the_samples_of_their_run(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "m", "t", [lm_eval_text(7, "2", "2", 1.0)], date="2020-01-01T00-00-00")
    path = write_lm_eval(tmp_path, "m", "t", [lm_eval_text(1, "2", "2", 1.0)])
    results = path.with_name(f"results_{DATE}.json")
    assert READER.reads(results)
    for paths in ([results], [results, path]):
        assert column(READER.read(paths).rows, "id") == [f"{1:064x}"]
    path.unlink()
    with pytest.raises(InputError, match=f"{results.name}, which has averages alone.*log_samples"):
        READER.read([results])


def test_other_json_lines_are_not_its_own(tmp_path: Path) -> None:
    table = tmp_path / "samples_mine.jsonl"
    table.write_text('{"doc_id": 1, "label": "x"}\n')
    assert not READER.reads(table)
