"""What plans by price cost, and whether what they buy is as narrow as promised.

On ``frank`` each automatic metric is the judge of a draw of labels; prices are 1 : 50, and the
goal is the overall accuracy within 1.5 points to either side.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay import estimate, plan_by_price
from accuracy_assay.errors import InputError
from assay_bench.judge_certificates import PEOPLE, SERVICE, frank_judges
from assay_bench.study import Advance, Study

__all__ = ["JUDGE_PRICES"]

_PRICES = {"people": 50.0, "judge": 1.0}
_HALF_WIDTH = 0.015


@dataclass(frozen=True, slots=True)
class Draw:
    """One plan: what it costs, and the estimate from what it buys.

    ``error`` is the estimate less the truth, ``half_width`` that of its 90% interval.
    """

    judge: str
    labels: int
    seed: int
    cost: float
    people_alone: float
    fixed_mix: float
    error: float
    half_width: float


def _draws(
    data: Path | None, n_draws: int, labels: tuple[int, ...], advance: Advance | None = None
) -> pl.DataFrame:
    if data is None:
        raise InputError("plans by price must have a folder with the table frank; got no --data.")
    table, names = frank_judges(data)
    asked = [(n, name, seed) for n in labels for name in names for seed in range(n_draws)]
    found: list[dict[str, Any]] = []
    for n, name, seed in asked:
        if advance is not None:
            advance(len(found), len(asked), name)
        rows = table.drop_nulls(name).select(SERVICE, people=PEOPLE, judge=name)
        found.append(asdict(_plan(rows, name, n, seed)))
    if advance is not None:
        advance(len(asked), len(asked), "")
    return pl.DataFrame(found)


def _summary(draws: pl.DataFrame) -> dict[str, pl.DataFrame]:
    better = pl.min_horizontal("people_alone", "fixed_mix")
    saved = 100.0 * (1.0 - pl.col("cost") / better)
    off = pl.col("error").abs()
    table = draws.group_by("labels", maintain_order=True).agg(
        pl.len().alias("plans"),
        (pl.col("cost") > better).sum().alias("dearer than the better"),
        saved.mean().round(1).alias("saved, %"),
        saved.max().round(1).alias("at most, %"),
        (100.0 * (off <= _HALF_WIDTH).mean()).round(1).alias("within the goal, %"),
        (100.0 * (off <= pl.col("half_width")).mean()).round(1).alias("intervals held, %"),
        (100.0 * pl.col("half_width").mean()).round(2).alias("half-width, points"),
    )
    return {"Plans against people alone and a fixed mix": table}


def _plan(rows: pl.DataFrame, judge: str, labels: int, seed: int) -> Draw:
    order = np.random.default_rng(seed).permutation(rows.height)
    known = np.isin(np.arange(rows.height), order[:labels])
    is_known = pl.when(pl.Series(known))
    pilot = rows.with_columns(is_known.then(name).alias(name) for name in _PRICES)
    plan = plan_by_price(
        pilot,
        [SERVICE],
        "people",
        judges=["judge"],
        prices=_PRICES,
        half_width=_HALF_WIDTH,
        seed=seed,
    )
    bought = dict.fromkeys(_PRICES, known)
    for name, column in (("people", "people"), ("judge", "judged")):
        at = plan.rows().filter(column).get_column("row").to_numpy()
        bought[name] = known | np.isin(np.arange(rows.height), at)
    found = estimate(
        rows.with_columns(pl.when(pl.Series(m)).then(n).alias(n) for n, m in bought.items()),
        [SERVICE],
        "people",
        judges=["judge"] if plan.judges else None,
        target="pool",
        seed=seed,
    ).overall
    truth = float(rows.get_column("people").to_numpy().mean())
    half = 0.5 * (found.upper - found.lower)
    costs = (plan.cost, plan.people_alone, plan.fixed_mix)
    return Draw(judge, labels, seed, *costs, found.mean - truth, half)


JUDGE_PRICES = Study(
    "People or the judge, by price",
    _draws,
    _summary,
    n_draws=3,
    labels=(150,),
)
