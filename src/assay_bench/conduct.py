"""Conduct an experiment: find what is finished, run the rest, write tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.tasks.registry import load_task
from assay_bench.curves import draw_experiment
from assay_bench.experiments import Experiment, Selection
from assay_bench.figures import draw_coverage
from assay_bench.finished_runs import FinishedRuns
from assay_bench.parallel import perform_all
from assay_bench.run import Row, Run
from assay_bench.summary import rows_frame, summarise
from assay_bench.surface_stats import SurfaceStats, surface_stats

__all__ = ["Outcome", "conduct", "has_finished_draw"]

OnProgress = Callable[[int, int, str], None]
"""Called with (finished, all, what finished last)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment gave.

    Parameters
    ----------
    rows
        One row per run and size.
    summary
        Mean and standard deviation over seeds.
    files
        What was written.
    n_resumed
        Runs whose rows were found on disk.
    facts
        Size and true surface of each task.
    missing
        What the experiment has and this outcome has not, in words.
    seed_size
        Rows of the seed set; 0 without one.
    origin
        Which code made the runs, from which commit, and when.
    """

    rows: pl.DataFrame
    summary: pl.DataFrame
    files: tuple[Path, ...]
    n_resumed: int
    facts: Mapping[str, SurfaceStats] = field(default_factory=dict)
    missing: str = ""
    seed_size: int = 0
    origin: str = ""

    @property
    def guessed(self) -> frozenset[str]:
        """Tasks whose attributes are guessed."""
        return frozenset(task for task, known in self.facts.items() if known.is_guessed)


def conduct(
    experiment: Experiment,
    selection: Selection,
    *,
    data: Path | None,
    out: Path,
    jobs: int = 2,
    engine: str = "local",
    is_fresh: bool = False,
    finished_only: bool = False,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Run ``experiment`` and write ``<name>.csv``, its summary and its figures to ``out``.

    Parameters
    ----------
    experiment, selection
        What to do, and the user's changes to it.
    data
        Folder with the tables of tasks that do not ship.
    out
        Folder of the results; finished runs are kept there in ``<name>.runs.jsonl``.
    jobs
        Processes.
    engine
        Who performs the runs: ``local``, that many processes, or ``ray``, a cluster.
    is_fresh
        Run again what is finished already.
    finished_only
        Run nothing: take the draws (a task and a seed) of which every method is finished.
    on_progress
        Called with (finished, all, what finished last).

    Raises
    ------
    InputError
        If ``finished_only`` and no draw is finished.
    """
    runs = experiment.runs(selection)
    finished = FinishedRuns(out / f"{experiment.name}.runs.jsonl")
    found: dict[Run, list[Row]] = {} if is_fresh else finished.find(runs)
    waiting = [run for run in runs if run not in found]
    n_resumed = len(found)

    def record(run: Run, rows: list[Row]) -> None:
        finished.append(run, rows)
        found[run] = rows
        if on_progress is not None:
            on_progress(len(found), len(runs), f"{run.task} {run.method.name} {run.seed}")

    if on_progress is not None:
        on_progress(n_resumed, len(runs), "")
    if finished_only:
        shown = _whole_draws(runs, found)
        if not shown:
            raise InputError(
                f"draws of {experiment.name} in {out} must be finished to be shown; got none. "
                "Run it without --finished."
            )
    else:
        perform_all(waiting, data, jobs, record, engine)
        shown = runs
    rows = rows_frame({run: found[run] for run in shown}, experiment.metrics)
    summary = summarise(rows, experiment.metrics)
    facts = {task: _facts(task, data) for task in dict.fromkeys(run.task for run in shown)}
    missing, seed_size = _missing(runs, shown), runs[0].seed_size
    origin = finished.origin(shown)
    outcome = Outcome(rows, summary, (), n_resumed, facts, missing, seed_size, origin)
    return replace(outcome, files=_write(experiment, outcome, out))


def has_finished_draw(experiment: Experiment, selection: Selection, out: Path) -> bool:
    """Return whether ``out`` has every method of some task and seed."""
    runs = experiment.runs(selection)
    found = FinishedRuns(out / f"{experiment.name}.runs.jsonl").find(runs)
    return bool(_whole_draws(runs, found))


@cache
def _facts(task: str, data: Path | None) -> SurfaceStats:
    return surface_stats(load_task(task, data))


def _whole_draws(runs: Sequence[Run], found: Collection[Run]) -> list[Run]:
    """Return the runs of those tasks and seeds of which every method is finished, by task."""
    open_draws = {(run.task, run.seed) for run in runs if run not in found}
    tasks = list(dict.fromkeys(run.task for run in runs))
    whole = [run for run in runs if (run.task, run.seed) not in open_draws]
    return sorted(whole, key=lambda run: tasks.index(run.task))


def _missing(runs: Sequence[Run], shown: Sequence[Run]) -> str:
    """Say of which tasks how many seeds are shown, if that is not all of them."""
    words = []
    for task in dict.fromkeys(run.task for run in runs):
        wanted = {run.seed for run in runs if run.task == task}
        held = {run.seed for run in shown if run.task == task}
        if held != wanted:
            words.append(f"{task} has {len(held)} of {len(wanted)} seeds")
    return ", ".join(words)


def _write(experiment: Experiment, outcome: Outcome, out: Path) -> tuple[Path, ...]:
    out.mkdir(parents=True, exist_ok=True)
    tables = (out / f"{experiment.name}.csv", out / f"{experiment.name}.summary.csv")
    for path, table in zip(tables, (outcome.rows, outcome.summary), strict=True):
        table.write_csv(path)
    if experiment.mode == "coverage":
        figure = out / f"{experiment.name}.png"
        draw_coverage(outcome.summary, figure)
        return (*tables, figure)
    figures = draw_experiment(experiment.name, outcome.summary, outcome.guessed, out)
    return (*tables, *figures)
