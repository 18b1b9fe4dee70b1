"""What the true surface of a task looks like: active arms, accuracy quantiles, worst arms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.tasks.task import Task

__all__ = ["SurfaceStats", "surface_stats"]

QUANTILES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Those of the paper's figure."""


@dataclass(frozen=True, slots=True)
class SurfaceStats:
    """Statistics of a task's gold.

    Parameters
    ----------
    task
        Name of the task.
    n_rows, n_arms, n_active
        Rows, possible arms, and arms with at least 5 rows.
    accuracy, macro_accuracy
        Mean score over all rows, and mean accuracy over the active arms.
    floor_mse
        Sampling noise of the gold, times 100.
    quantiles
        Quantiles of the active arms' accuracy by probability.
    worst
        The 25 least accurate active arms: attributes, ``rows``, ``accuracy``.
    """

    task: str
    n_rows: int
    n_arms: int
    n_active: int
    accuracy: float
    macro_accuracy: float
    floor_mse: float
    quantiles: dict[float, float]
    worst: pl.DataFrame


def surface_stats(task: Task, n_worst: int = 25) -> SurfaceStats:
    """Return the statistics of ``task``'s true surface."""
    space = AttributeSpace(tuple(task.arguments()["attributes"]))
    score = task.rows.get_column(task.score).cast(pl.Float64).to_numpy()
    gold = Gold.count(space.arm_index(space.encode(task.rows)), score)
    order = np.argsort(gold.accuracy, kind="stable")[:n_worst]
    worst = space.frame(gold.arms[order]).with_columns(
        pl.Series("rows", gold.size[order].astype(np.int64)),
        pl.Series("accuracy", gold.accuracy[order]),
    )
    quantiles = np.quantile(gold.accuracy, QUANTILES)
    return SurfaceStats(
        task.name,
        task.n_rows,
        space.n_arms,
        int(gold.arms.size),
        float(score.mean()),
        float(gold.accuracy.mean()),
        100.0 * gold.floor,
        dict(zip(QUANTILES, quantiles.tolist(), strict=True)),
        worst,
    )
