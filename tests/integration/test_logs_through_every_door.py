"""A log gives one number: by its path, as a value, by its rows, and on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from command_line import Answer, assay
from made_logs import inspect_log, inspect_sample, write_eval

import accuracy_assay as aa

__all__ = ["assay"]  # a fixture

QUICK = {"estimator": "beta-independent"}
GRADER = {"name": "model_graded_qa"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log whose answers never spell the truth, so that only its scores count."""
    samples = [
        inspect_sample(n, {"match": "CI"[n % 3 == 0], "model_graded_qa": "CI"[n % 2]})
        for n in range(60)
    ]
    return write_eval(tmp_path / "a.eval", inspect_log(samples, scorers=[GRADER]))


def test_estimates_are_the_same(assay: Callable[..., Answer], path: Path) -> None:
    log = aa.read_log(path)
    surfaces = [
        aa.estimate(path, ["topic"], **QUICK),
        aa.estimate(log, ["topic"], **QUICK),
        aa.estimate(log.rows, log.columns(), **QUICK),
        aa.estimate(log.rows, ["topic"], log.scores[0], judges=log.judges, **QUICK),
    ]
    assert len({surface.overall for surface in surfaces}) == 1
    shown = json.loads(assay("surface", path, "--estimator", "beta-independent", "--json").out)
    assert shown["overall"]["mean"] == surfaces[0].overall.mean
    assert shown["labels"] == 60


def test_plans_are_the_same(path: Path) -> None:
    log = aa.read_log(path)
    plans = [
        aa.plan(path, ["topic"], half_width=0.1, **QUICK),
        aa.plan(log.rows, log.columns(), half_width=0.1, **QUICK),
    ]
    assert plans[0] == plans[1]


def test_reports_on_judges_are_the_same(path: Path) -> None:
    log = aa.read_log(path)
    first, second = aa.judge_report(path, ["topic"]), aa.judge_report(log.rows, log.columns())
    assert first.judges.equals(second.judges)
    assert first.judges.get_column("judge").to_list() == list(log.judges)
    signals = [aa.signal_report(path, ["topic"]), aa.signal_report(log.rows, log.columns())]
    assert signals[0].equals(signals[1])


def test_replays_are_the_same(path: Path) -> None:
    log, how = aa.read_log(path), {"seed_size": 10, "budget": 12, "strategy": "random", **QUICK}
    first, second = (
        aa.simulate(path, ["topic"], **how),
        aa.simulate(log.rows, log.columns(), **how),
    )
    assert first.metrics.select(pl.exclude("seconds")).equals(
        second.metrics.select(pl.exclude("seconds"))
    )
