"""Several services fitted together, beside one by one: errors and intervals on paired draws.

For every table and number of labels, some services of each draw are estimated one by one, as
`estimate` with the answers of the others as referees does, and all of them by `compare`. Printed
are the macro error of arms (times 100), the share of 90% intervals that hold and their width, the
same of the overall accuracy, the ratio of the errors with the largest of any service, the
differences of two services over the pool, and processor seconds for all services.

    python benchmarks/many_services.py --data DIR [--draws 4] [--beds NAME ...] [--labels 100 ...]
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import accuracy_assay as aa

_SOME = 8
"""Services of a draw that are fitted one by one."""


class Bed(NamedTuple):
    """A pool with every label: attributes, columns of services, the truth if these are answers."""

    rows: pl.DataFrame
    attributes: list[str]
    services: list[str]
    truth: str | None


def mmlu_pro(data: Path) -> Bed:
    rows = pl.read_parquet(data / "mmlu_pro" / "pool.parquet")
    models = [name for name in rows.columns if name.startswith("pred:")]
    bands = pl.col("length").qcut(3, labels=["short", "middle", "long"]).cast(pl.String)
    rows = rows.with_columns(bands.alias("band"), pl.col(models).fill_null("none"))
    return Bed(rows, ["category", "band", "has_number"], models, "answer")


def mmlu_pro_scores(data: Path) -> Bed:
    rows, _, models, _ = mmlu_pro(data)
    right = (pl.col(name).eq(pl.col("answer")).cast(pl.Float64) for name in models)
    return Bed(rows.with_columns(right), ["category", "has_number"], models, None)


def mmlu_pair(data: Path) -> Bed:
    rows = pl.read_parquet(data / "mmlu_pair" / "pool.parquet")
    return Bed(rows, ["subject"], ["mixtral_correct", "gpt4_correct"], None)


def apart(data: Path) -> Bed:
    """Six made services that have nothing in common."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 8, 6_000), rng.integers(0, 4, 6_000)
    logit = rng.normal(0.8, 0.7, (6, 8, 4)) + rng.normal(0.0, 0.7, (6, 8, 1))
    right = rng.random((6, 6_000)) < 1.0 / (1.0 + np.exp(-logit[:, a, b]))
    scores = {f"s{i}": right[i].astype(float) for i in range(6)}
    rows = pl.DataFrame({"a": a.astype(str), "b": b.astype(str), **scores})
    return Bed(rows, ["a", "b"], list(scores), None)


BEDS = {f.__name__: f for f in (mmlu_pro, mmlu_pro_scores, mmlu_pair, apart)}


def scores_of(bed: Bed) -> np.ndarray:
    if bed.truth is None:
        return bed.rows.select(pl.col(bed.services).cast(pl.Float64)).to_numpy()
    truth = bed.rows.get_column(bed.truth)
    return np.stack([(bed.rows[s] == truth).to_numpy() for s in bed.services], axis=1).astype(
        float
    )


def alone(bed: Bed, scores: np.ndarray, at: np.ndarray, service: int) -> aa.AccuracySurface:
    rows = bed.rows.with_columns(pl.Series("score__", scores[:, service]))
    name, options = bed.services[service], {}
    if bed.truth is not None:
        options = {"y_pred": name, "referees": [s for s in bed.services if s != name]}
    pool = rows.drop("score__")
    return aa.estimate(rows[at], bed.attributes, "score__", pool=pool, **options)


def together(bed: Bed, at: np.ndarray) -> aa.Comparison:
    if bed.truth is None:
        pool = bed.rows.select(bed.attributes)
        return aa.compare(bed.rows[at], bed.attributes, scores=bed.services, pool=pool)
    options = {"services": bed.services, "y_true": bed.truth, "pool": bed.rows.drop(bed.truth)}
    return aa.compare(bed.rows[at], bed.attributes, **options)


def judge(bed: Bed, surface: aa.AccuracySurface, scores: np.ndarray) -> list[float]:
    gold = bed.rows.select(bed.attributes).with_columns(pl.Series("gold", scores))
    gold = gold.group_by(bed.attributes).agg(pl.col("gold").mean(), pl.len().alias("size"))
    found = surface.to_frame().join(gold.filter(pl.col("size") >= 5), on=bed.attributes)
    error = found["mean"] - found["gold"]
    held = (found["lower"] <= found["gold"] + 1e-9) & (found["gold"] <= found["upper"] + 1e-9)
    whole, truth = surface.overall, scores.mean()
    return [
        100.0 * float((error**2).mean()),
        float(held.mean()),
        float((found["upper"] - found["lower"]).mean()),
        float(whole.lower <= truth <= whole.upper),
        whole.upper - whole.lower,
        abs(whole.mean - truth),
    ]


def run(name: str, bed: Bed, n_labels: int, draws: range) -> None:
    scores, found, apart_by, seconds = scores_of(bed), [], [], []
    for draw in draws:
        rng = np.random.default_rng(draw)
        at = rng.permutation(bed.rows.height)[:n_labels]
        start = time.process_time()
        board = together(bed, at)
        joint = time.process_time() - start
        some = rng.permutation(len(bed.services))[:_SOME]
        start = time.process_time()
        one_by_one = {s: alone(bed, scores, at, s) for s in some.tolist()}
        single = (time.process_time() - start) / some.size * len(bed.services)
        seconds.append((single, joint))
        for s, surface in one_by_one.items():
            both = (surface, board.surfaces[bed.services[s]])
            found.append([s, *(v for each in both for v in judge(bed, each, scores[:, s]))])
        for s, t in list(combinations(range(len(bed.services)), 2))[
            :: max(len(bed.services) // 4, 1)
        ]:
            told = board.difference(bed.services[s], bed.services[t])
            truth = scores[:, s].mean() - scores[:, t].mean()
            held = told.lower <= truth <= told.upper
            apart_by.append((held, told.upper - told.lower, abs(told.mean - truth)))
    table = np.asarray(found)
    print(f"{name}, {n_labels} labels, {len(draws)} draws, {len(bed.services)} services")
    for label, part in (("one by one", table[:, 1:7]), ("together", table[:, 7:])):
        error, held, width, whole, whole_width, off = part.mean(axis=0)
        print(
            f"  {label:10} error {error:.3f}, held {held:.0%}, width {width:.3f}; overall held "
            f"{whole:.0%}, width {whole_width:.3f}, off by {off:.4f}"
        )
    ratio = table[:, 7].mean() / table[:, 1].mean()
    each = [
        table[table[:, 0] == s, 7].mean() / table[table[:, 0] == s, 1].mean()
        for s in np.unique(table[:, 0])
    ]
    held, width, off = np.mean(np.asarray(apart_by, dtype=float), axis=0)
    single, joint = np.mean(seconds, axis=0)
    print(
        f"  ratio {ratio:.3f}, of the worst service {max(each):.2f}; differences held {held:.0%}, "
        f"width {width:.3f}, off by {off:.4f}; seconds {single:.1f} and {joint:.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="first draw")
    parser.add_argument("--beds", nargs="*", default=list(BEDS))
    parser.add_argument("--labels", nargs="*", type=int, default=[100, 300, 1_000])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in asked.beds:
        bed = BEDS[name](asked.data)
        for n_labels in asked.labels:
            run(name, bed, n_labels, range(asked.first, asked.first + asked.draws))


if __name__ == "__main__":
    main()
