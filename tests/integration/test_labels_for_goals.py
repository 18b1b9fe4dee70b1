"""Labels chosen for what is asked: each goal beats the default on its own aim, over paired draws.

A law compares means over seeds: the seeds are the first ones, and are the same for both sides.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task

pytestmark = pytest.mark.slow

SEEDS = range(6)


@pytest.fixture(scope="module")
def made() -> Task:
    """A world of 64 arms, some rare, whose rows differ beyond their arms."""
    return load_task("synthetic:rows=6000,attributes=3,values=4,accuracy=0.8")


@pytest.fixture(scope="module")
def by_default(made: Task) -> list[AccuracySurface]:
    """What the default goal ends with, for each seed."""
    return [replay(made, seed) for seed in SEEDS]


def replay(task: Task, seed: int, budget: int = 200, **options: Any) -> AccuracySurface:
    history = aa.simulate(
        task.rows, task.columns, seed_size=0, budget=budget, batch=50, seed=seed, **options
    )
    return history.surface


def mean_of(
    measure: Callable[[AccuracySurface], float], task: Task, budget: int = 200, **options: Any
) -> float:
    return mean_over(measure, [replay(task, s, budget, **options) for s in SEEDS])


def mean_over(
    measure: Callable[[AccuracySurface], float], surfaces: Sequence[AccuracySurface]
) -> float:
    return float(np.mean([measure(surface) for surface in surfaces]))


def half_width(surface: AccuracySurface) -> float:
    return (surface.overall.upper - surface.overall.lower) / 2.0


def test_labels_for_the_overall_make_it_narrower(
    made: Task, by_default: list[AccuracySurface]
) -> None:
    assert mean_of(half_width, made, goal="overall") < mean_over(half_width, by_default)


def test_labels_for_a_mix_make_it_narrower(made: Task, by_default: list[AccuracySurface]) -> None:
    rare = made.rows.group_by("a1").len().sort("len").get_column("a1")[0]
    mix = pl.DataFrame({"a1": [rare], "weight": [1.0]})

    def under(surface: AccuracySurface) -> float:
        found = surface.under(mix)
        return found.upper - found.lower

    assert mean_of(under, made, goal="mix", mix=mix) < 0.9 * mean_over(under, by_default)


def test_labels_for_the_worst_arms_make_them_narrower(
    made: Task, by_default: list[AccuracySurface]
) -> None:
    def of_the_worst(surface: AccuracySurface) -> float:
        worst = surface.worst_first("mean")[:6]
        return float((surface.upper - surface.lower)[worst].mean())

    chosen = mean_of(of_the_worst, made, goal="worst")
    assert chosen < mean_over(of_the_worst, by_default)


def test_labels_to_compare_make_the_difference_narrower() -> None:
    rng = np.random.default_rng(0)
    n = 3000
    truth = rng.choice(["cat", "dog"], n)
    other = np.where(truth == "cat", "dog", "cat")
    is_hard = rng.random(n) < 0.15  # services err where it is hard, and mostly apart
    first, second = (
        np.where(rng.random(n) < np.where(is_hard, hard, 0.97), truth, other)
        for hard in (0.6, 0.45)
    )
    columns = {"id": np.arange(n), "sex": rng.choice(["f", "m"], n), "first": first}
    pool = pl.DataFrame({**columns, "second": second})
    differs = set(np.flatnonzero(first != second).tolist())

    def width(goal: str, seed: int) -> tuple[float, float]:
        spec = {
            "assay": {"goal": goal, "budget": 200, "batch": 50, "seed": seed, "random_share": 0.0},
            "attribute": [{"name": "sex"}],
            "service": [{"name": name, "column": name} for name in ("first", "second")],
            "label": {"choices": ["cat", "dog"]},
        }
        with aa.Assay.create(MemoryStore(), spec, pool=pool) as assay:
            for _ in range(4):
                ids = assay.ask(50, annotator="ann")["id"].to_list()
                assay.tell(ids, [str(truth[int(i)]) for i in ids], annotator="ann")
            found = assay.compare().difference("first", "second")
            return found.upper - found.lower, np.mean([int(i) in differs for i in ids])

    compared, default = (
        np.mean([width(goal, seed) for seed in range(3)], axis=0)
        for goal in ("compare", "surface")
    )
    assert compared[0] < default[0]
    assert compared[1] == 1.0  # after the first labels, only rows that they answer differently


def test_at_300_labels_the_overall_is_no_wider_than_with_random_labels() -> None:
    digits = load_task("digits-exact")
    chosen, random = (
        mean_of(half_width, digits, 300, strategy=strategy)
        for strategy in ("variance-reduction", "random")
    )
    assert chosen <= random


def test_at_300_labels_the_arms_are_far_better_known_than_with_random_labels() -> None:
    # In a made world whose rows are all alike but for their arms, proportional labels are the best
    # for the overall, so that it comes near to random labels' only at a cost.
    task = load_task("synthetic:rows=20000")
    chosen, random = (
        [replay(task, seed, 300, strategy=s) for seed in SEEDS]
        for s in ("variance-reduction", "random")
    )
    assert np.mean([half_width(s) for s in chosen]) < 1.1 * np.mean(
        [half_width(s) for s in random]
    )
    sd = [np.mean([float((s.sd**2).mean()) for s in side]) for side in (chosen, random)]
    assert sd[0] < sd[1]
