"""Where the time of a first answer goes: a few thousand labels over a few thousand arms.

    python benchmarks/many_arms.py
    python benchmarks/many_arms.py --data ../shared/data

The made table has 6,000 labelled rows by five attributes, 51,840 arms, of which about 5,200 have a
row. With ``--data``, 6,000 rows of adult_llama by five attributes come too: about 2,500 arms,
an exact posterior. Each table is estimated in a process of its own, whose compiled code is on
disk from the run before, and then again, so that what only a first call pays stands apart. Seconds
are those of the processor.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import expit

import accuracy_assay as aa
from accuracy_assay.estimators.anova import anova_gp, arm_summary, fit

SCORE = "correct"
SIZES = (12, 10, 9, 8, 6)
ADULT = ["age_band", "education", "occupation", "hours_band", "relationship"]


def made_rows(n_rows: int, seed: int) -> tuple[pl.DataFrame, list[str]]:
    """Return labelled rows with effects of values and of neighbouring pairs of them."""
    rng = np.random.default_rng(seed)
    share = [rng.dirichlet(np.full(size, 3.0)) for size in SIZES]
    codes = np.stack([rng.choice(p.size, size=n_rows, p=p) for p in share], axis=1)
    eta = np.full(n_rows, 1.2)
    for k, size in enumerate(SIZES):
        eta += 0.4 * rng.standard_normal(size)[codes[:, k]]
    for k in range(len(SIZES) - 1):
        pairs = 0.3 * rng.standard_normal((SIZES[k], SIZES[k + 1]))
        eta += pairs[codes[:, k], codes[:, k + 1]]
    names = [f"a{k}" for k in range(len(SIZES))]
    table = {name: [f"v{code}" for code in codes[:, k]] for k, name in enumerate(names)}
    return pl.DataFrame(table | {SCORE: (rng.random(n_rows) < expit(eta)).astype(int)}), names


def rows_of(data: Path | None, n_rows: int, seed: int) -> tuple[pl.DataFrame, list[str]]:
    if data is None:
        return made_rows(n_rows, seed)
    frame = pl.read_parquet(data / "adult_llama" / "pool.parquet").filter(~pl.col("in_prompt"))
    return frame.sample(n_rows, seed=seed), ADULT


class Stages:
    """Processor seconds of functions that are called by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def of(self, **where: object) -> Iterator[None]:
        """Time the functions of these modules inside the block: ``name=module``."""
        before = {name: getattr(module, name) for name, module in where.items()}
        for name, module in where.items():
            setattr(module, name, self.timed(name, before[name]))
        try:
            yield
        finally:
            for name, module in where.items():
                setattr(module, name, before[name])

    def timed(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        """Return the function with its seconds added up under a name."""

        def run(*args: object, **options: object) -> object:
            started = time.process_time()
            made = call(*args, **options)
            taken = time.process_time() - started
            self.seconds[name] = self.seconds.get(name, 0.0) + taken
            return made

        return run


def measure(frame: pl.DataFrame, names: list[str]) -> None:
    print(f"{frame.height:,} rows, {frame.select(names).n_unique():,} arms with a row")
    for when in ("first", "again"):
        stages = Stages()
        with stages.of(
            maximise_marginal=fit,
            fit_low_rank_node=fit,
            with_slices=fit,
            summarise=anova_gp,
            _elsewhere=arm_summary,
        ):
            surface = stages.timed("estimate", aa.estimate)(frame, names, SCORE)
        assert isinstance(surface, aa.AccuracySurface)
        stages.timed("overall", lambda surface=surface: surface.overall)()
        stages.timed("weak slices", lambda surface=surface: surface.slices())()
        parts = ", ".join(f"{name} {s:.2f}" for name, s in stages.seconds.items())
        print(f"{when}: {parts}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", choices=["made", "adult"], help="measure one table, here")
    asked = parser.parse_args()
    if asked.one is not None:
        measure(*rows_of(asked.data if asked.one == "adult" else None, asked.rows, asked.seed))
        return
    for name in ["made", *(["adult"] if asked.data is not None else [])]:
        print(name, flush=True)
        subprocess.run([sys.executable, *sys.argv, "--one", name], check=True)


if __name__ == "__main__":
    main()
