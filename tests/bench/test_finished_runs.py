import re
from pathlib import Path

import pytest

from accuracy_assay.study.method import parse_method
from assay_bench.finished_runs import FinishedRuns
from assay_bench.provenance import code_version
from assay_bench.run import Run

RUN = Run("digits", parse_method("constant"), 0, "sizes", (500, 2000))


def test_a_finished_run_is_found_again(tmp_path: Path) -> None:
    finished = FinishedRuns(tmp_path / "deep" / "runs.jsonl")
    finished.append(RUN, [{"labels": 500, "macro_mse": 1.25}])
    assert finished.find([RUN]) == {RUN: [{"labels": 500, "macro_mse": 1.25}]}


def test_any_other_setting_is_another_run(tmp_path: Path) -> None:
    finished = FinishedRuns(tmp_path / "runs.jsonl")
    finished.append(RUN, [])
    others = [
        Run("digits", RUN.method, 1, "sizes", (500, 2000)),
        Run("digits", RUN.method, 0, "rounds", (500, 2000)),
        Run("digits", RUN.method, 0, "sizes", (500,)),
        Run("digits", parse_method("constant/largest-variance"), 0, "sizes", (500, 2000)),
    ]
    assert finished.find(others) == {}


def test_a_line_cut_short_by_a_crash_is_passed_over(tmp_path: Path) -> None:
    finished = FinishedRuns(tmp_path / "runs.jsonl")
    finished.append(RUN, [{"labels": 500}])
    with finished.path.open("a") as file:
        file.write('{"key": {"task": "dig')
    assert finished.find([RUN]) == {RUN: [{"labels": 500}]}


@pytest.mark.parametrize(
    "cut", [b'{"key": {"task": "dig', b'{"key": {"ta', b"nul", b"{}", b"\xff\x00"]
)
def test_a_cut_line_costs_its_own_run_alone(tmp_path: Path, cut: bytes) -> None:
    finished = FinishedRuns(tmp_path / "runs.jsonl")
    other = Run("digits", RUN.method, 1, "sizes", (500, 2000))
    finished.append(RUN, [{"labels": 500}])
    with finished.path.open("ab") as file:
        file.write(cut)
    finished.append(other, [{"labels": 2000}])
    finished.append(Run("digits", RUN.method, 2, "sizes", (500,)), [])
    assert finished.find([RUN, other]) == {RUN: [{"labels": 500}], other: [{"labels": 2000}]}
    assert len(finished.read()) == 3


def test_the_origin_of_runs_is_code_commits_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = FinishedRuns(tmp_path / "runs.jsonl")
    other = Run("digits", RUN.method, 1, "sizes", (500, 2000))
    monkeypatch.setattr("assay_bench.finished_runs.commit", lambda: "0a1b2c3d")
    finished.append(RUN, [])
    monkeypatch.setattr("assay_bench.finished_runs.commit", lambda: "4e5f6a7b+")
    finished.append(other, [])
    assert re.fullmatch(
        rf"code {re.escape(code_version())}, commit 0a1b2c3d, commit 4e5f6a7b\+, "
        r"20\d\d-\d\d-\d\d \d\d:\d\d( to 20\d\d-\d\d-\d\d \d\d:\d\d)? UTC",
        finished.origin([RUN, other]),
    )
    assert "4e5f" not in finished.origin([RUN])


def test_other_code_makes_another_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished = FinishedRuns(tmp_path / "runs.jsonl")
    finished.append(RUN, [])
    monkeypatch.setattr("assay_bench.finished_runs.code_version", lambda: "0+other")
    assert finished.find([RUN]) == {}
