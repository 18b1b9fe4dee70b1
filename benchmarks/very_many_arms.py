"""Very many arms: the posterior of low rank against the exact one, and a space of 10^9 arms.

``near`` fits the same labels exactly and by several ranks and prints macro MSE, coverage and how
far means and deviations are apart. ``huge`` fits a space of 8^10 = 1.07 x 10^9 arms of which
100,000 have rows and 20,000 labels, asks for averages, weak slices and the next twelve labels, and
prints seconds and peak memory of each step; ``cities`` does the same with an attribute of 10,000
values.

    python benchmarks/very_many_arms.py near --task adult6 --labels 10000 --data ../shared/data
    python benchmarks/very_many_arms.py near --labels 20000
    python benchmarks/very_many_arms.py huge
"""

import argparse
import resource
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import expit

import accuracy_assay as aa
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.expected_gains import ExpectedGains
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.protocols import Candidates
from accuracy_assay.tasks.registry import load_task

SCORE = "correct"


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def made_rows(
    sizes: tuple[int, ...], n_arms: int, seed: int, rows_per_arm: float = 20.0
) -> tuple[pl.DataFrame, list[Attribute]]:
    """Return rows of a random part of a space: effects of values, of pairs of them and of arms."""
    rng = np.random.default_rng(seed)
    codes = np.unique(np.stack([rng.integers(s, size=n_arms) for s in sizes], axis=1), axis=0)
    eta = 1.5 + 0.3 * rng.standard_normal(len(codes))
    for k, size in enumerate(sizes):
        eta += 0.4 * rng.standard_normal(size)[codes[:, k]]
    for k, (left, right) in enumerate(pairwise(sizes)):
        eta += 0.3 * rng.standard_normal((left, right))[codes[:, k], codes[:, k + 1]]
    arm = np.repeat(np.arange(len(codes)), 5 + rng.poisson(rows_per_arm, size=len(codes)))
    rng.shuffle(arm)
    names = [f"a{k}" for k in range(len(sizes))]
    frame = pl.DataFrame({n: codes[arm, k].astype(np.int32) for k, n in enumerate(names)})
    right = (rng.random(arm.size) < expit(eta)[arm]).astype(np.int8)
    attributes = [Attribute(n, tuple(range(s))) for n, s in zip(names, sizes, strict=True)]
    return frame.with_columns(pl.Series(SCORE, right)), attributes


def labels_of(frame: pl.DataFrame, n_cells: int, per_cell: int, seed: int) -> pl.DataFrame:
    """Return so many labelled rows of each of so many arms."""
    names = [name for name in frame.columns if name != SCORE]
    rows = frame.with_row_index("row").with_columns(pl.Series("u", _noise(frame.height, seed)))
    seen = rows.select(names).unique(maintain_order=True).sample(n_cells, seed=seed)
    some = rows.join(seen, on=names, how="semi").sort("u")
    return some.filter(pl.int_range(pl.len()).over(names) < per_cell).select(*names, SCORE)


def _noise(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(count)


def gold(surface: AccuracySurface, frame: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and true accuracy of the listed arms with five rows or more."""
    space = surface.space
    arm = space.arm_index(space.encode(frame.select(space.names)))
    found, group, size = np.unique(arm, return_inverse=True, return_counts=True)
    rate = np.bincount(group, frame.get_column(SCORE).cast(pl.Float64).to_numpy()) / size
    return np.searchsorted(surface.arms, found)[size >= 5], rate[size >= 5]


def near(task: str | None, data: Path | None, n_labels: int, ranks: list[int], seed: int) -> None:
    if task is None:
        frame, attributes = made_rows((10, 8, 7, 6, 5), 16_000, seed)
    else:
        found = load_task(task, data)
        frame = found.rows.rename({found.score: SCORE}) if found.score != SCORE else found.rows
        attributes = [
            Attribute.infer(frame.get_column(a), kind=found.kinds.get(a)) for a in found.attributes
        ]
    labelled = frame[np.random.default_rng(seed).choice(frame.height, n_labels, replace=False)]
    exact: AccuracySurface | None = None
    for name, settings in [
        ("exact", {"most_exact_cells": 10**9}),
        *((f"rank {rank}", {"most_exact_cells": 0, "rank": rank}) for rank in ranks),
    ]:
        started = time.perf_counter()
        estimator = {"name": "anova-gp", **settings}
        surface = aa.estimate(labelled, attributes, SCORE, pool=frame, estimator=estimator)
        seconds = time.perf_counter() - started
        exact = exact or surface
        at, rate = gold(surface, frame)
        error = 100.0 * np.mean((surface.mean[at] - rate) ** 2)
        first = 100.0 * np.mean((exact.mean[at] - rate) ** 2)
        held = np.mean((surface.lower[at] <= rate) & (rate <= surface.upper[at]))
        sd = np.maximum(exact.sd[at], 1e-6)
        apart = np.sqrt(np.mean(((surface.mean - exact.mean)[at] / sd) ** 2))
        print(
            f"{name}: {seconds:.1f} s, {surface.memory.observed.size} observed cells of "
            f"{at.size} arms, macro MSE {error:.4f} ({100 * (error / first - 1):+.2f} %), "
            f"{held:.1%} held, means apart by {apart:.3f} of a deviation, deviations "
            f"x {np.median(surface.sd[at] / sd):.4f}, peak {peak():.2f} GB",
            flush=True,
        )


def huge(sizes: tuple[int, ...], seed: int) -> None:
    frame, attributes = made_rows(sizes, 100_000, seed)
    labelled = labels_of(frame, 20_000, 2, seed)
    print(f"{np.prod(np.array(sizes, float)):.2g} arms, {frame.height:,} rows, {peak():.2f} GB")

    def step(name: str, call: Callable[[], object]) -> object:
        started = time.perf_counter()
        made = call()
        seconds = time.perf_counter() - started
        print(f"{name}: {seconds:.2f} s, peak {peak():.2f} GB", flush=True)
        return made

    surface = step("fit", lambda: aa.estimate(labelled, attributes, SCORE, pool=frame))
    assert isinstance(surface, AccuracySurface)
    at, rate = gold(surface, frame)
    plain = float(labelled.get_column(SCORE).mean())  # type: ignore[arg-type]
    print(
        f"macro MSE {100 * np.mean((surface.mean[at] - rate) ** 2):.3f}, of one number for all "
        f"{100 * np.mean((plain - rate) ** 2):.3f}; intervals hold "
        f"{np.mean((surface.lower[at] <= rate) & (rate <= surface.upper[at])):.1%}"
    )
    for name, call in [
        ("overall", lambda: surface.overall),
        ("overall again", lambda: surface.overall),
        ("one value", lambda: surface.at(a1=1)),
        ("every value of one attribute", lambda: surface.marginal("a1")),
        ("twelve labels", lambda: choose(surface)),
        ("weak slices", lambda: len(surface.slices())),
    ]:
        made = step(name, call)
        if name in ("overall", "weak slices"):
            print(made)
    gain_error(surface)


def choose(surface: AccuracySurface) -> list[int]:
    cells = surface.memory.support.cells  # type: ignore[attr-defined]
    candidates = Candidates(np.arange(cells.size), Affiliation.exact(cells))
    rng = np.random.default_rng(0)
    return VarianceReduction().choose(surface, candidates, 12, rng).positions.tolist()


def gain_error(surface: AccuracySurface) -> None:
    """Print how far the gains by a part of the arms are from those by all, for 64 kinds."""
    posterior = surface.memory.posterior  # type: ignore[attr-defined]
    support = posterior.support
    weight = (support.arm_size >= 5).astype(float)
    kinds = np.sort(np.random.default_rng(1).choice(support.cells.size, 64, replace=False))
    rows = Affiliation.exact(support.cells[kinds])
    view = ExpectedGains(posterior, weight / weight.sum(), rows)
    whole = view.gains().gains()
    for count in (2048, 8192):
        off = view.of_some_arms(count).gains().gains() / whole - 1.0
        print(f"gains by {count} arms: off by {100 * np.sqrt(np.mean(off**2)):.2f} % (rms)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["near", "huge", "cities"])
    parser.add_argument("--task")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--labels", type=int, default=10_000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[512, 1024])
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.what == "near":
        near(asked.task, asked.data, asked.labels, asked.ranks, asked.seed)
    else:
        huge((8,) * 10 if asked.what == "huge" else (10_000, 8, 8, 8, 8, 8), asked.seed)


if __name__ == "__main__":
    main()
