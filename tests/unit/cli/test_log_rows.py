"""Logs stand where a table may stand; the service and the metric are chosen by name."""

import json
from pathlib import Path

import polars as pl
import pytest
from made_logs import (
    inspect_log,
    inspect_sample,
    lm_eval_text,
    write_eval,
    write_lm_eval,
)

from accuracy_assay.cli.log_rows import attributes_of, read_rows
from accuracy_assay.cli.option_groups import RowOptions
from accuracy_assay.errors import InputError
from accuracy_assay.study.read.open_rows import read_log

QUICK = ("--estimator", "beta-independent")
ROWS = RowOptions(attribute=["sex"], score=["right"], pool="pool.csv")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder of two models, scored in two ways; the large one is right more often."""
    for model, step in (("small", 2), ("large", 4)):
        lines = [
            lm_eval_text(n, "x", "x", float(n % step > 0), filter=name)
            for name in ("strict", "loose")
            for n in range(40)
        ]
        for line in lines[40:]:
            line["exact_match"] = 1.0
        write_lm_eval(tmp_path / "logs", model, "sums", lines)
    return tmp_path / "logs"


ONE = ("--service", "small", "--metric", "exact_match,strict")


def test_a_surface_of_a_log_is_that_of_its_rows(assay, logs: Path, tmp_path: Path) -> None:
    found = json.loads(assay("surface", logs, *ONE, *QUICK, "--json").out)
    table = tmp_path / "rows.csv"
    read_log(logs).rows.select("level", ok="score:small:exact_match,strict").write_csv(table)
    same = json.loads(
        assay("surface", table, "-a", "level", "--score", "ok", *QUICK, "--json").out
    )
    assert found == same
    column = ("-a", "level", "--score", "score:small:exact_match,strict")
    assert json.loads(assay("surface", logs, *column, *QUICK, "--json").out) == same
    pattern = logs / "*" / "*.jsonl"
    assert json.loads(assay("surface", pattern, *ONE, *QUICK, "--json").out) == same


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("check", ("--min", "0.1", *QUICK)),
        ("plan", ("--half-width", "0.1", "-a", "level")),
        ("attributes", ("--no-columns", *QUICK)),
        ("simulate", ("--seed-size", "10", "--budget", "12", *QUICK, "--strategy", "random")),
        ("slices", ()),
        ("query", ("level=Level 1",)),
        ("report", ("--out", "page.html")),
    ],
)
def test_a_log_stands_where_a_table_may(
    assay, logs: Path, command: str, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(logs.parent)
    answer = assay(command, logs, *more, *ONE, "--json")
    assert answer.code == 0, answer.err
    json.loads(answer.out)


def test_a_card_of_a_log_names_the_service(assay, logs: Path) -> None:
    answer = assay("card", logs, *ONE)
    assert answer.code == 0, answer.err
    assert '- name: "small"' in answer.out
    assert 'name: "logs"' in answer.out


def test_a_ranking_of_all_services_can_be_planned(assay, logs: Path) -> None:
    goal = ("--for", "ranking", "--half-width", "0.2", "--json")
    found = json.loads(assay("plan", logs, *goal, "--metric", "exact_match,strict").out)
    columns = [f"score:{name}:exact_match,strict" for name in ("large", "small")]
    named = ("-a", "level", "--score", columns[0], "--score", columns[1])
    assert json.loads(assay("plan", logs, *goal, *named).out) == found


def test_all_services_are_compared_unless_some_are_named(assay, logs: Path) -> None:
    metric = ("--metric", "exact_match,strict")
    found = json.loads(assay("compare", logs, *metric, *QUICK, "--json").out)
    assert [place["name"] for place in found["places"]] == ["large", "small"]
    assert found["paired"] is True
    files = sorted(logs.glob("*/samples_*.jsonl"))
    assert json.loads(assay("compare", *files, *metric, *QUICK, "--json").out) == found
    answer = assay("compare", logs, *metric, "--service", "large", "--service", "huge")
    assert (answer.code, "got 'huge'" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("surface",), "service must be named"),
        (("surface", "--service", "small"), "metric must be named"),
        (("surface", "--service", "smal", "--metric", "x"), "Did you mean"),
        (("compare",), "metric must be named"),
        (("compare", "--metric", "acc"), "Every service must have it"),
        (("compare", "--score", "x"), "named by --service; got --score"),
        (("slices", "--pool", "x.csv"), "--pool"),
        (("judges", *ONE), "--judge or --referee"),
    ],
)
def test_what_a_log_cannot_answer_is_said(
    assay, logs: Path, arguments: tuple[str, ...], message: str
) -> None:
    answer = assay(arguments[0], logs, *arguments[1:])
    assert answer.code == 2
    assert message in " ".join(answer.err.split())


def test_what_a_log_leaves_out_is_remarked(assay, tmp_path: Path) -> None:
    samples = [inspect_sample(n, {"match": "CI"[n % 2]}) for n in range(6)]
    path = write_eval(tmp_path / "a.eval", inspect_log(samples, status="error"))
    answer = assay("surface", path, *QUICK)
    assert answer.code == 0, answer.err
    assert "left out: the rest of a.eval: the run has status 'error'" in answer.err


def test_judges_of_a_log_are_reported(assay, tmp_path: Path) -> None:
    samples = [
        inspect_sample(n, {"match": "CI"[n % 2], "model_graded_qa": "CI"[n % 3 == 0]})
        for n in range(30)
    ]
    grader = {"name": "model_graded_qa", "options": {}}
    path = write_eval(tmp_path / "a.eval", inspect_log(samples, scorers=[grader]))
    found = json.loads(assay("judges", path, *QUICK, "--json").out)
    assert [judge["judge"] for judge in found["judges"]] == ["judge:acme/large:model_graded_qa"]


def test_columns_that_give_the_score_away_are_not_proposed(assay, logs: Path) -> None:
    found = json.loads(assay("attributes", logs, *ONE, *QUICK, "--json").out)
    named = {each["column"] for each in found["columns"]} | set(found["skipped"])
    assert not {name for name in named if name.startswith(("pred:", "score:")) or name == "target"}


def test_a_table_is_read_once_and_has_no_service_by_name(rows: Path) -> None:
    asked = read_rows(str(rows), ROWS, what="a surface", score="correct")
    assert asked.log is None
    assert isinstance(asked.rows, pl.DataFrame)
    assert asked.columns.score == "correct"
    for option in ("service", "metric"):
        with pytest.raises(InputError, match=f"--{option} must go with an assay or a log"):
            read_rows(str(rows), ROWS, what="a surface", **{option: "google"})  # type: ignore[arg-type]


def test_many_attributes_and_none_must_be_named(assay, tmp_path: Path) -> None:
    lines = [
        lm_eval_text(n, "x", "x", 1.0, doc={f"fact {i}": n % 2 for i in range(6)})
        for n in range(4)
    ]
    log = read_log(write_lm_eval(tmp_path, "m", "t", lines))
    with pytest.raises(InputError, match=r"got fact 0 \(2\), .*fact 5 \(2\)\. Name columns"):
        attributes_of(log)
    home = tmp_path / "m"
    for command in ("report", "card", "slices", "query"):  # these take no attributes
        answer = assay(command, home)
        said = " ".join(answer.err.split())
        assert f"surface first, and name that: assay surface {home} --out s.surface" in said
    bare = read_log(write_lm_eval(tmp_path, "m", "t", [lm_eval_text(1, "x", "x", 1.0)]))
    with pytest.raises(InputError, match=r"got none\. Name .* -a length=text:question:length"):
        attributes_of(bare)
