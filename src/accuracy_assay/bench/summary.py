"""From rows of runs to mean and standard deviation over seeds."""

from collections.abc import Mapping

import polars as pl

from accuracy_assay.bench.run import Row, Run

__all__ = ["METRICS", "labels_to_reach", "rows_frame", "summarise"]

METRICS = (
    "macro_mse",
    "worst_mse",
    "micro_mse",
    "infrequent_mse",
    "floor_mse",
    "coverage_90",
    "seconds",
)
_BY = ("task", "method", "labels")


def rows_frame(rows: Mapping[Run, list[Row]]) -> pl.DataFrame:
    """Return one row per run and size: task, method, seed, labels and the metrics."""
    records = [
        {"task": run.task, "method": run.method.name, "seed": run.seed, "labels": row["labels"]}
        | {metric: row[metric] for metric in METRICS}
        for run, its_rows in rows.items()
        for row in its_rows
    ]
    return pl.DataFrame(records)


def summarise(rows: pl.DataFrame) -> pl.DataFrame:
    """Return mean and standard deviation (divisor n - 1) over seeds, in the order of ``rows``.

    Returns
    -------
    polars.DataFrame
        ``task``, ``method``, ``labels``, ``seeds``, then ``<metric>`` and ``<metric>_sd``; the
        deviation of a single seed is missing.
    """
    return rows.group_by(_BY, maintain_order=True).agg(
        pl.len().alias("seeds"),
        *(pl.col(metric).mean() for metric in METRICS),
        *(pl.col(metric).std().alias(f"{metric}_sd") for metric in METRICS),
    )


def labels_to_reach(summary: pl.DataFrame, method: str, error: float) -> int | None:
    """Return the fewest labels at which a method's mean macro MSE is at most ``error``.

    ``summary`` holds one task; None means that the method never got there.
    """
    reached = summary.filter((pl.col("method") == method) & (pl.col("macro_mse") <= error))
    return None if reached.is_empty() else int(reached["labels"].to_numpy().min())
