"""What judges that mislead cost: errors with them against those without, on paired draws.

Made judges, a verdict on every row:

- ``good`` is right about 85 % of the rows;
- ``inverted`` is the same, but in the largest arm, where it always says the opposite of the truth;
- ``shuffled`` has the verdicts of the good one in another order, so that they mean nothing.

Labels are random, from nothing. A ratio is of mean macro MSEs over
the draws, with its standard error by the jackknife; below it, for the largest arm alone, the root
of its mean squared error without a judge and with each.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task

TASKS = ["am3g", "bbq", "adult5", "whisper-text"]
JUDGES = ("good", "inverted", "shuffled")
ACCURACY = 0.85


def main() -> None:
    """Print one line per task and size, and one of its largest arm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", default=TASKS)
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--estimator", default="anova-gp")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    print(f"{'task':14}{'labels':>7}{'without':>9}" + "".join(f"{j:>17}" for j in JUDGES))
    for name in args.task:
        task = load_task(name, args.data)
        for labels in args.labels:
            found = np.asarray(
                [draw(task, args.estimator, labels, seed) for seed in range(args.seeds)]
            )
            error, miss = found[:, :, 0], np.sqrt((found[:, :, 1] ** 2).mean(axis=0))
            ratios = [ratio(with_judge, error[:, 0]) for with_judge in error[:, 1:].T]
            cells = "".join(f"{value:9.3f} ± {spread:.3f}" for value, spread in ratios)
            print(f"{name:14}{labels:7}{error[:, 0].mean():9.3f}{cells}")
            cells = "".join(f"{each:17.3f}" for each in miss[1:])
            print(f"{'  largest arm':21}{miss[0]:9.3f}{cells}", flush=True)


def draw(task: Task, estimator: str, labels: int, seed: int) -> list[tuple[float, float]]:
    """Return macro MSE and the miss of the largest arm, without a judge and with each."""
    space = task.space
    arm = space.arm_index(space.encode(task.rows))
    largest = int(np.bincount(arm).argmax())
    score = task.rows.get_column(task.score).cast(pl.Float64).to_numpy()
    rows = with_judges(task.rows, score, arm == largest, seed)
    found = []
    for judges in ((), *((judge,) for judge in JUDGES)):
        history = aa.simulate(
            rows,
            replace(task.columns, signals=(), judges=judges),
            estimator=estimator,
            strategy="random",
            seed_size=0,
            budget=labels,
            batch=labels,
            seed=seed,
        )
        mean = history.surface.mean[history.surface.arms == largest].item()
        found.append((history.metrics["macro_mse"][-1], mean - score[arm == largest].mean()))
    return found


def with_judges(
    rows: pl.DataFrame, score: np.ndarray, is_inverted: np.ndarray, seed: int
) -> pl.DataFrame:
    """Return the rows with the verdicts of each judge."""
    rng = np.random.default_rng([seed, 85])
    is_right = score >= score.mean()  # fractional scores are cut at their mean
    good = np.where(rng.random(score.size) < ACCURACY, is_right, ~is_right)
    return rows.with_columns(
        pl.Series("good", good),
        pl.Series("inverted", np.where(is_inverted, ~is_right, good)),
        pl.Series("shuffled", rng.permutation(good)),
    )


def ratio(above: np.ndarray, below: np.ndarray) -> tuple[float, float]:
    """Return the ratio of means and its jackknife standard error."""
    n = above.size
    left_out = (above.sum() - above) / (below.sum() - below)
    spread = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    return float(above.mean() / below.mean()), float(spread)


if __name__ == "__main__":
    main()
