from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from assay_bench.conduct import conduct
from assay_bench.experiments import EXPERIMENTS, Selection

TASK = "synthetic:rows=1000,attributes=2,values=3"
CHOSEN = Selection((TASK,), ("constant", "beta-independent"), (100, 200), seeds=2, seed_size=100)


def test_tables_and_a_figure_are_written(tmp_path: Path) -> None:
    outcome = conduct(EXPERIMENTS["estimation"], CHOSEN, data=None, out=tmp_path, jobs=1)
    assert outcome.rows.height == 2 * 2 * 2
    assert pl.read_csv(tmp_path / "estimation.summary.csv").height == 2 * 2
    (figure,) = tmp_path.glob("*.png")
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert figure in outcome.files


def test_a_second_call_resumes_and_a_fresh_one_does_not(tmp_path: Path) -> None:
    first = conduct(EXPERIMENTS["estimation"], CHOSEN, data=None, out=tmp_path, jobs=1)
    again = conduct(EXPERIMENTS["estimation"], CHOSEN, data=None, out=tmp_path, jobs=1)
    fresh = conduct(
        EXPERIMENTS["estimation"], CHOSEN, data=None, out=tmp_path, jobs=1, is_fresh=True
    )
    assert (first.n_resumed, again.n_resumed, fresh.n_resumed) == (0, 4, 0)
    assert again.rows.equals(first.rows)
    assert fresh.rows.drop("seconds").equals(first.rows.drop("seconds"))


def test_only_whole_draws_of_what_is_finished_are_shown(tmp_path: Path) -> None:
    experiment = EXPERIMENTS["estimation"]
    conduct(experiment, replace(CHOSEN, seeds=1), data=None, out=tmp_path, jobs=1)
    half = replace(CHOSEN, seeds=2, methods=("constant",))
    conduct(experiment, half, data=None, out=tmp_path, jobs=1)  # seed 1 lacks beta-independent
    shown = conduct(experiment, CHOSEN, data=None, out=tmp_path, jobs=1, finished_only=True)
    assert set(shown.rows["seed"]) == {0}
    assert shown.missing == f"{TASK} has 1 of 2 seeds"
    whole = conduct(experiment, CHOSEN, data=None, out=tmp_path, jobs=1)
    assert whole.missing == ""


def test_nothing_finished_is_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be finished to be shown; got none"):
        conduct(
            EXPERIMENTS["estimation"],
            CHOSEN,
            data=None,
            out=tmp_path,
            jobs=1,
            finished_only=True,
        )


def test_progress_counts_what_was_finished_before(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    for _ in range(2):
        seen.clear()
        conduct(
            EXPERIMENTS["estimation"],
            CHOSEN,
            data=None,
            out=tmp_path,
            jobs=1,
            on_progress=lambda done, total, _: seen.append((done, total)),
        )
    assert seen == [(4, 4)]


def test_an_outcome_knows_which_tasks_are_guessed(tmp_path: Path) -> None:
    guessed = f"{TASK},distance=1.5"
    selection = replace(CHOSEN, tasks=(TASK, guessed), methods=("constant",), seeds=1)
    outcome = conduct(EXPERIMENTS["estimation"], selection, data=None, out=tmp_path, jobs=1)
    assert outcome.guessed == {guessed}
    assert (outcome.facts[TASK].n_rows, outcome.facts[TASK].n_arms) == (1_000, 9)
