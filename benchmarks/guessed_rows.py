"""Time and memory of ``estimate`` on a large pool whose attributes are all guessed.

    python benchmarks/guessed_rows.py --rows 100000 --rows 1000000 --rows 10000000
    python benchmarks/guessed_rows.py --shape 2,2,2,2,2,2,2,2,2,2,2,2 --rows 100000

Rows are made into a folder of Parquet files, which is deleted afterwards: hidden classes tie the
attributes together, and each has an overconfident predictor; 2,000 rows have gold attributes and a
score. Each size runs in a process of its own, so that its peak memory is its own: the pool is read
where it lies, the calibration ``full`` is learned, every row is affiliated and arms are counted.
Seconds are those on the clock and, since a busy machine stretches them, those of the processor.
The last column is the time per row against that of the smallest size of the run, in processor
seconds and without the calibration, which does not grow with the pool.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.calibration.full import Full

N_LABELS = 2_000
FILE_ROWS = 500_000
"""Rows of a file: some fifty megabytes of Parquet."""

CLASSES = 8
"""Hidden classes: enough that attributes depend on each other and none follows from another."""

OVERCONFIDENT = 1.3
"""Factor on the logits of every predictor, so that there is something to calibrate."""


def make_rows(
    shape: tuple[int, ...], n_rows: int, signal: float, rng: np.random.Generator
) -> pl.DataFrame:
    """Return rows with gold attributes, what predictors say of each, and a score."""
    world = np.random.default_rng(7)
    hidden = rng.integers(0, CLASSES, n_rows)
    columns: dict[str, np.ndarray] = {}
    wrong = np.zeros(n_rows)
    for k, size in enumerate(shape):
        shares = world.dirichlet(np.full(size, 0.7), CLASSES)
        below = np.cumsum(shares[hidden], axis=1)
        codes = np.minimum((rng.random(n_rows)[:, None] > below).sum(axis=1), size - 1)
        logits = rng.standard_normal((n_rows, size), dtype=np.float32)
        logits[np.arange(n_rows), codes] += signal
        logits *= signal * OVERCONFIDENT
        said = np.exp(logits - logits.max(axis=1, keepdims=True))
        said /= said.sum(axis=1, keepdims=True)
        columns[f"a{k}"] = codes
        columns |= {f"p_a{k}__{v}": said[:, v] for v in range(size)}
        wrong += world.uniform(0.0, 0.5 / len(shape), size)[codes]
    columns["correct"] = (rng.random(n_rows) > wrong).astype(np.float64)
    return pl.DataFrame(columns)


def write_rows(folder: Path, shape: tuple[int, ...], n_rows: int, signal: float) -> None:
    """Write the labelled rows, and the pool as files without gold and score."""
    gold = [f"a{k}" for k in range(len(shape))]
    rng = np.random.default_rng(0)
    make_rows(shape, N_LABELS, signal, rng).write_parquet(folder / "labelled.parquet")
    (folder / "pool").mkdir()
    for number, start in enumerate(range(0, n_rows, FILE_ROWS)):
        part = make_rows(shape, min(FILE_ROWS, n_rows - start), signal, rng)
        part.drop(*gold, "correct").write_parquet(folder / "pool" / f"{number:05}.parquet")


def measure(folder: Path, shape: tuple[int, ...], engine: str) -> dict[str, float]:
    """Estimate from the rows in ``folder``; run in a process of its own."""
    spent: dict[str, float] = {"calibrate": 0.0}
    fit = Full.fit

    def timed_fit(*args: object, **kwargs: object) -> object:
        cpu = cpu_seconds()
        made = fit(*args, **kwargs)  # type: ignore[arg-type]
        spent["calibrate"] = cpu_seconds() - cpu
        return made

    Full.fit = timed_fit  # type: ignore[method-assign,assignment]
    warnings.simplefilter("ignore")
    names = [f"a{k}" for k in range(len(shape))]
    started, cpu = time.perf_counter(), cpu_seconds()
    surface = aa.estimate(
        folder / "labelled.parquet",
        [aa.Attribute(a, tuple(range(n))) for a, n in zip(names, shape, strict=True)],
        "correct",
        pool=folder / "pool",
        evidence={name: f"p_{name}__*" for name in names},
        estimator="beta-independent",
        engine=engine,
    )
    spent |= {"wall": time.perf_counter() - started, "cpu": cpu_seconds() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return spent | {"peak": peak, "rows": float(surface.to_frame()["support"].sum())}


def cpu_seconds() -> float:
    """Return the processor seconds of this process and of children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def run(shape: tuple[int, ...], n_rows: int, options: argparse.Namespace) -> dict[str, float]:
    """Make the rows, measure in a child, delete the rows."""
    with tempfile.TemporaryDirectory(prefix="guessed-rows-") as folder:
        write_rows(Path(folder), shape, n_rows, options.signal)
        command = [sys.executable, __file__, "--shape", ",".join(map(str, shape))]
        command += ["--folder", folder, "--engine", options.engine]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, action="append")
    parser.add_argument("--shape", default="6,6,6,5", help="values of each attribute")
    parser.add_argument("--signal", type=float, default=2.2, help="2.2: right four times in five")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    shape = tuple(map(int, options.shape.split(",")))
    if options.folder is not None:
        print(json.dumps(measure(options.folder, shape, options.engine)))
        return
    base = None
    for n_rows in options.rows or [100_000, 1_000_000]:
        found = run(shape, n_rows, options)
        # An arm with more labels than pool rows is taken to have as many rows as labels.
        assert n_rows - 1 < found["rows"] < n_rows + N_LABELS
        per_row = (found["cpu"] - found["calibrate"]) / n_rows
        base = base or per_row
        print(
            f"{n_rows:,} rows, {np.prod(shape):,} arms: {found['wall']:.0f} s, "
            f"{found['cpu']:.0f} CPU s ({found['calibrate']:.0f} of them the calibration), "
            f"peak {found['peak']:.2f} GB, time per row {per_row / base:.2f} of the first",
            flush=True,
        )


if __name__ == "__main__":
    main()
