"""Tables of errors that several sections share: by method and task, by method and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from assay_bench.results_page import Table

__all__ = [
    "METRIC_NAMES",
    "all_metrics",
    "by_size",
    "by_task",
    "mean_and_sd",
    "seeds_in_words",
    "shown_size",
    "task_heading",
]

METRIC_NAMES = {
    "macro_mse": "macro",
    "worst_mse": "worst",
    "micro_mse": "micro",
    "infrequent_mse": "infrequent",
    "coverage_90": "coverage of 90 %",
    "seconds": "seconds per fit",
}
_USUAL_SIZE = 2_000
"""Labels of the paper's table 2."""


def shown_size(part: pl.DataFrame) -> int:
    """Return the size of the paper's table 2 where it was run, else the largest."""
    sizes = part["labels"].unique().to_list()
    return _USUAL_SIZE if _USUAL_SIZE in sizes else int(max(sizes))


def seeds_in_words(part: pl.DataFrame) -> str:
    """Return over how many seeds the means of ``part`` are.

    Examples
    --------
    >>> seeds_in_words(pl.DataFrame({"seeds": [1, 3]}))
    '1 to 3 seeds'
    """
    least, most = int(part["seeds"].to_numpy().min()), int(part["seeds"].to_numpy().max())
    if least < most:
        return f"{least} to {most} seeds"
    return "1 seed" if most == 1 else f"{most} seeds"


def task_heading(task: str, part: pl.DataFrame) -> str:
    """Return a task's name, how many seeds it has, and its floor."""
    return f"{task}, {seeds_in_words(part)}, floor {part['floor_mse'][0]:.2f}"


def all_metrics(task: str, part: pl.DataFrame) -> Table:
    """Return every metric of each method at one size; ``part`` holds one task."""
    size = shown_size(part)
    rows = [
        (row["method"], *(mean_and_sd(row, metric) for metric in METRIC_NAMES))
        for row in part.filter(pl.col("labels") == size).iter_rows(named=True)
    ]
    title = f"{task_heading(task, part)}: MSE x 100 at {size:,} labels"
    return Table(title, ("method", *METRIC_NAMES.values()), rows)


def by_task(
    title: str, summary: pl.DataFrame, metrics: Sequence[str], *, has_sd: bool = True
) -> Table:
    """Return the errors of each method on each task; several metrics of a cell part by strokes.

    ``summary`` holds one size.
    """
    tasks = summary["task"].unique(maintain_order=True).to_list()
    rows = []
    for (method,), part in summary.group_by("method", maintain_order=True):
        found = {row["task"]: row for row in part.iter_rows(named=True)}
        rows.append((str(method), *(_cell(found.get(task), metrics, has_sd) for task in tasks)))
    return Table(title, ("method", *tasks), rows)


def by_size(
    title: str,
    part: pl.DataFrame,
    sizes: Sequence[int],
    metrics: Sequence[str] = ("macro_mse",),
    *,
    has_sd: bool = True,
) -> Table:
    """Return the errors of each method at each of ``sizes``; ``part`` holds one task.

    Rounds that pass a size by show the last of them before it.
    """
    rows = []
    for (method,), curve in part.group_by("method", maintain_order=True):
        found = [_last_until(curve, size) for size in sizes]
        rows.append((str(method), *(_cell(row, metrics, has_sd) for row in found)))
    return Table(title, ("method", *(f"{size:,}" for size in sizes)), rows)


def mean_and_sd(row: Mapping[str, Any], metric: str, *, has_sd: bool = True) -> str:
    """Return a mean over seeds and, where there are several, its deviation."""
    mean, sd = row[metric], row[f"{metric}_sd"]
    digits = 1 if metric in ("coverage_90", "seconds") else 2
    is_alone = sd is None or not has_sd
    return f"{mean:.{digits}f}" + ("" if is_alone else f" ± {sd:.{digits}f}")


def _last_until(curve: pl.DataFrame, size: int) -> Mapping[str, Any] | None:
    """Return the row of the most labels that are not more than ``size``."""
    reached = curve.filter(pl.col("labels") <= size).sort("labels").tail(1)
    return None if reached.is_empty() else reached.row(0, named=True)


def _cell(row: Mapping[str, Any] | None, metrics: Sequence[str], has_sd: bool) -> str:
    if row is None:
        return ""
    return " / ".join(mean_and_sd(row, metric, has_sd=has_sd) for metric in metrics)
