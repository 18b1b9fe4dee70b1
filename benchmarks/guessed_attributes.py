"""What a dozen guessed attributes cost, in time and in error.

``faces``, or another task: 500 gold rows, then random labels. Times are of a first fit, of a refit
with twelve labels more and of the choice of the next twelve, in seconds and as a ratio to a first
fit with gold attributes in the same run. Errors are macro and worst MSE x 100 with gold
attributes; with those of three fifths of the labels and no more labels; with guesses; and where
annotators confirmed the attributes of half of the labels, the half of each label's attributes
that is least sure, those that are less than 90% sure, or all of all labels.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.scores import coverage, evaluate
from accuracy_assay.registry import build_calibrator, build_estimator, build_strategy
from accuracy_assay.study.read.arms import Arms, learn_calibration
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.tasks.registry import load_task

SEED_SIZE, BATCH, N_JUDGED = 500, 12, 10_000
PART = 0.64
"""Share of the labels that, with gold attributes, is about as good as all with guesses."""
UNSURE = 0.9
NAMES = "gold / gold of fewer / guesses / half of rows / half of attributes / unsure / all of rows"


class World:
    """A task, an order of its rows, and the problem with guesses and with gold."""

    def __init__(self, name: str, data: Path | None, draw: int) -> None:
        task = load_task(name, data)
        space = task.space
        self.codes, n = space.encode(task.rows), task.n_rows
        self.scores = task.rows.get_column(task.score).to_numpy().astype(float)
        self.order = np.random.default_rng(draw).permutation(n)
        evidence = Evidence.from_frame(task.rows, space, task.evidence)
        seed_rows, gold = self.order[:SEED_SIZE], np.full(self.codes.shape, -1)
        gold[seed_rows] = self.codes[seed_rows]
        rng = np.random.default_rng([draw, 1])
        calibration = learn_calibration(
            build_calibrator("full"), evidence, gold, n, seed_rows, rng
        )
        rest = self.order[SEED_SIZE : SEED_SIZE + N_JUDGED]
        said = calibration.log_probability(evidence.take(rest), self.codes[rest])
        first = calibration.affiliation(evidence.take(rest)).argmax()
        is_first = first == space.arm_index(self.codes[rest])
        self.quality = f"{-said.mean():.3f}, {is_first.mean():.1%}, {np.exp(said).mean():.3f}"
        tables = calibration.marginals(evidence).tables
        self.sure = np.stack([table.max(axis=1) for table in tables], axis=1)
        self.guessed = Problem.build(Arms(evidence, gold, n, calibration))
        self.exact = Problem.build(Arms.exact(space, self.codes, n))
        self.gold = Gold.count(space.arm_index(self.codes), self.scores)

    def fit(
        self,
        n_labels: int,
        previous: AccuracySurface | None = None,
        *,
        problem: Problem | None = None,
        confirmed: float | str = 0.0,
    ) -> AccuracySurface:
        """Return the surface of so many labels, some of whose attributes were confirmed.

        A share of the rows, or ``least sure`` or ``unsure`` attributes of every row.
        """
        rows = self.order[:n_labels]
        chosen, sure = problem or self.guessed, self.sure[rows]
        if confirmed == "least sure":
            middle = np.sort(sure, axis=1)[:, sure.shape[1] // 2 - 1]
            is_confirmed = sure <= middle[:, None]
        elif confirmed == "unsure":
            is_confirmed = sure < UNSURE
        else:
            is_confirmed = np.random.default_rng(2).random(n_labels)[:, None] < confirmed
        known = np.where(is_confirmed, self.codes[rows], -1)
        observed = chosen.observe(rows, self.scores[rows], self._arms(chosen, rows, known))
        return build_estimator("anova-gp").fit(observed, np.random.default_rng(0), previous)

    def _arms(self, problem: Problem, rows, known) -> Affiliation:  # type: ignore[no-untyped-def]
        return problem.arms.labelled(rows, known)


def timed(make):  # type: ignore[no-untyped-def]
    """Return what was made and the seconds that it took."""
    started = time.perf_counter()
    made = make()
    return made, time.perf_counter() - started


def measure_time(world: World, n: int) -> None:
    """Print the times of one world, each after one that compiled its code."""
    world.fit(n, problem=world.exact)
    _, base = timed(lambda: world.fit(n, problem=world.exact))
    first, cold = timed(lambda: world.fit(n))
    first, warm = timed(lambda: world.fit(n))
    strategy, rng = build_strategy("variance-reduction"), np.random.default_rng(3)
    free = np.sort(world.order[n + 2 * BATCH :])
    candidates = world.guessed.candidates(free)
    for attempt in (1, 2):
        again, refit = timed(lambda k=attempt: world.fit(n + k * BATCH, first))
        _, choice = timed(lambda s=again: strategy.choose(s, candidates, BATCH, rng))
    print(f"first fit with gold attributes {base:.2f} s")
    for name, seconds in (
        ("first fit, with compilation", cold),
        ("first fit", warm),
        ("refit", refit),
        ("choice of 12", choice),
        ("round of 12", refit + choice),
    ):
        print(f"{name} {seconds:.2f} s, {seconds / base:.1f} of that")


def measure_error(world: World, n: int) -> list[float]:
    """Return macro MSE of all that ``NAMES`` lists, and print it with worst MSE and coverage."""
    fits = [
        world.fit(n, problem=world.exact),
        world.fit(round(PART * n), problem=world.exact),
        *(world.fit(n, confirmed=part) for part in (0.0, 0.5, "least sure", "unsure", 1.0)),
    ]
    scores = [evaluate(s, world.gold) for s in fits]
    held = " / ".join(f"{coverage(s, world.gold):.0f}" for s in fits)
    worst = " / ".join(f"{s.worst_mse:.1f}" for s in scores)
    macro = " / ".join(f"{s.macro_mse:.3f}" for s in scores)
    print(f"{macro} (worst {worst}; intervals hold {held} %; P(a|x) {world.quality})", flush=True)
    return [s.macro_mse for s in scores]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=2_500)
    parser.add_argument("--task", nargs="+", default=[f"faces:seed={k}" for k in range(3)])
    parser.add_argument("--data", type=Path, help="folder of the real tables")
    parser.add_argument("--draws", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--only", choices=["time", "error"])
    args = parser.parse_args()
    if args.only != "error":
        measure_time(World(args.task[0], args.data, args.draws[0]), args.labels)
    if args.only == "time":
        return
    print(f"{NAMES}; P(a|x): log-loss, right arm first, its mass")
    found = []
    for task in args.task:
        for draw in args.draws:
            print(f"{task}, draw {draw}: ", end="", flush=True)
            found.append(measure_error(World(task, args.data, draw), args.labels))
    print("mean: " + " / ".join(f"{e:.3f}" for e in np.mean(found, axis=0)))


if __name__ == "__main__":
    main()
