"""What an estimator gains by the labels that it chooses, and by what it makes of them.

Each of the paper's estimators explores by its own variance. Then every estimator is fitted, from
scratch, to the labels that each of them chose, and to as many random ones: a table of macro MSE
(x 100) with a row per choice of labels and a column per estimator. Columns that differ more than
rows mean that the estimate decides, not the exploration. Tasks have exact attributes.
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import evaluate
from accuracy_assay.study.method import columns_for, parse_method
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task

FITTED = ("beta-independent", "beta-gp", "beta-gp-slp", "anova-gp")
CHOOSERS = {"random": ("beta-independent", "random")} | {
    name: (name, "largest-variance") for name in FITTED[:-1]
}
SEED_SIZE = 500


def chosen_rows(task: Task, estimator: str, strategy: str, n: int, seed: int) -> np.ndarray:
    """Return the rows that have a label once the seed set and n - 500 choices have theirs."""
    history = aa.simulate(
        task.rows,
        columns_for(parse_method(estimator), task),
        estimator=estimator,
        strategy=strategy,
        seed_size=SEED_SIZE,
        budget=n - SEED_SIZE,
        batch=50,
        seed=seed,
    )
    return history.labelled


def error_of(task: Task, estimator: str, labelled: np.ndarray, seed: int) -> float:
    """Return the macro MSE of a fit to the labels of some rows, all others being the pool."""
    is_labelled = np.isin(np.arange(task.n_rows), labelled)
    score = pl.when(pl.Series(is_labelled)).then(pl.col(task.score))
    rows = task.rows.with_columns(score.alias(task.score))
    columns = columns_for(parse_method(estimator), task)
    surface = aa.estimate(rows, columns, estimator=estimator, seed=seed)
    codes = task.space.encode(task.rows)
    truth = Gold.count(task.space.arm_index(codes), task.rows[task.score].to_numpy().astype(float))
    return evaluate(surface, truth).macro_mse


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="digits-exact", help="a task with exact attributes")
    parser.add_argument("--labels", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--data", type=Path, help="folder with the tables that do not ship")
    options = parser.parse_args()
    task = load_task(options.task, options.data)
    print(f"{options.task}, {options.labels} labels, {options.seeds} seeds: macro MSE x 100")
    print(f"{'chosen by':20}" + "".join(f"{name:>20}" for name in FITTED))
    for chooser, (estimator, strategy) in CHOOSERS.items():
        errors = np.zeros(len(FITTED))
        for seed in range(options.seeds):
            rows = chosen_rows(task, estimator, strategy, options.labels, seed)
            errors += [error_of(task, name, rows, seed) for name in FITTED]
        means = errors / options.seeds
        print(f"{chooser:20}" + "".join(f"{error:20.2f}" for error in means), flush=True)


if __name__ == "__main__":
    main()
