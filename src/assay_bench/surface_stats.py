"""What the true surface of a task looks like: active arms, accuracy quantiles, worst arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from accuracy_assay.metrics.gold import Gold
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task
from assay_bench.figures import draw_quantiles

__all__ = ["QUANTILES", "SurfaceStats", "file_name", "surface_stats", "task_stats", "write_stats"]

QUANTILES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Those of the paper's figure."""

_SHIPPED = ("digits", "faces")
_OF_DATA = (
    *("adult5", "adult6", "am2g", "am2d", "am3g", "am3d", "am1n", "am1n-deepspeech"),
    *("whisper-text", "bbq", "mmlu_pair", "frank", "celeb_faces"),
)
"""Tasks that are described where none is named: those that ship, and those of a data folder."""

_NAME = "surface-stats"
_PERCENT = 100.0
"""Errors are printed times 100, as in the paper."""


@dataclass(frozen=True, slots=True)
class SurfaceStats:
    """Statistics of a task's gold.

    Parameters
    ----------
    task
        Name of the task.
    n_rows, n_arms, n_active
        Rows, possible arms, and arms with at least 5 rows.
    is_guessed
        Whether its attributes are guessed.
    accuracy, macro_accuracy
        Mean score over all rows, and mean accuracy over the active arms.
    floor_mse
        Sampling noise of the gold, times 100.
    quantiles
        Quantiles of the active arms' accuracy by probability.
    worst
        The least accurate active arms, 25 as in the paper: attributes, ``rows``, ``accuracy``.
    """

    task: str
    n_rows: int
    n_arms: int
    n_active: int
    is_guessed: bool
    accuracy: float
    macro_accuracy: float
    floor_mse: float
    quantiles: dict[float, float]
    worst: pl.DataFrame


def task_stats(
    names: Sequence[str], data: Path | None, on_progress: Callable[[int, int, str], None]
) -> list[SurfaceStats]:
    """Return the statistics of each task; of every task there is where none is named.

    ``on_progress`` is called with (finished, all, the one at work).
    """
    chosen = names or (*_SHIPPED, *(() if data is None else _OF_DATA))
    stats: list[SurfaceStats] = []
    for name in chosen:
        on_progress(len(stats), len(chosen), name)
        stats.append(surface_stats(load_task(name, data)))
    on_progress(len(chosen), len(chosen), "")
    return stats


def surface_stats(task: Task, n_worst: int = 25) -> SurfaceStats:
    """Return the statistics of ``task``'s true surface."""
    space = task.space
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
        bool(task.evidence),
        float(score.mean()),
        float(gold.accuracy.mean()),
        _PERCENT * gold.floor,
        dict(zip(QUANTILES, quantiles.tolist(), strict=True)),
        worst,
    )


def write_stats(stats: Sequence[SurfaceStats], out: Path) -> tuple[Path, ...]:
    """Write ``surface-stats.csv``, the worst arms of each task and a figure; return the paths."""
    out.mkdir(parents=True, exist_ok=True)
    table = pl.DataFrame(
        [
            {
                "task": s.task,
                "rows": s.n_rows,
                "arms": s.n_arms,
                "active": s.n_active,
                "accuracy": s.accuracy,
                "macro_accuracy": s.macro_accuracy,
                "floor_mse": s.floor_mse,
            }
            | {f"q{p:g}": value for p, value in s.quantiles.items()}
            for s in stats
        ]
    )
    paths = [out / f"{_NAME}.csv"]
    table.write_csv(paths[0])
    for s in stats:
        paths.append(out / f"{_NAME}-{file_name(s.task)}-worst.csv")
        s.worst.write_csv(paths[-1])
    paths.append(out / f"{_NAME}.png")
    draw_quantiles(
        {s.task: s.quantiles for s in stats},
        {s.task: s.accuracy for s in stats},
        {s.task: s.worst["accuracy"].to_list() for s in stats},
        paths[-1],
    )
    return tuple(paths)


def file_name(task: str) -> str:
    """Return the name of a task as part of a file's name.

    Examples
    --------
    >>> file_name("synthetic:rows=500")
    'synthetic_rows_500'
    """
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in task)
