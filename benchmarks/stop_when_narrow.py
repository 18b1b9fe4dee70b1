"""Whether an interval still holds when labelling stops as soon as it is narrow.

Each run makes a pool of its own, labels it batch by batch, fits after each, and stops when the
half-width of the aim is reached at ``--looks`` fits in a row. The truth of the pool is then
compared with the interval at the stop.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.registry import build_estimator, build_strategy
from accuracy_assay.study.arms import Arms
from accuracy_assay.study.prepare import resolve_space
from accuracy_assay.study.problem import Problem
from accuracy_assay.tasks.synthetic import Shape, synthetic

SHAPE = {"rows": 3_000, "attributes": 2, "values": 4}
"""Sixteen arms of about 190 rows: small enough for hundreds of runs, with arms that differ."""
MOST_LABELS = 1_200
"""Where a run ends that has not become narrow: two fifths of the pool."""


class Run:
    """One pool with its truth, labelled by a strategy."""

    def __init__(self, seed: int, strategy: str, explore: float) -> None:
        task = synthetic(Shape(**SHAPE, seed=seed))
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

    def holds(self, aim: Aim, surface: AccuracySurface) -> bool:
        """Return whether the interval of the aim holds the truth."""
        if aim.of == "overall":
            truth, found = self.scores.mean(), surface.overall
            return bool(found.lower <= truth <= found.upper)
        i = int(aim.arms(surface)[0])
        truth = self.scores[self.arm == surface.arms[i]].mean()
        return bool(surface.lower[i] - 1e-9 <= truth <= surface.upper[i] + 1e-9)


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
    parser.add_argument("--looks", type=int, nargs="+", default=[1, 2])
    args = parser.parse_args()
    aim = Aim(args.half_width, args.of)
    stops: dict[int, list[tuple[int, bool]]] = {k: [] for k in args.looks}
    for seed in range(args.first, args.first + args.runs):
        run, in_a_row, open_rules = Run(seed, args.strategy, args.explore), 0, [*stops]
        for labels, surface in run.looks(args.batch):
            in_a_row = in_a_row + 1 if aim.measure(surface) <= aim.half_width else 0
            for k in [k for k in open_rules if in_a_row >= k]:
                stops[k].append((labels, run.holds(aim, surface)))
                open_rules.remove(k)
            if not open_rules:
                break
        if (seed + 1 - args.first) % 50 == 0:
            report(args, stops, seed + 1 - args.first)


def report(args, stops, n_runs) -> None:  # type: ignore[no-untyped-def]
    """Print the labels and the coverage at the stop."""
    for k, found in stops.items():
        labels, held = (np.asarray(part, dtype=float) for part in zip(*found, strict=True))
        print(
            f"{args.of} {args.strategy} explore {args.explore:g} half-width {args.half_width:g}, "
            f"{k} looks: {held.size} of {n_runs} runs stopped at {labels.mean():.0f} labels "
            f"({np.quantile(labels, 0.1):.0f} to {np.quantile(labels, 0.9):.0f}); "
            f"{100 * held.mean():.1f} % hold the truth "
            f"(standard error {100 * held.std() / held.size**0.5:.1f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
