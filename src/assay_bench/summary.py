"""From rows of runs to mean and standard deviation over seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay_bench.run import METRICS, Row, Run

__all__ = [
    "Saving",
    "by_task",
    "few_sizes",
    "is_within_deviation",
    "labels_to_reach",
    "rows_frame",
    "savings",
    "shown_size",
    "summarise",
]

_BY = ("task", "method", "labels")
_MOST_SIZES = 8
"""Columns of sizes that fit beside the method's name on a page."""

_USUAL_SIZE = 2_000
"""Labels of the paper's table 2."""

_AFTER = (0, 200, 500, 1_000)
"""Labels asked for at which a longer curve is shown, further apart as it flattens."""


@dataclass(frozen=True, slots=True)
class Saving:
    """Labels that random choice asked for, and those to the same error; None if never reached."""

    method: str
    random_labels: int
    labels: int | None


def rows_frame(rows: Mapping[Run, list[Row]], metrics: Sequence[str] = METRICS) -> pl.DataFrame:
    """Return one row per run and size: task, method, seed, labels and the metrics."""
    records = [
        {"task": run.task, "method": run.method.name, "seed": run.seed, "labels": row["labels"]}
        | {metric: row[metric] for metric in metrics}
        for run, its_rows in rows.items()
        for row in its_rows
    ]
    return pl.DataFrame(records)


def summarise(rows: pl.DataFrame, metrics: Sequence[str] = METRICS) -> pl.DataFrame:
    """Return mean and standard deviation (divisor n - 1) over seeds, in the order of ``rows``.

    Returns
    -------
    polars.DataFrame
        ``task``, ``method``, ``labels``, ``seeds``, then ``<metric>`` and ``<metric>_sd``; the
        deviation of a single seed is missing.
    """
    return rows.group_by(_BY, maintain_order=True).agg(
        pl.len().alias("seeds"),
        *(pl.col(metric).mean() for metric in metrics),
        *(pl.col(metric).std().alias(f"{metric}_sd") for metric in metrics),
    )


def by_task(summary: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Return the part of each task, in the order of ``summary``."""
    return [(str(task), part) for (task,), part in summary.group_by("task", maintain_order=True)]


def shown_size(summary: pl.DataFrame) -> int:
    """Return the size of the paper's table 2 where it was run, else the largest."""
    sizes = summary["labels"].unique().to_list()
    return _USUAL_SIZE if _USUAL_SIZE in sizes else int(max(sizes))


def labels_to_reach(summary: pl.DataFrame, method: str, error: float) -> int | None:
    """Return the fewest labels at which a method's mean macro MSE is at most ``error``.

    ``summary`` holds one task; None means that the method never got there.
    """
    reached = summary.filter((pl.col("method") == method) & (pl.col("macro_mse") <= error))
    return None if reached.is_empty() else int(reached["labels"].to_numpy().min())


def savings(part: pl.DataFrame) -> list[Saving]:
    """Return how many labels each method takes to the last error of random, same estimator.

    ``part`` is the summary of one task; labels are counted from the first round.
    """
    first = int(part["labels"].to_numpy().min())
    found = []
    for method in part["method"].unique(maintain_order=True):
        estimator, _, strategy = method.partition("/")
        chance = part.filter(pl.col("method") == f"{estimator}/random").sort("labels")
        if strategy in ("", "random") or chance.is_empty():
            continue
        needed = labels_to_reach(part, method, float(chance["macro_mse"][-1]))
        asked = int(chance["labels"][-1]) - first
        found.append(Saving(method, asked, None if needed is None else needed - first))
    return found


def is_within_deviation(first: Mapping[str, Any], second: Mapping[str, Any], metric: str) -> bool:
    """Return whether two means differ by no more than the larger deviation over seeds.

    ``first`` and ``second`` are rows of a summary; a single seed has no deviation.
    """
    widest = max(row[f"{metric}_sd"] or 0.0 for row in (first, second))
    return bool(abs(first[metric] - second[metric]) <= widest)


def few_sizes(sizes: Sequence[int]) -> list[int]:
    """Return sizes to show: all when few, else those after 0, 200, 500 and 1,000 more labels."""
    if len(sizes) <= _MOST_SIZES:
        return list(sizes)
    wanted = [size for size in sizes if size - sizes[0] in _AFTER]
    return sorted({sizes[0], *wanted, sizes[-1]})
