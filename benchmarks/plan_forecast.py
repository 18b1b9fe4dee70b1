"""How near the forecasts of ``plan`` are to the labels that a goal truly takes.

A task is labelled by a strategy, fit after fit, to the end. At 100 and 300 labels the plan is
asked for goals of 0.7 and 0.5 times the half-width of then; the truth is the first fit at which
the half-width was that narrow. Goals that no fit reached are counted apart. A line per forecast,
then for each goal the share within 25 % of the labels needed in all, the median ratio, the
standard deviation of its log, and how often the forecast's interval held the truth.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from accuracy_assay.domain.strata import stratify
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.registry import build_estimator, build_strategy
from accuracy_assay.study.plan.forecast import forecast_goal
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.tasks.registry import load_task

ASKED_AT = (100, 300)
SHARES = (0.7, 0.5)
GROWTH = 1.1
"""Labels grow by a tenth between fits, so that the truth is known to a tenth."""
GOALS = ("overall", "slice", "worst", "every-arm")


def looks(most: int) -> list[int]:
    """Return the numbers of labels at which a fit is made."""
    found = [24]
    while found[-1] < most:
        found.append(max(found[-1] + 12, int(found[-1] * GROWTH)))
    return sorted({*(n for n in found if n < most), *ASKED_AT, most})


def replay(name: str, data: Path, strategy_name: str, seed: int, most: int, goals: list[str]):  # type: ignore[no-untyped-def]
    """Yield (labels at the forecast, goal, share, labels needed or None, forecast)."""
    task = load_task(name, data)
    space = task.space
    scores = task.rows.get_column(task.score).to_numpy().astype(float)
    strata = stratify(task.rows, task.columns.signals)
    stratum = None if strata is None else strata.arm_index(strata.encode(task.rows))
    arms = Arms.exact(space, space.encode(task.rows), scores.size)
    problem = Problem.build(arms, strata, stratum)
    first = space.attributes[0]
    estimator, strategy = build_estimator("anova-gp"), build_strategy(strategy_name)
    rng = np.random.default_rng([seed, 11])
    is_labelled = np.zeros(scores.size, dtype=bool)
    surface, open_goals = None, []
    for n in [0, *looks(most)]:
        if n:
            free = np.flatnonzero(~is_labelled)
            more = n - int(is_labelled.sum())
            choice = strategy.choose(surface, problem.candidates(free), more, rng)
            is_labelled[free[choice.positions]] = True
        rows = np.flatnonzero(is_labelled)
        surface = estimator.fit(problem.observe(rows, scores[rows]), rng, surface)
        for entry in list(open_goals):
            asked_at, of, share, aim, found = entry
            if aim.measure(surface) <= aim.half_width:
                open_goals.remove(entry)
                yield asked_at, of, share, n, found
        if n not in ASKED_AT:
            continue
        candidates = problem.candidates(np.flatnonzero(~is_labelled))
        for of in goals:
            where = {first.name: first.values[0]} if of == "slice" else {}
            now = Aim(0.25, of, where).measure(surface)
            for share in SHARES:
                if not 0.0 < share * now < 0.5:
                    continue
                aim = Aim(share * now, of, where)
                found = forecast_goal(surface, problem, candidates, strategy, aim, rng)
                open_goals.append((n, of, share, aim, found))
    for asked_at, of, share, _, found in open_goals:
        yield asked_at, of, share, None, found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tasks", nargs="+", default=["adult5", "bbq", "mmlu_pair"])
    parser.add_argument("--strategies", nargs="+", default=["random", "variance-reduction"])
    parser.add_argument("--for", dest="goals", nargs="+", default=list(GOALS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--most", type=int, default=1500, help="labels at which a replay ends")
    args = parser.parse_args()
    ratios, held, missed = defaultdict(list), defaultdict(list), defaultdict(int)
    for task in args.tasks:
        for strategy in args.strategies:
            for seed in range(args.seeds):
                run = replay(task, args.data, strategy, seed, args.most, args.goals)
                for asked_at, of, share, needed, found in run:
                    key = f"{of} {strategy}"
                    total = asked_at + found.labels
                    said = f"{task} {strategy} {seed} at {asked_at}: {of} x{share}: {total}"
                    if needed is None:
                        missed[key] += 1
                        print(f"{said} forecast, not reached at {args.most}", flush=True)
                        continue
                    ratios[key].append(total / needed)
                    held[key].append(found.lower <= needed - asked_at <= found.upper)
                    print(f"{said} forecast, {needed} needed, {total / needed:.2f}", flush=True)
        report(ratios, held, missed)


def report(ratios, held, missed) -> None:  # type: ignore[no-untyped-def]
    """Print one line per goal and strategy."""
    for key, found in ratios.items():
        values = np.asarray(found)
        near = np.mean((values >= 0.75) & (values <= 1.25))
        print(
            f"== {key}: {100 * near:.0f} % of {values.size} within 25 %, median ratio "
            f"{np.median(values):.2f}, log deviation {np.log(values).std():.2f}, interval held "
            f"{100 * np.mean(held[key]):.0f} %; {missed[key]} not reached",
            file=sys.stdout,
            flush=True,
        )


if __name__ == "__main__":
    main()
