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


def of_epochs(folder: Path, model: str, harder: int = 0) -> Path:
    """Write a log of 40 questions in four epochs; most are right in all of them, or in none."""
    samples = [
        inspect_sample(n, {"match": "CI"[(n * 7 + epoch * (n % 3 == 0)) % 10 > 6 - harder]}, epoch)
        for epoch in range(1, 5)
        for n in range(40)
    ]
    return write_eval(folder / f"{model}.eval", inspect_log(samples, model))


def test_epochs_are_one_number_through_every_door(
    assay: Callable[..., Answer], tmp_path: Path
) -> None:
    path = of_epochs(tmp_path, "large")
    test_every_command_says_the_same_of_the_whole(assay, path, tmp_path)
    seen = aa.look(path)
    assert seen.surface is not None
    assert seen.is_clustered
    whole = seen.surface.overall
    of_epochs(tmp_path, "small", harder=2)
    both = aa.compare(aa.read_log(str(tmp_path / "*.eval")), ["topic"])
    found = next(place.estimate for place in both if place.name == "large")
    # Services that are fitted together have the mean of that fit and their own (decision 14).
    assert (found.mean, found.lower, found.upper) == pytest.approx(
        (whole.mean, whole.lower, whole.upper), abs=0.015
    )


def test_every_command_says_the_same_of_the_whole(
    assay: Callable[..., Answer], path: Path, tmp_path: Path
) -> None:
    seen = aa.look(path)
    assert seen.surface is not None
    whole = seen.surface.overall
    own = (path, *(word for typed in seen.attributes for word in ("-a", typed)))
    file, page = tmp_path / "log.surface", tmp_path / "log.html"
    assay("surface", *own, "--out", file)
    asked = {
        "look": ("look", path),
        "surface": ("surface", *own),
        "query": ("query", path),
        "query of the file": ("query", file),
        "look at the file": ("look", file),
    }
    for door, words in asked.items():
        found = json.loads(assay(*words, "--json").out)
        found = found.get("overall", found)
        assert (found["mean"], found["lower"], found["upper"]) == pytest.approx(
            (whole.mean, whole.lower, whole.upper), abs=1e-6
        ), door
    checked = json.loads(assay("check", *own, "--min", "0.1", "--json").out)["checks"][0]
    assert checked["findings"][0]["mean"] == pytest.approx(whole.mean, abs=1e-6)
    assert assay("report", path, "--out", page).code == 0
    shown = f"{whole.mean:.1%}".removesuffix("%")
    assert f"<dd>{shown}<small>%</small></dd>" in page.read_text(encoding="utf-8")
    assert f"**{shown}%**" in assay("card", path).out


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
