"""Whether an interval still holds when labelling stops as soon as it is narrow.

Each run makes a pool of its own, labels it batch by batch, fits after each, and stops when the
interval of the aim is narrower than the goal by the factor ``--margin`` at ``--looks`` fits in a
row. The truth of the pool is then compared with what was promised, the middle of the interval give
or take the goal, and with the interval itself.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.registry import build_estimator, build_strategy
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.tasks.synthetic import synthetic

SHAPE = {"rows": 3_000, "attributes": 2, "values": 4}
"""Sixteen arms of about 190 rows: small enough for hundreds of runs, with arms that differ."""
MOST_LABELS = 1_200
"""Where a run ends that has not become narrow: two fifths of the pool."""


class Run:
    """One pool with its truth, labelled by a strategy."""

    def __init__(self, seed: int, strategy: str, explore: float) -> None:
        task = synthetic(**SHAPE, seed=seed)
        space = resolve_space(task.attributes, task.rows)
        codes = space.encode(task.rows)
        self.scores = task.rows.get_column(task.score).to_numpy().astype(float)
        self.arm = space.arm_index(codes)
        self.problem = Problem.build(Arms.exact(space, codes, self.scores.size))
        settings = {"random_share": explore} if strategy == "variance-reduction" else {}
        self.strategy = build_strategy(strategy, **settings)
        self.rng = np.random.default_rng([seed, 7])

    def looks(self, batch: int) -> Iterator[tuple[int, AccuracySurface]]:
        """Yield the labels and the surface after each batch."""
        estimator = build_estimator("anova-gp")
        is_labelled = np.zeros(self.scores.size, dtype=bool)
        surface = self._fit(estimator, is_labelled, None)
        while is_labelled.sum() < MOST_LABELS:
            free = np.flatnonzero(~is_labelled)
            candidates = self.problem.candidates(free)
            choice = self.strategy.choose(surface, candidates, batch, self.rng)
            is_labelled[free[choice.positions]] = True
            surface = self._fit(estimator, is_labelled, surface)
            yield int(is_labelled.sum()), surface

    def _fit(self, estimator, is_labelled, previous):  # type: ignore[no-untyped-def]
        rows = np.flatnonzero(is_labelled)
        return estimator.fit(self.problem.observe(rows, self.scores[rows]), self.rng, previous)

    def miss(self, aim: Aim, surface: AccuracySurface) -> tuple[float, float]:
        """Return how far the truth is from the middle of the interval, and its half-width."""
        if aim.of == "overall":
            truth, lower, upper = self.scores.mean(), surface.overall.lower, surface.overall.upper
        else:
            i = int(aim.arms(surface)[0])
            truth = self.scores[self.arm == surface.arms[i]].mean()
            lower, upper = surface.lower[i], surface.upper[i]
        return abs(float(truth) - (lower + upper) / 2.0), (upper - lower) / 2.0


def main() -> None:
    """Run and print one line per rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first run")
    parser.add_argument("--for", dest="of", default="overall", choices=["overall", "worst"])
    parser.add_argument("--half-width", type=float, default=0.05)
    parser.add_argument("--strategy", default="random")
    parser.add_argument("--explore", type=float, default=0.0)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--looks", type=int, default=2)
    parser.add_argument("--margin", type=float, nargs="+", default=[1.0, 1.1, 1.2])
    args = parser.parse_args()
    aim = Aim(args.half_width, args.of)
    stops: dict[float, list[tuple[int, bool, bool]]] = {m: [] for m in args.margin}
    for seed in range(args.first, args.first + args.runs):
        run, waiting = Run(seed, args.strategy, args.explore), dict.fromkeys(args.margin, 0)
        for labels, surface in run.looks(args.batch):
            now = aim.measure(surface)
            for margin in list(waiting):
                waiting[margin] = waiting[margin] + 1 if margin * now <= aim.half_width else 0
                if waiting[margin] >= args.looks:
                    miss, reach = run.miss(aim, surface)
                    stops[margin].append((labels, miss <= aim.half_width, miss <= reach + 1e-9))
                    del waiting[margin]
            if not waiting:
                break
        if (seed + 1 - args.first) % 50 == 0:
            report(args, stops, seed + 1 - args.first)


def report(args, stops, n_runs) -> None:  # type: ignore[no-untyped-def]
    """Print the labels and the coverage at the stop."""
    for margin, found in stops.items():
        labels, kept, held = (np.asarray(part, dtype=float) for part in zip(*found, strict=True))
        print(
            f"{args.of} {args.strategy} explore {args.explore:g} half-width {args.half_width:g}, "
            f"{args.looks} looks, margin {margin:g}: {held.size} of {n_runs} runs stopped at "
            f"{labels.mean():.0f} labels ({np.quantile(labels, 0.1):.0f} to "
            f"{np.quantile(labels, 0.9):.0f}); {100 * kept.mean():.1f} % keep the promise "
            f"(standard error {100 * kept.std() / kept.size**0.5:.1f}), {100 * held.mean():.1f} % "
            "of the intervals hold",
            flush=True,
        )


if __name__ == "__main__":
    main()
