"""Labels chosen from nothing against random ones: the error at 24, 50 and 100 labels.

Each draw is a session without a seed set: batches of 12 with a fit after each. Ratios are of mean
macro MSEs over paired draws, with their standard errors; in brackets is the share of arms of 20
rows or more whose 90 % interval holds the truth. Tasks with signals are run without and with them.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.strata import stratify
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import evaluate
from accuracy_assay.registry import build_estimator, build_strategy
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.tasks.registry import load_task

TASKS = ["digits-exact", "adult5", "am2g", "am2d", "am3g", "whisper-text", "bbq", "mmlu_pair"]
SIZES = (24, 50, 100)
BATCH = 12


class Pool:
    """A task's pool with its truth."""

    def __init__(self, task, *, use_signals):  # type: ignore[no-untyped-def]
        space = task.space
        codes = space.encode(task.rows)
        strata = stratify(task.rows, task.columns.signals if use_signals else ())
        stratum = None if strata is None else strata.arm_index(strata.encode(task.rows))
        self.problem = Problem.build(Arms.exact(space, codes, task.n_rows), strata, stratum)
        self.scores = check_scores(task.rows.get_column(task.score).cast(float).to_numpy())
        self.gold = Gold.count(space.arm_index(codes), self.scores)

    def replay(self, strategy, seed: int) -> np.ndarray:  # type: ignore[no-untyped-def]
        """Return macro MSE and coverage at each size, (3, 2)."""
        fit_rng, rng = np.random.default_rng(seed).spawn(2)
        estimator, found, surface = build_estimator("anova-gp"), [], None
        labelled = np.zeros(0, dtype=np.int64)
        for size in stops(is_random=strategy.is_random):
            if size:
                free = np.setdiff1d(np.arange(self.scores.size), labelled)
                candidates = self.problem.candidates(free)
                choice = strategy.choose(surface, candidates, size - labelled.size, rng)
                labelled = np.concatenate([labelled, free[choice.positions]])
            observations = self.problem.observe(labelled, self.scores[labelled])
            surface = estimator.fit(observations, fit_rng, surface)
            if size in SIZES:
                scores = evaluate(surface, self.gold)
                found.append((scores.macro_mse, scores.coverage_90))
        return np.asarray(found)


def stops(*, is_random: bool) -> Iterator[int]:
    """Yield the labels at which there is a fit; random labels need those that are shown alone."""
    yield 0
    labels = 0
    for size in SIZES:
        while labels < size:
            labels = size if is_random else min(labels + BATCH, size)
            yield labels


def main() -> None:
    """Print one line per task and size, then the means over tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", default=TASKS)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--signals", type=int, nargs="+", default=[0, 1], choices=[0, 1])
    parser.add_argument("--cover-labels", type=int, help="as the strategy's own by default")
    args = parser.parse_args()
    settings = {} if args.cover_labels is None else {"cover_labels": args.cover_labels}
    chosen = build_strategy("variance-reduction", **settings)
    print(f"{'task':24}{'labels':>7}{'random':>14}{'chosen':>14}{'ratio':>8}")
    ratios = []
    for name in args.task:
        task = load_task(name, args.data)
        for use_signals in map(bool, args.signals):
            if use_signals and not task.signals:
                continue
            pool = Pool(task, use_signals=use_signals)
            draws = [
                [pool.replay(strategy, seed) for strategy in (build_strategy("random"), chosen)]
                for seed in range(args.seeds)
            ]
            ratios.append(report(name + " +signals" * use_signals, np.asarray(draws)))
    for size, ratio in zip(SIZES, np.transpose(ratios), strict=True):
        print(f"{'mean of tasks':24}{size:7}{'':28}{ratio.mean():8.2f}, at most {ratio.max():.2f}")


def report(name: str, draws: np.ndarray) -> np.ndarray:
    """Print the lines of one task, and return the ratio at each size; draws are (n, 2, 3, 2)."""
    mean = draws.mean(axis=0)
    ratio = mean[1, :, 0] / mean[0, :, 0]
    away = draws[:, 1, :, 0] - ratio * draws[:, 0, :, 0]
    error = away.std(axis=0, ddof=1) / len(draws) ** 0.5 / mean[0, :, 0]
    for k, size in enumerate(SIZES):
        sides = "".join(f"{mse:8.2f} ({held:3.0f})" for mse, held in mean[:, k])
        print(f"{name:24}{size:7}{sides}{ratio[k]:8.2f} +- {error[k]:.2f}", flush=True)
    return ratio


if __name__ == "__main__":
    main()
