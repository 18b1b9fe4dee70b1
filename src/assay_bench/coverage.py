"""How often intervals hold, from the first label on: a replay of one draw of a known pool.

Labels start from nothing. Random ones are the first n of one order of the rows, so that sizes are
nested and methods of one seed share their labels; each size is one fit that goes on from the last,
as in a session. Chosen ones come in rounds with a fit each, as in a session too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay import AccuracySurface, AttributeSpace, simulate
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import (
    CLASSES,
    check_intervals,
    coverage,
    evaluate,
    holds,
    mean_width,
)
from accuracy_assay.protocols import Strategy
from accuracy_assay.registry import build_estimator, build_strategy_for
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.method import Method, columns_for
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.tasks.task import Task
from assay_bench.differences import DIFFERENCE_COUNTS, count_differences
from assay_bench.known_pool import Averages, KnownPool
from assay_bench.wilson import wilson

__all__ = [
    "CLASS_COUNTS",
    "COVERAGE_METRICS",
    "FIRST_BATCH",
    "check_surface",
    "labels_alone",
    "replay",
    "stops",
]

CLASS_COUNTS = {name: (f"{name}: arms", f"{name}: held") for name in CLASSES}
"""Metrics of each class of arms: how many, and how many of their intervals hold the truth. Counts
and not shares, since a draw may have few arms of a class, or none."""

COVERAGE_METRICS = (
    "arms_90",
    "arms_width",
    "macro_mse",
    "overall_90",
    "overall_width",
    "wilson_90",
    "wilson_width",
    "mixes_90",
    "marginals_90",
    "slices_90",
    "seconds",
    *(metric for counts in CLASS_COUNTS.values() for metric in counts),
    *(metric for counts in DIFFERENCE_COUNTS.values() for metric in counts),
)
"""Names that end in 90 are the percentage of 90% intervals that hold the truth; widths are in
accuracy; ``wilson`` is what the labels alone say of the pool; seconds are those of the fit."""

FIRST_BATCH = 12
"""Labels per round while there are few: what a session asks for by default."""

_FEW_LABELS, _LATER_SHARE = 100, 4
"""From 100 labels on a round asks for a quarter of the labels so far: to 3,000 this takes 17
rounds instead of 240."""

_AVERAGES = 100
"""Mixes, and slices, per draw: asking for 200 takes half a second, less than a fit."""


_SEED_SET, _FIRST_LABELS = 500, 100
"""Rows with gold at the start where attributes are guessed, as in the paper, and where the label
reveals one."""
_ROUNDS = 4
"""Rounds in which chosen labels of such tasks come, to save time."""


@dataclass(frozen=True, eq=False)
class _Known:
    """The truth of a task's pool: the arm and the score of every row."""

    space: AttributeSpace
    arms: IntArray
    scores: FloatArray

    @classmethod
    def read(cls, task: Task) -> _Known:
        space = task.space
        return cls(
            space,
            space.arm_index(space.encode(task.rows)),
            task.rows.get_column(task.score).cast(pl.Float64).to_numpy(),
        )

    @cached_property
    def gold(self) -> Gold:
        return Gold.count(self.arms, self.scores)

    @cached_property
    def pool(self) -> KnownPool:
        return KnownPool.count(self.space, self.arms, self.scores)


def replay(task: Task, method: Method, sizes: Sequence[int], seed: int) -> list[dict[str, Any]]:
    """Return one row per size: ``labels`` and the metrics of `COVERAGE_METRICS`.

    A method with signals has no rows on a task without any: they would be those of the
    method without. If attributes are guessed or revealed by the label, each size is a simulation
    of its own, which starts with a random seed set.
    """
    columns = columns_for(method, task)
    if method.use_signals and not columns.signals:
        return []
    known = _Known.read(task)
    order_rng, fit_rng, choice_rng, average_rng = np.random.default_rng(seed).spawn(4)
    averages = Averages.draw(known.pool, _AVERAGES, average_rng)
    wanted = [size for size in sorted(set(sizes)) if size <= task.n_rows]
    if columns.hidden:
        return [_simulated(task, method, known, averages, size, seed) for size in wanted]
    estimator = build_estimator(method.estimator)
    strategy = build_strategy_for(method.strategy)
    whole = Problem.of_rows(known.space, task.rows, columns.signals)
    order = order_rng.permutation(task.n_rows).astype(np.int64)
    labelled = np.zeros(0, dtype=np.int64)
    problem, surface = whole, None
    rows: list[dict[str, Any]] = []
    for size in stops(wanted, is_random=strategy.is_random):
        if strategy.is_random:
            labelled = order[:size]
        elif surface is not None:
            count = size - labelled.size
            labelled = _choose(problem, strategy, surface, labelled, count, choice_rng)
        problem = whole.condensed(labelled, known.scores[labelled])
        observations = problem.observe(labelled, known.scores[labelled])
        started = time.perf_counter()
        surface = estimator.fit(observations, fit_rng, surface)
        seconds = time.perf_counter() - started
        if labelled.size != size:  # a strategy that finds nothing worth a label ends the replay
            break
        if size in wanted:
            row = check_surface(surface, known.gold, known.pool, averages)
            row |= labels_alone(known.scores[labelled], known.pool.accuracy)
            row |= count_differences(task, method.estimator, labelled.tolist())
            rows.append({"labels": size, "seconds": seconds, **row})
    return rows


def _simulated(
    task: Task, method: Method, known: _Known, averages: Averages, size: int, seed: int
) -> dict[str, Any]:
    """Return the row of one size of a task whose attributes are not all known."""
    seed_size = min(size, _SEED_SET if task.evidence else _FIRST_LABELS)
    history = simulate(
        task.rows,
        columns_for(method, task),
        estimator=method.estimator,
        strategy=method.strategy,
        calibration=method.calibration,
        seed_size=seed_size,
        budget=size - seed_size,
        batch=max((size - seed_size) // _ROUNDS, FIRST_BATCH),
        seed=seed,
    )
    row = check_surface(history.surface, known.gold, known.pool, averages)
    row |= labels_alone(known.scores[history.labelled], known.pool.accuracy)
    row |= count_differences(task, method.estimator, ())
    return {"labels": size, "seconds": history.metrics["seconds"][-1], **row}


def check_surface(
    surface: AccuracySurface, gold: Gold, pool: KnownPool, averages: Averages
) -> dict[str, float]:
    """Return which of a surface's intervals hold, by kind, how wide they are, and its error."""
    overall = surface.overall
    return {
        "arms_90": coverage(surface, gold),
        "arms_width": mean_width(surface, gold),
        "macro_mse": evaluate(surface, gold).macro_mse,
        "overall_90": 100.0 * float(holds(overall.lower, overall.upper, pool.accuracy)),
        "overall_width": overall.upper - overall.lower,
        **averages.held(surface),
        **_class_counts(surface, gold),
    }


def _class_counts(surface: AccuracySurface, gold: Gold) -> dict[str, float]:
    """Return how many arms each class has, and how many of their intervals hold."""
    checked = check_intervals(surface, gold)
    found = {row["group"]: row for row in checked.iter_rows(named=True)}
    counts: dict[str, float] = {}
    for name, (arms, held) in CLASS_COUNTS.items():
        row = found.get(name, {"arms": 0, "covered": 0.0})
        counts |= {arms: float(row["arms"]), held: row["arms"] * row["covered"]}
    return counts


def labels_alone(scores: FloatArray, truth: float, level: float = 0.9) -> dict[str, float]:
    """Return whether the interval that labels alone give holds the pool's accuracy.

    It is Wilson's; for fractional scores it is the mean with z standard errors.
    """
    if np.isin(scores, (0.0, 1.0)).all():
        mean = scores.mean() if scores.size else 0.5
        lower, upper = (float(end) for end in wilson(mean, scores.size, level))
    elif scores.size < 2:
        lower, upper = 0.0, 1.0
    else:
        z = NormalDist().inv_cdf(0.5 + level / 2.0)
        reach = z * float(scores.std(ddof=1)) / np.sqrt(scores.size)
        lower, upper = max(scores.mean() - reach, 0.0), min(scores.mean() + reach, 1.0)
    return {
        "wilson_90": 100.0 * float(holds(lower, upper, truth)),
        "wilson_width": float(upper - lower),
    }


def stops(sizes: Sequence[int], *, is_random: bool) -> Iterator[int]:
    """Yield the numbers of labels at which there is a fit, the wanted sizes among them."""
    if is_random:
        yield from sizes
        return
    labels = 0
    yield labels
    for size in sizes:
        while labels < size:
            batch = FIRST_BATCH if labels < _FEW_LABELS else labels // _LATER_SHARE
            labels = min(labels + batch, size)
            yield labels


def _choose(
    problem: Problem,
    strategy: Strategy,
    surface: AccuracySurface,
    labelled: IntArray,
    count: int,
    rng: np.random.Generator,
) -> IntArray:
    """Return the labelled rows with those that the strategy adds."""
    free = np.setdiff1d(np.arange(problem.arms.n_pool), labelled)
    choice = strategy.choose(surface, problem.candidates(free), count, rng)
    return np.concatenate([labelled, free[choice.positions]])
