"""What the supervision of the scale does to an arm's mean, in worlds whose accuracies are known.

A Beta-binomial of scale psi reads n labels of one arm as n (1 + psi) / (n + psi) coins. Is that
why the error rises from BetaGP to SL? For each estimator of the paper that has a scale, `bern-gp`
is fitted to as many coins as its scales leave (same rates, fewer labels): that is the loss of
labels alone. Beside it stands `bern-gp` itself, moved by one constant in the logit until its mean
over the active arms is that of the supervised estimator: that is a shift alone. And the same fit
is read as the accuracy of the arm itself, E[(phi psi + c) / (psi + n)] given its own labels,
where the text has E[phi], the centre about which arms scatter.

Shown are macro and worst-50 MSE (x 100, against the gold of the pool), the mean estimate of the
active arms that are right in less than a fifth of their rows and, by the labels that an arm has,
how many active arms there are, the median scale, and the mean error in points against the true
accuracy behind the pool, or the pool's own where a task has no other: means over draws of the
labels. Attributes are exact, labels random.

``--checks`` asks instead, on one draw, whether SL ends where it does because of the prior of f,
of its start or of too few steps; it shows the bound, errors, and deviation and least of the
estimates of the active arms.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
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
WORST, LOW = 50, 0.2
N_NODES = 16
LONG = 4000
"""Steps, four times those of a first fit."""

Line = dict[str, float]
"""Figures of one fit, by what they are."""


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
        own = self.seen.per_arm().on(self.arms)
        self.n, self.correct = own.n, own.correct
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

    def latents(self, surface: AccuracySurface) -> tuple[np.ndarray, np.ndarray]:
        """Return means and variances of f and g at the listed arms, both (2, A)."""
        memory = surface.memory
        X = inputs(self.space, self.arms)
        with precision("float64"):
            mean, variance = latent((1.0, 0.0), memory.params, X, memory.jitter)
            return np.asarray(mean), np.asarray(variance)

    def given_its_labels(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return E[(phi psi + c) / (psi + n)] of each listed arm."""
        at, weight = np.polynomial.hermite_e.hermegauss(N_NODES)
        f, g = mean[:, None] + np.sqrt(variance)[:, None] * at[:, None]
        phi, psi = expit(f)[:, None], np.logaddexp(0.0, g)[None]
        own = (phi * psi + self.correct) / (psi + self.n)
        weight = weight / weight.sum()
        return np.einsum("i,j,ija->a", weight, weight, own)

    def coins(self, psi: np.ndarray) -> Observations:
        """Return the labels cut down to what the scales leave of them, at the same rates."""
        seen = self.seen
        own = psi[np.searchsorted(self.arms, seen.affiliation.indices)]
        left = (1.0 + own) / (seen.count + own)
        parts = (seen.count * left, seen.score * left, seen.score_sq * left)
        return Observations(seen.support, seen.affiliation, *parts, seen.prior_strength)

    def line(self, mean: np.ndarray, psi: np.ndarray | None = None) -> Line:
        """Return errors, then by the labels of an arm how many, their scale, their bias."""
        error = (mean[self.place] - self.gold.accuracy) ** 2
        worst = np.argsort(self.gold.accuracy, kind="stable")[:WORST]
        low = self.gold.accuracy < LOW
        line = {"macro": 100 * error.mean(), "worst": 100 * error[worst].mean()}
        line["low"] = 100 * mean[self.place][low].mean() if low.any() else np.nan
        for least, most in LABELS:
            labels = self.n[self.place]
            part = (labels >= least) & (labels <= most)
            line[f"arms {least}"] = part.sum()
            if part.any():
                line[f"bias {least}"] = 100 * (mean[self.place] - self.rho)[part].mean()
                if psi is not None:
                    line[f"scale {least}"] = float(np.median(psi[self.place][part]))
        return line

    def lines(self) -> dict[str, Line]:
        """Return the figures of every estimator and of what it is taken apart into, by name."""
        plain = self.fit("bern-gp")
        found = {"bern-gp": self.line(plain)}
        for name, settings in ESTIMATORS.items():
            surface = self.surface(name.partition(",")[0], **settings)
            mean, variance = self.latents(surface)
            psi = np.logaddexp(0.0, mean[1])
            found[name] = self.line(surface.mean, psi)
            found[f"{name}, given its labels"] = self.line(self.given_its_labels(mean, variance))
            coins = self.fit("bern-gp", self.coins(psi))
            found[f"bern-gp on the coins of {name}"] = self.line(coins)
            if name != "beta-gp":
                wanted = surface.mean[self.place].mean()
                shift = brentq(self.gap, -5.0, 5.0, args=(plain, wanted))
                moved = expit(logit(plain) - shift)
                found[f"bern-gp moved to {name}"] = self.line(moved)
        return found

    def checks(self) -> Iterator[tuple[str, AccuracySurface]]:
        """Yield BetaGP and SL as they are, then SL with what might have led it astray changed."""
        yield "bern-gp", self.surface("bern-gp")
        beta = self.surface("beta-gp")
        yield "beta-gp", beta
        yield "beta-gp-sl", self.surface("beta-gp-sl")
        overall = float(logit(self.correct.sum() / self.n.sum()))
        centred = self.surface("beta-gp-sl", link=(1.0, overall))
        yield "beta-gp-sl, prior of f at the overall", centred
        estimator = build_estimator("beta-gp-sl", first_steps=LONG // 2, round_steps=LONG // 2)
        begin = replace(beta.memory, model=beta.memory.model._replace(supervision="dirichlet"))
        rng = np.random.default_rng(self.seed)
        there = estimator.fit(self.seen, rng, replace(beta, memory=begin))
        yield "beta-gp-sl, from the end of beta-gp", there
        for name in ("beta-gp-sl", "beta-gp"):
            yield f"{name}, {LONG} steps", self.surface(name, first_steps=LONG)
        for start in (1, 2):
            rng = np.random.default_rng(start)
            yield f"beta-gp-sl, start {start}", build_estimator("beta-gp-sl").fit(self.seen, rng)

    def gap(self, shift: float, mean: np.ndarray, wanted: float) -> float:
        """Return how far the mean of the active arms is from ``wanted`` after a shift."""
        return float(expit(logit(mean) - shift)[self.place].mean() - wanted)


def show(name: str, draws: list[Line]) -> None:
    """Print a line of means over draws."""
    mean = {key: np.mean([d[key] for d in draws if key in d]) for draw in draws for key in draw}
    line = f"{name:40} {mean['macro']:6.2f} {mean['worst']:6.2f} {mean['low']:6.1f}"
    for least, _ in LABELS:
        scale, bias = mean.get(f"scale {least}"), mean.get(f"bias {least}")
        shown = "" if scale is None else f"{scale:.1f}"
        line += f" {mean[f'arms {least}']:5.0f} {shown:>5}"
        line += f" {'':>5}" if bias is None else f" {bias:+5.1f}"
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="faces-exact", help="a made task, whose truth is known")
    parser.add_argument("--labels", type=int, default=2500)
    parser.add_argument("--seeds", type=int, default=1, help="draws of the labels")
    parser.add_argument("--checks", action="store_true", help="why SL ends where it does")
    parser.add_argument("--data", type=Path, help="folder with the tables that do not ship")
    options = parser.parse_args()
    if options.checks:
        world = World(options.task, options.labels, 0, options.data)
        print(f"{'':40} {'bound':>8} {'macro':>6} {'worst':>6} {'sd':>5} {'least':>5}")
        for name, surface in world.checks():
            line, mean = world.line(surface.mean), 100 * surface.mean[world.place]
            errors = f"{line['macro']:6.2f} {line['worst']:6.2f}"
            spread = f"{mean.std():5.1f} {mean.min():5.1f}"
            print(f"{name:40} {surface.details['elbo']:8.0f} {errors} {spread}", flush=True)
        return
    heads = [f"{least}-{most}" if most < 10**9 else f"{least}+" for least, most in LABELS]
    print(f"{options.task}, {options.labels} labels, {options.seeds} draws: by labels of an arm")
    print("how many, their scale, their mean error")
    heads = [f"{head:>17}" for head in heads]
    print(f"{'':40} {'macro':>6} {'worst':>6} {'low':>6} {' '.join(heads)}")
    worlds = (
        World(options.task, options.labels, seed, options.data) for seed in range(options.seeds)
    )
    draws = [world.lines() for world in worlds]
    for name in draws[0]:
        show(name, [lines[name] for lines in draws])


if __name__ == "__main__":
    main()
