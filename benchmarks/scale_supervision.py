"""What the supervision of the scale does to an arm's mean, in worlds whose accuracies are known.

A Beta-binomial of scale psi reads n labels of one arm as n (1 + psi) / (n + psi) coins. Is that
why the error rises from BetaGP to SL? For each estimator of the paper that has a scale, `bern-gp`
is fitted to as many coins as its scales leave (same rates, fewer labels): that is the loss of
labels alone. Beside it stands `bern-gp` itself, moved by one constant in the logit until its mean
over the active arms is that of the supervised estimator: that is a shift alone.

Shown are macro and worst-50 MSE (x 100, against the gold of the pool) and, by the labels that an
arm has, how many active arms there are, the median scale, and the mean error in points against
the true accuracy behind the pool, or the pool's own where a task has no other. Attributes are
exact, labels random.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.paper.variational import inputs
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.numerics.paper.svgp import latent
from accuracy_assay.registry import build_estimator
from accuracy_assay.runtime.precision import precision
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.tasks.registry import load_task

ESTIMATORS = {
    "beta-gp": {},
    "beta-gp-sl": {},
    "beta-gp-sl, gamma": {"supervision": "gamma"},
    "beta-gp-slp": {},
}
LABELS = ((0, 0), (1, 4), (5, 19), (20, 99), (100, 10**9))
WORST = 50


class World:
    """Labels of a task, and what is true of its arms."""

    def __init__(self, name: str, n_labels: int, seed: int, data: Path | None) -> None:
        task = load_task(name, data)
        space = task.space
        codes, score = space.encode(task.rows), task.rows[task.score].to_numpy().astype(float)
        arm = space.arm_index(codes)
        problem = Problem.build(Arms.exact(space, codes, task.n_rows))
        rows = np.random.default_rng(seed).permutation(task.n_rows)[:n_labels]
        self.seed, self.space, self.seen = seed, space, problem.observe(rows, score[rows])
        self.arms = self.seen.support.listed_arms
        self.n = self.seen.per_arm().on(self.arms).n
        self.gold = Gold.count(arm, score)
        self.place = np.searchsorted(self.arms, self.gold.arms)
        self.rho = self.gold.accuracy
        if "rho" in task.rows.columns:
            rho = np.full(space.n_arms, np.nan)
            rho[arm] = task.rows["rho"].to_numpy()
            self.rho = rho[self.gold.arms]

    def fit(self, name: str, seen: Observations | None = None, **settings: object) -> np.ndarray:
        """Return the means of the listed arms."""
        return self.surface(name, seen, **settings).mean

    def surface(
        self, name: str, seen: Observations | None = None, **settings: object
    ) -> AccuracySurface:
        """Return a fit to the world's labels, or to others."""
        rng = np.random.default_rng(self.seed)
        return build_estimator(name, **settings).fit(seen or self.seen, rng)

    def scales(self, surface: AccuracySurface) -> np.ndarray:
        """Return the scale of each listed arm at the posterior mean of g."""
        memory = surface.memory
        X = inputs(self.space, self.arms)
        with precision("float64"):
            mean, _ = latent((1.0, 0.0), memory.params, X, memory.jitter)
            return np.logaddexp(0.0, np.asarray(mean)[1])

    def coins(self, psi: np.ndarray) -> Observations:
        """Return the labels cut down to what the scales leave of them, at the same rates."""
        seen = self.seen
        own = psi[np.searchsorted(self.arms, seen.affiliation.indices)]
        left = (1.0 + own) / (seen.count + own)
        parts = (seen.count * left, seen.score * left, seen.score_sq * left)
        return Observations(seen.support, seen.affiliation, *parts, seen.prior_strength)

    def show(self, name: str, mean: np.ndarray, psi: np.ndarray | None = None) -> None:
        """Print a line: errors, then by the labels of an arm how many, their scale, their bias."""
        error = (mean[self.place] - self.gold.accuracy) ** 2
        worst = np.argsort(self.gold.accuracy, kind="stable")[:WORST]
        line = f"{name:34} {100 * error.mean():6.2f} {100 * error[worst].mean():6.2f}"
        for least, most in LABELS:
            labels = self.n[self.place]
            part = (labels >= least) & (labels <= most)
            if not part.any():
                line += f" {'':>17}"
                continue
            scale = "" if psi is None else f"{np.median(psi[self.place][part]):.1f}"
            off = 100 * (mean[self.place] - self.rho)[part].mean()
            line += f" {part.sum():5d} {scale:>5} {off:+5.1f}"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="faces-exact", help="a made task, whose truth is known")
    parser.add_argument("--labels", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="folder with the tables that do not ship")
    options = parser.parse_args()
    world = World(options.task, options.labels, options.seed, options.data)
    heads = [f"{least}-{most}" if most < 10**9 else f"{least}+" for least, most in LABELS]
    print(f"{options.task}, {options.labels} labels: arms, scale, mean error by labels of the arm")
    print(f"{'':34} {'macro':>6} {'worst':>6}" + "".join(f" {head:>17}" for head in heads))
    plain = world.fit("bern-gp")
    world.show("bern-gp", plain)
    for name, settings in ESTIMATORS.items():
        surface = world.surface(name.partition(",")[0], **settings)
        psi = world.scales(surface)
        world.show(name, surface.mean, psi)
        world.show("  bern-gp on the coins left", world.fit("bern-gp", world.coins(psi)))
        if name != "beta-gp":
            wanted = surface.mean[world.place].mean()

            def gap(shift: float, wanted: float = wanted) -> float:
                return expit(logit(plain) - shift)[world.place].mean() - wanted

            shift = brentq(gap, -5.0, 5.0)
            world.show(f"  bern-gp moved by {-shift:+.2f}", expit(logit(plain) - shift))


if __name__ == "__main__":
    main()
