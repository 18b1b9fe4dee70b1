"""What a reader must know of a task: its size, and whether its attributes are guessed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from accuracy_assay import AttributeSpace
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.tasks.registry import load_task

__all__ = ["TaskFacts", "task_facts"]


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """Rows, possible arms, arms with at least five rows, and whether attributes are guessed."""

    n_rows: int
    n_arms: int
    n_active: int
    is_guessed: bool


@cache
def task_facts(name: str, data: Path | None) -> TaskFacts:
    """Return the facts of the task with that name."""
    task = load_task(name, data)
    space = AttributeSpace(tuple(task.arguments()["attributes"]))
    score = task.rows.get_column(task.score).cast(pl.Float64).to_numpy()
    gold = Gold.count(space.arm_index(space.encode(task.rows)), score)
    return TaskFacts(task.n_rows, space.n_arms, int(gold.arms.size), bool(task.evidence))
