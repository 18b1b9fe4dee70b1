"""One run of the protocol: a task, a method and a seed, replayed once into rows of metrics."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import gcd
from pathlib import Path
from typing import Any, Literal

import polars as pl

from accuracy_assay import History, simulate
from accuracy_assay.errors import InputError
from accuracy_assay.registry import build_estimator
from accuracy_assay.study.method import Method, columns_for
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task
from assay_bench.cold_fit import ColdFit
from assay_bench.coverage import replay
from assay_bench.shared_calibration import SharedCalibrator

__all__ = ["METRICS", "Mode", "Row", "Run", "perform"]

Mode = Literal["sizes", "rounds", "coverage"]
Row = dict[str, Any]

METRICS = (
    "macro_mse",
    "worst_mse",
    "micro_mse",
    "infrequent_mse",
    "floor_mse",
    "coverage_90",
    "seconds",
)
"""Columns of a run in mode ``sizes`` or ``rounds``, as ``simulate`` names them."""

_TASKS_KEPT = 2
"""Tasks held in memory by a process: runs that follow one another mostly share their task."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run does; all of it is part of its key.

    Parameters
    ----------
    task
        Name of the task.
    method
        The method.
    seed
        Seed of the seed set, the labels and the fits.
    mode
        ``sizes``: random labels, a cold fit at each of ``sizes``. ``rounds``: the loop with the
        method's strategy, a row per round up to the last of ``sizes``. ``coverage``: from
        nothing, intervals checked at each of ``sizes``.
    sizes
        Labels, seed set included.
    seed_size
        Rows with gold attributes and labels at the start.
    batch
        Labels per round, in mode ``rounds``.
    """

    task: str
    method: Method
    seed: int
    mode: Mode
    sizes: tuple[int, ...]
    seed_size: int = 500
    batch: int = 50

    def __post_init__(self) -> None:
        if not self.sizes or any(size < self.seed_size for size in self.sizes):
            raise InputError(
                f"labels must be at least the seed set of {self.seed_size}; "
                f"got {list(self.sizes)}. Lower --seed-size or ask for more labels."
            )

    def key(self) -> dict[str, Any]:
        """Return what tells this run from any other, as JSON values."""
        method = asdict(self.method)
        if not self.method.use_referees:
            del method["use_referees"]  # so that runs of before there were any are found again
        return asdict(self) | {"sizes": list(self.sizes), "method": method}


def perform(run: Run, data: Path | None) -> list[Row]:
    """Replay ``run`` and return its rows: labels, the metrics, seconds."""
    task = _load_once(run.task, data)
    if run.mode == "coverage":
        if run.method.use_referees:
            raise InputError(
                f"methods of the coverage experiment must be without referees; got "
                f"{run.method.name!r}. Run assay bench referees."
            )
        return replay(task, run.method, run.sizes, run.seed)
    history = _by_size(run, task) if run.mode == "sizes" else _by_round(run, task)
    rows: list[dict[str, Any]] = history.metrics.to_dicts()
    return rows


def _by_size(run: Run, task: Task) -> History:
    sizes = tuple(sorted(set(run.sizes)))
    steps = [b - a for a, b in pairwise((run.seed_size, *sizes)) if b > a]
    history = simulate(
        task.rows,
        columns_for(run.method, task),
        **_settings(run),
        estimator=ColdFit(build_estimator(run.method.estimator), sizes),
        strategy="random",
        budget=sizes[-1] - run.seed_size,
        batch=max(gcd(*steps), 1),
    )
    wanted = history.metrics.filter(pl.col("labels").is_in(list(sizes)))
    return replace(history, metrics=wanted)


def _by_round(run: Run, task: Task) -> History:
    return simulate(
        task.rows,
        columns_for(run.method, task),
        **_settings(run),
        estimator=run.method.estimator,
        strategy=run.method.strategy,
        budget=max(run.sizes) - run.seed_size,
        batch=run.batch,
    )


def _settings(run: Run) -> dict[str, Any]:
    key = (run.task, run.seed, run.seed_size)
    return {
        "calibration": SharedCalibrator(run.method.calibration, key),
        "seed_size": run.seed_size,
        "seed": run.seed,
    }


@lru_cache(maxsize=_TASKS_KEPT)
def _load_once(name: str, data: Path | None) -> Task:
    return load_task(name, data)
