"""Outcomes of experiments that nobody ran, with the errors that a test wants to see described."""

from collections.abc import Mapping

import polars as pl

from assay_bench.conduct import Outcome
from assay_bench.run import METRICS
from assay_bench.summary import summarise
from assay_bench.surface_stats import SurfaceStats

__all__ = ["outcome_of"]


def outcome_of(
    errors: Mapping[str, Mapping[str, float]],
    *,
    labels: int = 2_000,
    metric: str = "macro_mse",
    spread: float = 0.0,
    guessed: tuple[str, ...] = (),
    missing: str = "",
) -> Outcome:
    """Return two seeds per task and method, ``spread`` apart, about the given errors."""
    rows = pl.DataFrame(
        [
            {"task": task, "method": method, "seed": seed, "labels": labels}
            | dict.fromkeys(METRICS, 1.0)
            | {metric: error + spread * (seed - 0.5)}
            for task, by_method in errors.items()
            for method, error in by_method.items()
            for seed in (0, 1)
        ]
    )
    facts = {task: _stats(task, is_guessed=task in guessed) for task in errors}
    return Outcome(rows, summarise(rows), (), 0, facts, missing, seed_size=500)


def _stats(task: str, *, is_guessed: bool) -> SurfaceStats:
    return SurfaceStats(
        task, 50_000, 600, 500, is_guessed, 0.9, 0.8, 1.0, quantiles={}, worst=pl.DataFrame()
    )
