"""Results of benchmarks as tables in a terminal: mean and deviation over seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl
from rich.console import Group
from rich.table import Table

from accuracy_assay.bench.summary import few_sizes, savings
from accuracy_assay.cli.tables import frame_table, titled

if TYPE_CHECKING:
    from accuracy_assay.bench.experiment import Experiment
    from accuracy_assay.bench.surface_stats import SurfaceStats

__all__ = ["experiment_tables", "stats_tables"]

_COLUMNS = ("macro_mse", "worst_mse", "micro_mse", "infrequent_mse", "coverage_90", "seconds")
_USUAL_SIZE = 2_000


def experiment_tables(experiment: Experiment, summary: pl.DataFrame) -> Iterator[Group]:
    """Yield the tables of each task: all metrics at one size, and macro MSE by size."""
    for (task,), part in summary.group_by("task", maintain_order=True):
        sizes = sorted(part["labels"].unique().to_list())
        seeds = int(part["seeds"].to_numpy().max())
        head = f"{experiment.title}\n{task}, {seeds} seeds, floor {part['floor_mse'][0]:.2f}"
        shown = _USUAL_SIZE if _USUAL_SIZE in sizes else sizes[-1]
        if len(sizes) > 1:
            yield titled(f"{head}: macro MSE x 100 by labels", _by_size(part, few_sizes(sizes)))
        at_size = part.filter(pl.col("labels") == shown)
        yield titled(f"{head}: {shown:,} labels", _by_metric(at_size))
        if experiment.mode == "rounds" and (table := _savings(part)).row_count:
            yield titled(f"{task}: labels asked for until the last error of random", table)


def stats_tables(stats: Sequence[SurfaceStats]) -> Iterator[Group]:
    """Yield one table over the tasks, then the worst arms of each."""
    table = Table()
    probabilities = list(stats[0].quantiles)
    numbers = ["rows", "arms", "active", "accuracy", "mean of arms", "floor"]
    for column in ("task", *numbers, *(f"q{p:g}" for p in probabilities)):
        table.add_column(column, justify="left" if column == "task" else "right")
    for s in stats:
        counts = (f"{s.n_rows:,}", f"{s.n_arms:,}", f"{s.n_active:,}")
        quantiles = (f"{s.quantiles[p]:.3f}" for p in probabilities)
        means = (f"{s.accuracy:.3f}", f"{s.macro_accuracy:.3f}")
        table.add_row(s.task, *counts, *means, f"{s.floor_mse:.2f}", *quantiles)
    yield titled("True surfaces", table)
    for s in stats:
        yield titled(f"{s.task}: least accurate arms", frame_table(s.worst, {"accuracy": ".3f"}))


def _by_metric(part: pl.DataFrame) -> Table:
    table = Table()
    table.add_column("method")
    for metric in _COLUMNS:
        table.add_column(metric, justify="right")
    for row in part.iter_rows(named=True):
        table.add_row(row["method"], *(_cell(row, metric) for metric in _COLUMNS))
    return table


def _by_size(part: pl.DataFrame, sizes: Sequence[int]) -> Table:
    table = Table()
    table.add_column("method")
    for size in sizes:
        table.add_column(f"{size:,}", justify="right")
    for (method,), curve in part.group_by("method", maintain_order=True):
        by_size = {row["labels"]: row for row in curve.iter_rows(named=True)}
        cells = (_cell(by_size[s], "macro_mse") if s in by_size else "" for s in sizes)
        table.add_row(str(method), *cells)
    return table


def _savings(part: pl.DataFrame) -> Table:
    """How many labels each method takes to the final error of random labels, same estimator."""
    table = Table()
    for column in ("method", "random", "method's", "ratio"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for saving in savings(part):
        labels, asked = saving.labels, saving.random_labels
        ratio = "" if labels is None else f"{labels / asked:.2f}"
        own = "not reached" if labels is None else str(labels)
        table.add_row(saving.method, str(asked), own, ratio)
    return table


def _cell(row: dict[str, float | None], metric: str) -> str:
    mean, sd = row[metric], row[f"{metric}_sd"]
    digits = 1 if metric in ("coverage_90", "seconds") else 2
    return f"{mean:.{digits}f}" + ("" if sd is None else f" ± {sd:.{digits}f}")
