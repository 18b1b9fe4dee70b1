"""Speed of ``estimate`` on a million rows, as a ratio to the bare Polars group-by.

Both sides get the same frame in memory: 1,000,000 rows, 4 text attributes of 8 values each (4,096
arms) and a score. The baseline counts and sums the scores of each arm and does nothing else. Runs
are interleaved and the best of each side counts, so that other work on the machine disturbs both.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import accuracy_assay as aa

NAMES = ["accent", "age_band", "device", "noise"]


def make_rows(n_rows: int, n_values: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    values = {name: np.array([f"{name} {v}" for v in range(n_values)]) for name in NAMES}
    columns = {name: v[rng.integers(0, n_values, n_rows)] for name, v in values.items()}
    return pl.DataFrame(columns).with_columns(correct=pl.Series(rng.random(n_rows) < 0.8))


def group_by(rows: pl.DataFrame) -> object:
    return rows.group_by(NAMES).agg(n=pl.len(), correct=pl.col("correct").sum())


def estimate(rows: pl.DataFrame) -> object:
    return aa.estimate(rows, NAMES, "correct", estimator="beta-independent")


def seconds(call: Callable[[pl.DataFrame], object], rows: pl.DataFrame) -> float:
    started = time.perf_counter()
    call(rows)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=8, help="values of each attribute")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = make_rows(options.rows, options.values, options.seed)
    for call in (group_by, estimate):
        call(rows)
    times = [(seconds(group_by, rows), seconds(estimate, rows)) for _ in range(options.repeats)]
    base, ours = (min(column) for column in zip(*times, strict=True))
    print(f"{options.rows:,} rows, {options.values ** len(NAMES):,} arms")
    print(f"polars group_by {base:.3f} s, estimate {ours:.3f} s")
    print(f"ratio {ours / base:.2f} (at most 3.00)")


if __name__ == "__main__":
    main()
