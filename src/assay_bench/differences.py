"""Differences between two services, beside the truth: of the pool, of values and of arms.

Questions of fewer than 20 rows are left out, as with arms. Counts and not shares, since most tasks
have a single service and a draw may have few questions of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from accuracy_assay import Comparison, compare
from accuracy_assay.metrics.scores import LEAST_CHECKED_ROWS, holds
from accuracy_assay.tasks.task import Task

__all__ = ["DIFFERENCE_COUNTS", "Found", "asked_differences", "count_differences"]

DIFFERENCE_COUNTS = {
    of: (f"difference by {of}: asked", f"difference by {of}: held")
    for of in ("pool", "value", "arm")
}
"""Metrics of each kind of difference: how many were asked for, and how many intervals hold."""

Found = dict[str, Any]


def count_differences(
    task: Task, estimator: str | dict[str, Any], labelled: Sequence[int]
) -> dict[str, float]:
    """Return how many differences of a task's first two services hold, from some labelled rows.

    The first is the task's own. All counts are zero without labels, for a task with one service,
    with attributes that are guessed or revealed by the label, or without the answers behind its
    scores.
    """
    counts = dict.fromkeys((name for pair in DIFFERENCE_COUNTS.values() for name in pair), 0.0)
    own = [name for name, column in task.services.items() if column == task.y_pred]
    others = [name for name in task.services if name not in own]
    is_hidden = bool(task.evidence or task.from_label)
    if not len(labelled) or is_hidden or task.y_true is None or not own or not others:
        return counts
    services = {name: task.services[name] for name in (own[0], others[0])}
    board = compare(
        task.rows[list(labelled)],
        list(task.attributes),
        services=services,
        y_true=task.y_true,
        pool=task.rows,
        estimator=estimator,
    )
    truth = pl.col(task.y_true)
    right = {f"__{name}": pl.col(column) == truth for name, column in services.items()}
    rows = task.rows.with_columns(**right)
    scores = {name: f"__{name}" for name in services}
    for each in asked_differences(board, rows, task.attributes, scores):
        asked, held = DIFFERENCE_COUNTS[str(each["of"])]
        counts[asked] += 1.0
        counts[held] += float(holds(each["lower"], each["upper"], each["truth"]))
    return counts


def asked_differences(
    board: Comparison, rows: pl.DataFrame, attributes: Sequence[str], scores: Mapping[str, str]
) -> Iterator[Found]:
    """Yield each difference of the pool, of values and of arms beside its truth.

    Parameters
    ----------
    board
        The comparison.
    rows
        The whole pool.
    attributes
        Its attribute columns.
    scores
        Column of each service's scores.
    """
    asked: list[tuple[str, dict[str, object], pl.DataFrame]] = [("pool", {}, rows)]
    if len(attributes) > 1:
        for name in attributes:
            asked += [("value", {name: part[name][0]}, part) for part in rows.partition_by(name)]
    for of, where, part in asked:
        if part.height >= LEAST_CHECKED_ROWS:
            found = board.asked(where)
            for pair in combinations(board.names, 2):
                d = found.difference(*pair)
                numbers = {"mean": d.mean, "lower": d.lower, "upper": d.upper}
                yield {
                    "of": of,
                    "truth": _truth(part, scores, pair),
                    **numbers,
                    "p": d.probability,
                }
    every = rows.partition_by(list(attributes), as_dict=True)
    gold = {tuple(map(str, key)): part for key, part in every.items()}
    for pair in combinations(board.names, 2):
        for row in pl.DataFrame(board.better(*pair)).iter_rows(named=True):
            part = gold[tuple(str(row[name]) for name in attributes)]
            if part.height >= LEAST_CHECKED_ROWS:
                numbers = {"mean": row["difference"], "lower": row["lower"], "upper": row["upper"]}
                truth = _truth(part, scores, pair)
                yield {"of": "arm", "truth": truth, **numbers, "p": row["probability"]}


def _truth(part: pl.DataFrame, scores: Mapping[str, str], pair: tuple[str, str]) -> float:
    first, second = (part[scores[name]].cast(pl.Float64).mean() for name in pair)
    return float(first) - float(second)  # type: ignore[arg-type]
