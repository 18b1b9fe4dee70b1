"""Commands can be pasted into a shell."""

import shlex
from pathlib import Path

import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import ServiceColumns
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.study.look.commands import (
    command,
    compare_command,
    compare_log_command,
    pattern_of,
    surface_options,
)


def test_odd_names_are_quoted() -> None:
    words = ["assay", "surface", "my rows; rm *.csv", "-a", "it's $HOME"]
    assert shlex.split(command(*words)) == words


def test_options_say_what_the_columns_mean() -> None:
    columns = Columns(("sex",), y_true="truth", y_pred="said", cluster="speaker")
    assert surface_options(columns, ["sex", "age:30"]) == [
        *("-a", "sex", "-a", "age:30"),
        *("--y-true", "truth", "--y-pred", "said", "--cluster", "speaker"),
    ]


def test_services_are_compared_by_their_scores_or_else_by_the_truth() -> None:
    scored = {name: ServiceColumns(f"{name}_pred", {"acc": f"{name}_acc"}) for name in "abcdef"}
    typed = compare_command("r.csv", ColumnRoles(services=scored), list("abcdef"), ["sex"])
    assert typed == (
        "assay compare r.csv -a sex --score a_acc --score b_acc --score c_acc --score d_acc"
    )
    said = {name: ServiceColumns(f"pred:{name}") for name in "ab"}
    roles = ColumnRoles(truth="label", services=said)
    assert compare_command("r.csv", roles, list("ab"), ["sex"]) == (
        "assay compare r.csv -a sex --y-true label --service pred:a --service pred:b"
    )


def test_services_of_a_log_are_compared_by_their_names_and_one_metric() -> None:
    scored = {name: ServiceColumns(None, {"acc": f"score:{name}:acc"}) for name in "ab"}
    roles = ColumnRoles(services={**scored, "c": ServiceColumns(None, {"f1": "x"})})
    assert compare_log_command("log", roles, list("abc"), ["sex"], "acc") == (
        "assay compare log -a sex --service a --service b --metric acc"
    )


def test_several_paths_become_the_pattern_that_names_just_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("run_a.jsonl", "run_b.jsonl", "other.csv"):
        Path(name).touch()
    assert pattern_of(["run_a.jsonl", "run_b.jsonl"]) == "run_*.jsonl"
    Path("run_c.jsonl").touch()
    assert pattern_of(["run_a.jsonl", "run_b.jsonl"]) is None
