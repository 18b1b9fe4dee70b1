"""Annotators who err: what their answers add to a few gold ones, on real crowds.

Each crowd of ``<data>/crowd`` has the answers of many people and the truth of every item. A made
service is right for nine items of ten: the others are random, or likelier to be those that people
get wrong. Some items, drawn at random, have gold. The same draw is estimated from gold alone and
from gold and all answers, for the pool; what is right overall is known.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay import estimate
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray
from assay_bench.study import Advance, Study

__all__ = ["ANNOTATORS"]

_ACCURACY = 0.9
_KINDS = ("random", "hard")
"""Which items the service gets wrong: any, or rather those that people do."""
_EASY, _HARD = 0.02, 0.3
"""Chance of an error where everybody is right, and how much more of it where everybody errs,
before both are scaled to the service's accuracy."""


@dataclass(frozen=True, slots=True)
class CrowdResult:
    """One draw: errors and intervals of the overall accuracy, with gold alone and with answers.

    ``explains`` is the share of the gold items' scores that answers explain. ``unverified`` is the
    accuracy without gold, ``unverified_half`` half the width of its interval and
    ``slack`` how far it is said to be off at most.
    """

    crowd: str
    errs: str
    gold: int
    seed: int
    truth: float
    alone: float
    alone_width: float
    alone_held: bool
    mean: float
    width: float
    held: bool
    explains: float | None
    unverified: float
    unverified_half: float
    slack: float


def _draws(
    data: Path | None, n_draws: int, labels: tuple[int, ...], advance: Advance | None = None
) -> pl.DataFrame:
    folder = None if data is None else data / "crowd"
    paths = sorted(folder.glob("*.parquet")) if folder is not None else []
    if not paths:
        raise InputError(
            f"data must hold crowd/*.parquet; got {data}. Pass --data DIR or set ASSAY_DATA."
        )
    asked = [
        (path, errs, n_gold, seed)
        for path in paths
        for errs in _KINDS
        for n_gold in labels
        for seed in range(n_draws)
    ]
    found: list[dict[str, Any]] = []
    for path, errs, n_gold, seed in asked:
        if advance is not None:
            advance(len(found), len(asked), path.stem)
        found.append(asdict(_draw(path, errs, seed, n_gold)))
    if advance is not None:
        advance(len(found), len(asked), "")
    return pl.DataFrame(found)


def _summary(draws: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return one row per crowd and kind of service: ratios to gold alone, and what was held."""
    error = ((pl.col("mean") - pl.col("truth")) ** 2).mean().sqrt()
    alone = ((pl.col("alone") - pl.col("truth")) ** 2).mean().sqrt()
    without = (pl.col("unverified") - pl.col("truth")).abs()
    by_crowd = draws.group_by("gold", "errs", "crowd", maintain_order=True).agg(
        pl.len().alias("draws"),
        (100.0 * error).alias("error, points"),
        (error / alone).alias("of gold alone's"),
        (pl.col("width").mean() / pl.col("alone_width").mean()).alias("width, of gold alone's"),
        pl.col("held").mean().alias("held"),
        pl.col("alone_held").mean().alias("gold alone held"),
        pl.col("explains").mean().alias("explained"),
        (100.0 * without.mean()).alias("error without gold"),
        (100.0 * pl.col("slack").mean()).alias("range without gold"),
        (without <= pl.col("slack") + pl.col("unverified_half")).mean().alias("it held"),
    )
    means = by_crowd.group_by("gold", "errs", maintain_order=True).agg(pl.col(pl.Float64).mean())
    return {"By crowd": by_crowd, "Means over crowds": means}


def _draw(path: Path, errs: str, seed: int, n_gold: int) -> CrowdResult:
    rng = np.random.default_rng([seed, _KINDS.index(errs)])
    answers = pl.read_parquet(path).with_columns(
        pl.col("item", "worker", "answer", "truth").cast(pl.String)
    )
    is_right = (pl.col("answer") == pl.col("truth")).mean().alias("right")
    items = answers.group_by("item", maintain_order=True).agg(pl.col("truth").first(), is_right)
    wrong = _errors(items.get_column("right"), errs, rng)
    classes = items.get_column("truth").unique().sort()
    code = classes.search_sorted(items.get_column("truth")).to_numpy()
    other = (code + rng.integers(1, classes.len(), items.height)) % classes.len()
    items = items.with_columns(
        classes.gather(np.where(wrong, other, code)).alias("said"),
        pl.Series("group", rng.integers(0, 2, items.height)).cast(pl.String),
    )
    is_gold = np.zeros(items.height, dtype=bool)
    is_gold[rng.permutation(items.height)[:n_gold]] = True
    items = items.with_columns(pl.when(pl.Series(is_gold)).then("truth").alias("gold"))
    rows = answers.select("item", "worker", "answer").join(items, on="item")
    known: dict[str, Any] = {"y_pred": "said", "pool": items, "target": "pool"}
    crowd: dict[str, Any] = {"y_true": "answer", "id": "item", "annotator": "worker"}
    own = estimate(items.filter(is_gold), ["group"], y_true="gold", **known).overall
    both = estimate(rows, ["group"], gold="gold", **crowd, **known)
    voted = estimate(rows, ["group"], **crowd, **known)
    truth, got, without = 1.0 - float(wrong.mean()), both.overall, voted.overall
    trust, unverified = both.label_trust, voted.label_trust
    assert trust is not None
    assert unverified is not None
    return CrowdResult(
        path.stem,
        errs,
        n_gold,
        seed,
        truth,
        own.mean,
        own.upper - own.lower,
        own.lower <= truth <= own.upper,
        got.mean,
        got.upper - got.lower,
        got.lower <= truth <= got.upper,
        trust.explains,
        without.mean,
        0.5 * (without.upper - without.lower),
        unverified.slack,
    )


def _errors(right: pl.Series, errs: str, rng: np.random.Generator) -> BoolArray:
    """Return which items the service gets wrong, (N,)."""
    chance = np.full(right.len(), 1.0 - _ACCURACY)
    if errs == "hard":
        chance = _EASY + _HARD * (1.0 - right.to_numpy())
        chance *= (1.0 - _ACCURACY) / chance.mean()
    return np.asarray(rng.random(right.len()) < chance)


ANNOTATORS = Study(
    "Annotators who err: a few gold answers with what people answered, and without",
    _draws,
    _summary,
    n_draws=20,
    labels=(40,),
)
