"""Several services fitted together, beside one by one: errors and intervals on paired draws.

For every table and number of labels, drawn at random, some services of each draw are estimated one
by one, as `estimate` with the answers of the others as referees does, and all of them by
`compare`. A row has one service of one draw: the macro error of arms (times 100), the share of
their 90% intervals that hold, and the overall accuracy, of both; and how often differences between
services over the pool held.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from accuracy_assay import AccuracySurface, Comparison, compare, estimate
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.study import Advance, Study

__all__ = ["MANY_SERVICES"]

_SOME = 8
"""Services of a draw that are fitted one by one, which takes most of the time."""
_LEAST_ROWS = 5
"""Arms with fewer rows are left out, as in the paper."""


class Bed(NamedTuple):
    """A pool with every label: attributes, columns of services, the truth if these are answers."""

    rows: pl.DataFrame
    attributes: list[str]
    services: list[str]
    truth: str | None


def _mmlu_pro(data: Path) -> Bed:
    rows = pl.read_parquet(data / "mmlu_pro" / "pool.parquet")
    models = [name for name in rows.columns if name.startswith("pred:")]
    bands = pl.col("length").qcut(3, labels=["short", "middle", "long"]).cast(pl.String)
    rows = rows.with_columns(bands.alias("band"), pl.col(models).fill_null("none"))
    return Bed(rows, ["category", "band", "has_number"], models, "answer")


def _mmlu_pro_scores(data: Path) -> Bed:
    rows, _, models, _ = _mmlu_pro(data)
    right = (pl.col(name).eq(pl.col("answer")).cast(pl.Float64) for name in models)
    return Bed(rows.with_columns(right), ["category", "has_number"], models, None)


def _mmlu_pair(data: Path) -> Bed:
    rows = pl.read_parquet(data / "mmlu_pair" / "pool.parquet")
    return Bed(rows, ["subject"], ["mixtral_correct", "gpt4_correct"], None)


def _apart(data: Path | None) -> Bed:
    """Six made services that have nothing in common."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 8, 6_000), rng.integers(0, 4, 6_000)
    logit = rng.normal(0.8, 0.7, (6, 8, 4)) + rng.normal(0.0, 0.7, (6, 8, 1))
    right = rng.random((6, 6_000)) < 1.0 / (1.0 + np.exp(-logit[:, a, b]))
    scores = {f"s{i}": right[i].astype(float) for i in range(6)}
    rows = pl.DataFrame({"a": a.astype(str), "b": b.astype(str), **scores})
    return Bed(rows, ["a", "b"], list(scores), None)


_BEDS: Mapping[str, Callable[[Path], Bed]] = {
    "29 models, answers": _mmlu_pro,
    "29 models, scores": _mmlu_pro_scores,
    "two models, scores": _mmlu_pair,
}


def _draws(
    data: Path | None, n_draws: int, labels: tuple[int, ...], advance: Advance | None = None
) -> pl.DataFrame:
    beds: dict[str, Bed] = {}
    for name, read in _BEDS.items():
        if data is not None:
            try:
                beds[name] = read(data)
            except FileNotFoundError as error:
                raise InputError(
                    f"data must hold mmlu_pro and mmlu_pair; got {data}, where {error.filename} "
                    "is missing. Pass --data DIR, or no data for made services alone."
                ) from None
    beds["six made services, nothing in common"] = _apart(data)
    asked = [(bed, n, seed) for bed in beds for n in labels for seed in range(n_draws)]
    found: list[dict[str, Any]] = []
    for done, (name, n_labels, seed) in enumerate(asked):
        if advance is not None:
            advance(done, len(asked), name)
        found += _draw(name, beds[name], n_labels, seed)
    if advance is not None:
        advance(len(asked), len(asked), "")
    return pl.DataFrame(found)


def _draw(name: str, bed: Bed, n_labels: int, seed: int) -> list[dict[str, Any]]:
    """Return a row for each service that is fitted both ways."""
    scores, rng = _scores(bed), np.random.default_rng([47, seed])
    at = rng.permutation(bed.rows.height)[:n_labels]
    start = time.process_time()
    board = _together(bed, at)
    joint_s = time.process_time() - start
    held = _differences_held(bed, board, scores)
    rows = []
    for s in rng.permutation(len(bed.services))[:_SOME].tolist():
        start = time.process_time()
        alone = _alone(bed, scores, at, s)
        known = {"bed": name, "labels": n_labels, "seed": seed, "service": bed.services[s]}
        seconds = {"alone_s": time.process_time() - start, "joint_s": joint_s}
        own = _judge(bed, alone, scores[:, s], "alone")
        joint = _judge(bed, board.surfaces[bed.services[s]], scores[:, s], "joint")
        rows.append({**known, **own, **joint, "differences_held": held, **seconds})
    return rows


def _scores(bed: Bed) -> FloatArray:
    """Return the score of each row by service, (N, k)."""
    if bed.truth is None:
        return bed.rows.select(pl.col(bed.services).cast(pl.Float64)).to_numpy()
    truth = bed.rows.get_column(bed.truth)
    right = [(bed.rows[s] == truth).cast(pl.Float64).to_numpy() for s in bed.services]
    return np.stack(right, axis=1)


def _alone(bed: Bed, scores: FloatArray, at: IntArray, service: int) -> AccuracySurface:
    rows = bed.rows.with_columns(pl.Series("score__", scores[:, service]))
    name, options = bed.services[service], {}
    if bed.truth is not None:
        options = {"y_pred": name, "referees": [s for s in bed.services if s != name]}
    pool = rows.drop("score__")
    return estimate(rows[at], bed.attributes, "score__", pool=pool, **options)  # type: ignore[arg-type]


def _together(bed: Bed, at: IntArray) -> Comparison:
    if bed.truth is None:
        pool = bed.rows.select(bed.attributes)
        return compare(bed.rows[at], bed.attributes, scores=bed.services, pool=pool)
    pool = bed.rows.drop(bed.truth)
    known = {"services": bed.services, "y_true": bed.truth, "pool": pool}
    return compare(bed.rows[at], bed.attributes, **known)  # type: ignore[arg-type]


def _differences_held(bed: Bed, board: Comparison, scores: FloatArray) -> float:
    """Return the share of intervals of differences over the pool that hold the truth."""
    pairs = list(combinations(range(len(bed.services)), 2))[:: max(len(bed.services) // 4, 1)]
    held = []
    for s, t in pairs:
        told = board.difference(bed.services[s], bed.services[t])
        truth = float(scores[:, s].mean() - scores[:, t].mean())
        held.append(told.lower <= truth <= told.upper)
    return float(np.mean(held))


def _judge(
    bed: Bed, surface: AccuracySurface, scores: FloatArray, prefix: str
) -> dict[str, float]:
    """Return error and intervals of the arms and of the overall accuracy."""
    gold = bed.rows.select(bed.attributes).with_columns(pl.Series("gold", scores))
    gold = gold.group_by(bed.attributes).agg(pl.col("gold").mean(), pl.len().alias("size"))
    of_arms = pl.DataFrame(surface.to_frame())
    found = of_arms.join(gold.filter(pl.col("size") >= _LEAST_ROWS), on=bed.attributes)
    error = found["mean"] - found["gold"]
    held = found["gold"].is_between(found["lower"] - 1e-9, found["upper"] + 1e-9)
    whole, truth = surface.overall, float(scores.mean())
    numbers = {
        "mse": 100.0 * float((error**2).mean()),  # type: ignore[arg-type]
        "held": float(held.mean()),  # type: ignore[arg-type]
        "overall_held": float(whole.lower <= truth <= whole.upper),
        "overall_width": whole.upper - whole.lower,
        "overall_off": abs(whole.mean - truth),
    }
    return {f"{prefix}_{key}": value for key, value in numbers.items()}


def _summary(draws: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return one row per table and number of labels: fits together beside one by one."""
    of_one = draws.group_by("bed", "labels", "service").agg(
        (pl.col("joint_mse").mean() / pl.col("alone_mse").mean()).alias("ratio")
    )
    worst = of_one.group_by("bed", "labels").agg(
        pl.col("ratio").max().alias("ratio of the worst service")
    )
    found = draws.group_by("bed", "labels", maintain_order=True).agg(
        pl.col("seed").n_unique().alias("draws"),
        pl.col("alone_mse").mean().alias("error one by one"),
        pl.col("joint_mse").mean().alias("together"),
        (pl.col("joint_mse").mean() / pl.col("alone_mse").mean()).alias("ratio"),
        pl.col("joint_held").mean().alias("arms held"),
        pl.col("differences_held").mean().alias("differences held"),
        pl.col("alone_overall_width").mean().alias("overall width one by one"),
        pl.col("joint_overall_width").mean().alias("overall width together"),
        pl.col("joint_overall_held").mean().alias("overall held"),
        pl.col("joint_s").mean().alias("seconds together"),
    )
    both = found.join(worst, on=["bed", "labels"], how="left", maintain_order="left")
    return {"Services fitted together, beside one by one": both}


MANY_SERVICES = Study("Many services", _draws, _summary, 6, (100, 300, 1_000))
