"""Conduct an experiment: find what is finished, run the rest, write tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from accuracy_assay.bench.experiments import Experiment, Plan
from accuracy_assay.bench.figures import draw_coverage, draw_curves
from accuracy_assay.bench.finished_runs import FinishedRuns
from accuracy_assay.bench.parallel import perform_all
from accuracy_assay.bench.run import Row, Run
from accuracy_assay.bench.summary import rows_frame, summarise
from accuracy_assay.files.tables import write_csv

__all__ = ["OnProgress", "Outcome", "conduct", "file_name"]

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
    """

    rows: pl.DataFrame
    summary: pl.DataFrame
    files: tuple[Path, ...]
    n_resumed: int


def conduct(
    experiment: Experiment,
    plan: Plan,
    *,
    data: Path | None,
    out: Path,
    jobs: int = 2,
    is_fresh: bool = False,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Run ``experiment`` and write ``<name>.csv``, its summary and one figure per task to ``out``.

    Parameters
    ----------
    experiment, plan
        What to do, and the user's changes to it.
    data
        Folder with the tables of tasks that do not ship.
    out
        Folder of the results; finished runs are kept there in ``<name>.runs.jsonl``.
    jobs
        Processes.
    is_fresh
        Run again what is finished already.
    on_progress
        Called with (finished, all, what finished last).
    """
    runs = experiment.runs(plan)
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
    perform_all(waiting, data, jobs, record)
    rows = rows_frame({run: found[run] for run in runs}, experiment.metrics)
    summary = summarise(rows, experiment.metrics)
    return Outcome(rows, summary, _write(experiment, rows, summary, out), n_resumed)


def file_name(task: str) -> str:
    """Return the name of a task as part of a file's name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in task)


def _write(
    experiment: Experiment, rows: pl.DataFrame, summary: pl.DataFrame, out: Path
) -> tuple[Path, ...]:
    out.mkdir(parents=True, exist_ok=True)
    tables = (out / f"{experiment.name}.csv", out / f"{experiment.name}.summary.csv")
    for path, table in zip(tables, (rows, summary), strict=True):
        write_csv(table, path)
    if experiment.mode == "coverage":
        figure = out / f"{experiment.name}.png"
        draw_coverage(summary, figure)
        return (*tables, figure)
    figures = []
    for (task,), part in summary.group_by("task", maintain_order=True):
        figures.append(out / f"{experiment.name}-{file_name(str(task))}.png")
        draw_curves(part, f"{experiment.name}: {task}", figures[-1])
    return (*tables, *figures)
