"""Speed of ``anova-gp`` and ``variance-reduction``: fits, rounds, cold start, and how cost grows.

A made-up world of binary attributes: 12 of them, 4,096 arms, 50,000 pool rows. A *first fit*
searches the hyper-parameters from the prior, a *refit* goes on from the previous surface with 12
more labels and searches them again (``growth=0``). A *round* is what ``ask(12)`` does: a refit and
12 picks. Every figure is warm but for the cold start, which is a process of its own, once with an
empty cache of compiled code and once more with the cache that the first left.

Seconds are of the clock, those of the processor in brackets. Each figure has a ratio to something
timed in the same run, so that another machine, or a busy one, can be judged: SciPy's Cholesky
factor of the same size on one thread, scikit-learn's GaussianProcessClassifier on as many rows
with its kernel fixed (its own search takes minutes), picks by plain NumPy that rewrite the
covariances of every kind, the same rows as fractional counts, the other start. ``--figure`` writes
the picture of growth instead.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor
from threadpoolctl import threadpool_limits

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.anova.anova_gp import AnovaGP
from accuracy_assay.exploration.expected_gains import ExpectedGains
from accuracy_assay.exploration.instance_kinds import merge_kinds
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.protocols import Candidates

REFIT = AnovaGP(growth=0.0)
BATCH = 12
"""Labels per round, as in the paper."""

COLD = "from anova_gp import World, REFIT; seen = World.make(12, 50_000).observe(500, 2_000)[0]; "
COLD += "import numpy; REFIT.fit(seen, numpy.random.default_rng(0))"


@dataclass(frozen=True)
class World:
    """Pool rows with their arms and scores."""

    support: Support
    arms: np.ndarray
    scores: np.ndarray

    @classmethod
    def make(cls, n_attributes: int, n_rows: int) -> "World":
        """Return a pool in which every arm has a row if there are rows enough."""
        rng = np.random.default_rng(0)
        space = AttributeSpace(tuple(Attribute(f"a{k}", (0, 1)) for k in range(n_attributes)))
        every = np.arange(space.n_arms)
        arms = np.concatenate([every, rng.integers(0, every.size, max(n_rows - every.size, 0))])
        arms = arms[:n_rows]
        slopes, own = rng.normal(0.0, 0.8, n_attributes), rng.normal(0.0, 0.4, every.size)
        eta = 1.0 + (space.codes(every) - 0.5) @ slopes + own
        scores = (rng.random(arms.size) < 1.0 / (1.0 + np.exp(-eta[arms]))).astype(float)
        return cls(Support.count(space, None, arms), arms, scores)

    def observe(self, n_arms: int, n_labels: int) -> tuple[Observations, np.ndarray]:
        """Return ``n_labels`` labels of ``n_arms`` arms, and the rows that have none."""
        rng = np.random.default_rng(1)
        chosen = rng.choice(self.support.arms, n_arms, replace=False)
        rows = rng.permutation(np.flatnonzero(np.isin(self.arms, chosen)))
        first = np.unique(self.arms[rows], return_index=True)[1]
        rows = np.concatenate([rows[first], np.delete(rows, first)])[:n_labels]
        return self.labels(rows), np.setdiff1d(np.arange(self.arms.size), rows)

    def labels(self, rows: np.ndarray) -> Observations:
        """Return the labels of these pool rows."""
        exact = Affiliation.exact(self.arms[rows])
        return Observations.from_instances(self.support, exact, self.scores[rows])

    def more(self, seen: Observations, free: np.ndarray) -> Observations:
        """Return ``seen`` with a batch of labels of arms that it has already."""
        known = np.isin(self.arms[free], seen.affiliation.indices)
        return seen.merge(self.labels(free[known][:BATCH]))


class Seconds(float):
    """Seconds of the clock, with those of the processor beside them when printed."""

    processor = 0.0

    def __str__(self) -> str:
        return f"{float(self):.2f} s ({self.processor:.2f} s)"


def seconds(call: Callable[[], object], repeats: int, *, is_warm: bool = False) -> Seconds:
    """Return the least seconds over repeats, after one call that is not counted."""
    if not is_warm:
        call()
    best = Seconds("inf")
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        call()
        taken = Seconds(time.perf_counter() - clock)
        taken.processor = time.process_time() - processor
        best = min(best, taken)
    return best


def fit(seen: Observations, previous: AccuracySurface | None = None) -> AccuracySurface:
    return REFIT.fit(seen, np.random.default_rng(0), previous)


def factor_seconds(n: int, repeats: int) -> Seconds:
    root = np.random.default_rng(0).normal(size=(n, n // 4))
    B = np.eye(n) + root @ root.T
    with threadpool_limits(limits=1):
        return seconds(lambda: cho_factor(B, lower=True), repeats)


def classifier_seconds(world: World, n: int) -> Seconds:
    """Time scikit-learn's Laplace mode of ``n`` rows of 0/1 scores, with no search at all."""
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    rows = np.random.default_rng(2).choice(world.arms.size, n, replace=False)
    codes = world.support.space.codes(world.arms[rows])
    kernel = ConstantKernel(1.0) * RBF(np.ones(codes.shape[1]))
    model = GaussianProcessClassifier(kernel, optimizer=None)
    return seconds(lambda: model.fit(codes, world.scores[rows]), 1, is_warm=True)


def plain_picks(surface: AccuracySurface, candidates: Candidates) -> list[int]:
    """Pick kinds as the strategy does, but with all kinds and covariances that are rewritten."""
    kinds = merge_kinds([candidates])
    posterior = surface.memory.posterior
    A = posterior.support.arms.size
    view = ExpectedGains(
        posterior, np.full(A, 1.0 / A), candidates.affiliation.take(kinds.example)
    )
    start = view.gains()
    M, S, D, own, h = start.M.copy(), start.S.copy(), start.D, start.target, start.h
    every, picks = np.arange(D.size), []
    for _ in range(BATCH):
        s, m = np.diagonal(S), M[own, every]
        gain = (M**2).sum(axis=0) / D + 2.0 * h * m - h**2 * s
        gain += h**2 * np.maximum(D - s, 0.0) + ((m - h * s) ** 2 - m**2) / D
        kind = int(np.argmax(gain))
        picks.append(kind)
        row = S[kind].copy()
        M[own[kind]] -= h[kind] * row
        M -= np.outer(M[:, kind] / D[kind], row)
        S -= np.outer(row / D[kind], row)
    return picks


def measure_fits(world: World, repeats: int) -> None:
    for n_arms, n_labels, bar in ((500, 2_000, 0.5), (3_000, 8_000, 20.0)):
        seen, free = world.observe(n_arms, n_labels)
        grown = world.more(seen, free)
        first = fit(seen)
        whole = seconds(lambda seen=seen: fit(seen), 1, is_warm=True)
        again = seconds(lambda: fit(grown, first), repeats)  # noqa: B023
        unit = factor_seconds(n_arms, repeats)
        print(f"{n_arms:,} arms: first fit {whole!s}, refit {again!s} (bar {bar} s)")
        print(f"  ratio to a Cholesky factor: {whole / unit:.0f} and {again / unit:.0f}")
        if n_arms <= 500:
            other = classifier_seconds(world, n_arms)
            print(f"  scikit-learn, kernel fixed, {other!s}, ratio {whole / other:.2f}")


def measure_round(world: World, repeats: int) -> None:
    seen, free = world.observe(500, 2_000)
    grown, first = world.more(seen, free), fit(seen)
    candidates = Candidates(free, Affiliation.exact(world.arms[free]))
    strategy, surface = VarianceReduction(least_rows=0.0), fit(grown, first)

    def choose(surface: AccuracySurface) -> object:
        return strategy.choose(surface, candidates, BATCH, np.random.default_rng(0))

    whole = seconds(lambda: choose(fit(grown, first)), repeats)
    picks = seconds(lambda: choose(surface), repeats)
    plain = seconds(lambda: plain_picks(surface, candidates), 1)
    print(f"round on {world.support.arms.size:,} arms and {world.arms.size:,} rows: ", end="")
    print(f"{whole!s} (bar 1 s), its picks {picks!s}")
    print(f"  picks by plain NumPy {plain!s}, ratio {picks / plain:.3f}")


def guessed(n_rows: int, n_cells: int, width: int) -> tuple[Observations, Affiliation]:
    """Return labels of rows whose arm is one of ``width`` guesses."""
    rng = np.random.default_rng(3)
    attributes = (Attribute("a", tuple(range(n_cells // 8 + 1))), Attribute("b", tuple(range(8))))
    space = AttributeSpace(attributes)
    arms = np.sort(rng.permuted(np.tile(np.arange(n_cells), (n_rows, 1)), axis=1)[:, :width])
    weights = rng.dirichlet(np.full(width, 0.5), n_rows).clip(0.02)
    weights /= weights.sum(axis=1, keepdims=True)
    rho = rng.beta(8, 2, n_cells)
    scores = (rng.random(n_rows) < (weights * rho[arms]).sum(axis=1)).astype(float)
    rows = Affiliation(np.arange(n_rows + 1) * width, arms.reshape(-1), weights.reshape(-1))
    support = Support.count(space, None, arms.reshape(-1), weights.reshape(-1))
    return Observations.from_instances(support, rows, scores), rows


def measure_guessed(repeats: int) -> None:
    seen, _ = guessed(2_500, 257, 6)
    first = fit(seen)
    whole = seconds(lambda: fit(seen), 1, is_warm=True)
    again = seconds(lambda: fit(seen, first), repeats)
    split = AnovaGP(likelihood="fractional", growth=0.0)
    plain = seconds(lambda: split.fit(seen, np.random.default_rng(0)), repeats)
    print(f"2,500 guessed rows over 257 cells: first fit {whole!s}, refit {again!s}")
    print(f"  as fractional counts {plain!s}, ratio of the first fit {whole / plain:.1f}")


def measure_cold() -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = str(Path(__file__).parent)
        setting = {**os.environ, "ASSAY_COMPILATION_CACHE": folder, "PYTHONPATH": here}
        taken = []
        for _ in range(2):
            clock, before = time.perf_counter(), os.times()
            subprocess.run([sys.executable, "-c", COLD], check=True, env=setting)
            after = os.times()
            one = Seconds(time.perf_counter() - clock)
            one.processor = after.children_user - before.children_user
            one.processor += after.children_system - before.children_system
            taken.append(one)
    print(f"process that fits 500 arms: {taken[0]!s} cold (bar 10 s), ", end="")
    print(f"{taken[1]!s} with the cache (bar 3 s), ratio {taken[1] / taken[0]:.2f}")


def measure_growth(repeats: int) -> dict[str, list[tuple[int, float]]]:
    """Return seconds of a refit by observed arms and labels, and of a round by pool rows."""
    world = World.make(12, 50_000)
    lines: dict[str, list[tuple[int, float]]] = {
        "observed arms (4 labels each; refit)": [],
        "labels (of 500 arms; refit)": [],
        "pool rows (4,096 arms; round of 12)": [],
    }
    by_arms, by_labels, by_rows = lines.values()
    for n_arms in (60, 125, 250, 500, 1_000, 2_000):
        seen, free = world.observe(n_arms, 4 * n_arms)
        first, grown = fit(seen), world.more(seen, free)
        refit = seconds(lambda: fit(grown, first), repeats, is_warm=True)  # noqa: B023
        by_arms.append((n_arms, refit))
    for n_labels in (500, 1_000, 2_000, 5_000):
        seen, free = world.observe(500, n_labels)
        first, grown = fit(seen), world.more(seen, free)
        refit = seconds(lambda: fit(grown, first), repeats, is_warm=True)  # noqa: B023
        by_labels.append((n_labels, refit))
    for n_rows in (5_000, 50_000, 500_000):
        wide = World.make(12, n_rows)
        seen, free = wide.observe(500, 600)
        first, grown = fit(seen), wide.more(seen, free)
        candidates = Candidates(free, Affiliation.exact(wide.arms[free]))

        def ask(
            grown: Observations = grown,
            first: AccuracySurface = first,
            candidates: Candidates = candidates,
        ) -> object:
            surface = fit(grown, first)
            return VarianceReduction().choose(surface, candidates, BATCH, np.random.default_rng(0))

        by_rows.append((n_rows, seconds(ask, repeats)))
    return lines


def draw(lines: dict[str, list[tuple[int, float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    for (name, points), marker in zip(lines.items(), "os^", strict=True):
        axes.loglog(*zip(*points, strict=True), marker=marker, label=name)
    axes.set_xlabel("number of")
    axes.set_ylabel("seconds")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--figure", type=Path, help="measure growth alone and write its picture")
    options = parser.parse_args()
    if options.figure is not None:
        lines = measure_growth(options.repeats)
        print(json.dumps(lines, indent=1))
        draw(lines, options.figure)
        return
    world = World.make(12, 50_000)
    measure_round(world, options.repeats)
    measure_guessed(options.repeats)
    measure_cold()
    measure_fits(world, options.repeats)


if __name__ == "__main__":
    main()
