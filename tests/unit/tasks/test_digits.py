"""Laws of the embedded digits task."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_digits

from accuracy_assay.tasks.digits import LEVELS, digits
from accuracy_assay.tasks.task import Task


@pytest.fixture(scope="module")
def task() -> Task:
    return digits(seed=0)


def test_pool_is_large_uneven_and_has_rare_arms(task: Task) -> None:
    gold = task.gold()
    support = gold["support"].to_numpy()
    n_arms = 10 * np.prod([len(levels) for levels in LEVELS.values()])
    assert task.n_rows >= 20_000
    assert n_arms >= 500
    assert 0.8 * n_arms <= gold.height <= n_arms
    assert (support < 5).sum() >= 20
    assert support.max() > 10 * np.median(support)


def test_service_is_good_overall_and_bad_in_places(task: Task) -> None:
    truth = task.gold().filter(pl.col("support") >= 5)["truth"].to_numpy()
    assert 0.72 <= task.rows["correct"].mean() <= 0.88  # type: ignore[operator]
    assert np.quantile(truth, 0.1) < 0.35
    assert np.quantile(truth, 0.75) > 0.8


def test_rotation_hurts_some_digits_far_more_than_others(task: Task) -> None:
    rows = task.rows
    by_turn = rows.with_columns(pl.col("rotation").abs().alias("turn"))
    loss = (
        by_turn.group_by("digit")
        .agg(
            pl.col("correct").filter(pl.col("turn") == 0).mean().alias("upright"),
            pl.col("correct").filter(pl.col("turn") == 50).mean().alias("turned"),
        )
        .select(pl.col("upright") - pl.col("turned"))
        .to_series()
    )
    assert loss.max() - loss.min() > 0.25  # type: ignore[operator]


@pytest.mark.parametrize("name", list(LEVELS))
def test_predictor_is_right_for_most_rows_but_not_for_all(task: Task, name: str) -> None:
    probability = task.rows.select(f"p_{name}__{v}" for v in LEVELS[name]).to_numpy()
    guess = np.asarray(LEVELS[name])[probability.argmax(axis=1)]
    assert 0.70 <= (guess == task.rows[name].to_numpy()).mean() <= 0.95
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, atol=1e-12)


def test_confidence_tells_right_answers_from_wrong_ones(task: Task) -> None:
    by_answer = task.rows.group_by("correct").agg(pl.col("service_confidence").mean())
    wrong, right = by_answer.sort("correct")["service_confidence"]
    assert right > wrong + 0.2


def test_correct_means_that_the_service_names_the_digit_of_the_original(task: Task) -> None:
    label = load_digits(return_X_y=True)[1]
    rows = task.rows
    np.testing.assert_array_equal(label[rows["source"].to_numpy()], rows["digit"].to_numpy())
    assert rows.select((pl.col("correct") == (pl.col("service_pred") == pl.col("digit"))).all())[
        0, 0
    ]


def test_pool_leaves_out_the_images_that_trained_the_classifiers(task: Task) -> None:
    order = np.random.default_rng(0).permutation(1797)
    assert not set(order[:900]) & set(task.rows["source"].to_list())


def test_ids_are_unique_and_each_row_has_its_image(task: Task) -> None:
    assert task.rows["id"].n_unique() == task.n_rows
    assert task.images is not None
    assert task.images.shape == (task.n_rows, 16, 16)
    assert task.images.dtype == np.uint8


def test_same_seed_gives_the_same_task_and_another_seed_another() -> None:
    first, second, other = (digits(seed, n_rows=1_000).rows for seed in (3, 3, 4))
    assert first.equals(second)
    assert not first.equals(other)
