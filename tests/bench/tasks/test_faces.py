from functools import cache

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task
from assay_bench.tasks.faces import faces

SEEDS = (0, 1, 2)


@cache
def world(seed: int) -> Task:
    return faces(seed=seed)


def guessed_right(task: Task) -> np.ndarray:
    return np.stack(
        [
            (task.rows[f"p_{name}__true"] > 0.5).to_numpy() == task.rows[name].to_numpy()
            for name in task.attributes
        ],
        axis=1,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_is_a_world_of_the_papers_size(seed: int) -> None:
    task = world(seed)
    active = task.gold().filter(pl.col("support") >= 5)
    assert task.n_rows == 50_000
    assert 250 <= active.height <= 400
    assert 0.94 <= task.rows["correct"].mean() <= 0.96
    assert 0.82 <= active["truth"].mean() <= 0.88
    assert 0.52 <= guessed_right(task).all(axis=1).mean() <= 0.56


def test_seeds_are_different_worlds() -> None:
    first, second = (world(seed).gold().select(world(0).attributes) for seed in (0, 1))
    assert not first.equals(second)


def test_attributes_go_together_and_have_a_long_tail() -> None:
    rows = world(0).rows
    assert rows.filter("male")["heavy_makeup"].mean() < 0.1
    assert rows.filter(~pl.col("male"))["heavy_makeup"].mean() > 0.5
    support = world(0).gold()["support"].sort(descending=True)
    assert support.head(20).sum() > 0.5 * support.sum()
    assert (support < 5).sum() > 100


def test_scores_follow_the_known_surface() -> None:
    task = world(0)
    arms = task.rows.group_by(task.attributes).agg(
        pl.col("correct").mean(),
        pl.col("rho").first(),
        pl.col("rho").n_unique().alias("rhos"),
        n=pl.len(),
    )
    assert (arms["rhos"] == 1).all()
    large = arms.filter(pl.col("n") >= 200)
    rho = large["rho"].to_numpy()
    z = (large["correct"].to_numpy() - rho) / np.sqrt(rho * (1 - rho) / large["n"].to_numpy())
    assert np.abs(z).max() < 4.5
    assert np.sqrt(np.mean(z**2)) < 1.3


def test_the_confidence_tells_which_rows_are_wrong() -> None:
    rows = world(0).rows
    right, wrong = (rows.filter(pl.col("correct") == c)["confidence"].mean() for c in (1, 0))
    assert right > wrong + 0.2


def test_predictors_err_together_and_are_overconfident() -> None:
    task = world(0)
    is_right = guessed_right(task)
    assert is_right.all(axis=1).mean() > np.prod(is_right.mean(axis=0)) + 0.02
    p = np.stack([task.rows[f"p_{name}__true"].to_numpy() for name in task.attributes])
    assert np.maximum(p, 1.0 - p).mean() > is_right.mean() + 0.02


def test_faces_that_are_guessed_wrong_are_hard_for_the_service() -> None:
    task = world(0)
    is_right = guessed_right(task).all(axis=1)
    correct = task.rows["correct"].to_numpy()
    assert correct[is_right].mean() > correct[~is_right].mean() + 0.03


def test_fewer_rows_are_the_first_of_the_same_pool() -> None:
    few = load_task("faces:rows=700,seed=1")
    assert few.rows.equals(world(1).rows.head(700))


def test_exact_hands_over_the_gold_attributes() -> None:
    assert load_task("faces-exact:rows=200").evidence == {}


def test_no_rows_are_refused() -> None:
    with pytest.raises(InputError, match="rows of the task 'faces' must be at least 1; got 0"):
        faces(rows=0)
