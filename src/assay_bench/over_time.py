"""Watching over time: false alarms of services that stay, and how soon losses are found.

In a made world a service has seven equal slices. After a baseline of 1,000 labels come as many as
asked for, looked at twenty times; half way one slice loses a share of its right answers. Beside
`accuracy_assay.watch` stands what is done by hand: every look compares the labels since the last
one with the baseline, slice by slice, with Bonferroni's correction for looks and slices. Tables of
the data folder stand for services that stay as they are: their rows come in random order.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay import watch
from accuracy_assay.runtime.arrays import BoolArray, FloatArray
from assay_bench.study import Advance, Study

__all__ = ["OVER_TIME"]

_SLICES, _BASELINE, _LOOKS = 7, 1000, 20
_FALSE_ALARM, _TOLERANCE = 0.05, 0.02
_WORLDS = ((0.8, 0.0), (0.8, 1 / 2), (0.8, 1 / 3), (0.6, 1 / 2), (0.6, 1 / 3), (0.9, 1 / 3))
"""Accuracy before, and the share of its right answers that one slice loses."""
_STABLE = {
    "whisper_text": (["len_band", "word_len_band"], pl.col("agreement")),
    "audiomnist": (["digit", "gender"], (pl.col("google_pred") == pl.col("digit"))),
}
"""Tables that stand for services that stay: attributes and score."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One service, watched both ways; delays are labels after the loss, None if it was not found.

    ``early`` is an alarm before anything was lost, ``placed`` whether the slice was named.
    """

    world: str
    lost: float
    labels: int
    seed: int
    early: bool
    found: bool
    placed: bool
    delay: int | None
    by_hand_early: bool
    by_hand_found: bool
    by_hand_placed: bool
    by_hand_delay: int | None


def _draws(
    data: Path | None, n_draws: int, labels: tuple[int, ...], advance: Advance | None = None
) -> pl.DataFrame:
    tables = [name for name in _STABLE if data is not None and (data / name).is_dir()]
    asked: list[Any] = [(world, n) for world in (*_WORLDS, *tables) for n in labels]
    found: list[dict[str, Any]] = []
    for world, n in asked:
        for seed in range(n_draws):
            if advance is not None:
                advance(len(found), len(asked) * n_draws, str(world))
            rng = np.random.default_rng([seed, n])
            if isinstance(world, str):
                assert data is not None
                rows, attributes = _stable_rows(data / world / "pool.parquet", world, n, rng)
                found.append(asdict(_watch(world, 0.0, rows, attributes, n, seed)))
            else:
                rate, lost = world
                rows = _made_rows(rate, lost, n, rng)
                name = f"accuracy {rate:g}"
                found.append(asdict(_watch(name, lost, rows, ["slice"], n, seed)))
    if advance is not None:
        advance(len(found), len(found), "")
    return pl.DataFrame(found, infer_schema_length=None)


def _summary(draws: pl.DataFrame) -> dict[str, pl.DataFrame]:
    def percent(name: str) -> pl.Expr:
        return (100.0 * pl.col(name).mean()).round(1)

    table = draws.group_by("labels", "world", "lost", maintain_order=True).agg(
        pl.len().alias("draws"),
        percent("early").alias("false alarms, %"),
        percent("found").alias("found, %"),
        percent("placed").alias("placed, %"),
        pl.col("delay").median().alias("median delay"),
        percent("by_hand_early").alias("by hand: false alarms, %"),
        percent("by_hand_found").alias("found by hand, %"),
        percent("by_hand_placed").alias("placed by hand, %"),
        pl.col("by_hand_delay").median().alias("median delay by hand"),
    )
    return {"Losses found, and false alarms": table}


def _made_rows(rate: float, lost: float, n: int, rng: np.random.Generator) -> pl.DataFrame:
    """Return a baseline and n labels after it; slice 0 loses a share half way."""
    time = np.arange(_BASELINE + n)
    which = rng.integers(0, _SLICES, time.size)
    is_lost = (which == 0) & (time >= _BASELINE + n // 2)
    right = rng.random(time.size) < np.where(is_lost, rate * (1.0 - lost), rate)
    return pl.DataFrame({"time": time, "slice": which.astype(str), "right": right.astype(float)})


def _stable_rows(
    path: Path, name: str, n: int, rng: np.random.Generator
) -> tuple[pl.DataFrame, list[str]]:
    attributes, score = _STABLE[name]
    rows = pl.read_parquet(path).select(*attributes, score.cast(pl.Float64).alias("right"))
    rows = rows.drop_nulls()[rng.permutation(rows.drop_nulls().height)[: _BASELINE + n]]
    return rows.with_row_index("time"), attributes


def _watch(
    world: str, lost: float, rows: pl.DataFrame, attributes: list[str], n: int, seed: int
) -> Draw:
    every = n // _LOOKS
    found = watch(
        rows,
        attributes,
        "right",
        time="time",
        baseline=_BASELINE - 1,
        tolerance=_TOLERANCE,
        every=every,
        false_alarm=_FALSE_ALARM,
        order=1,
    )
    change = n // 2 if lost else n
    ours = _first(dict(found.alarms.select("slice", "labels").iter_rows()))
    hand = _first(_by_hand(rows, attributes, every))
    named = [
        any("slice = 0" in name and at > change for name, at in each.items())
        for each in (dict(found.alarms.select("slice", "labels").iter_rows()), hand[1])
    ]
    parts: list[Any] = []
    for (first, _), is_named in zip((ours, hand), named, strict=True):
        is_early = first is not None and first <= change
        is_found = first is not None and not is_early
        delay = first - change if is_found and first is not None else None
        parts += [is_early, is_found, is_named, delay]
    return Draw(world, round(lost, 2), n, seed, *parts)


def _first(alarms: dict[str, int]) -> tuple[int | None, dict[str, int]]:
    return min(alarms.values(), default=None), alarms


def _by_hand(rows: pl.DataFrame, attributes: list[str], every: int) -> dict[str, int]:
    """Return the labels at the first alarm of each slice: two-sample tests, look by look."""
    score = rows.get_column("right").to_numpy()
    masks: dict[str, BoolArray] = {"overall": np.ones(score.size, dtype=bool)}
    for name in attributes:
        column = rows.get_column(name)
        for value in column.unique().sort().to_list():
            masks[f"{name} = {value}"] = (column == value).to_numpy()
    n = score.size - _BASELINE
    bar = NormalDist().inv_cdf(1.0 - _FALSE_ALARM / (_LOOKS * len(masks)))
    found: dict[str, int] = {}
    for end in range(every, n + 1, every):
        week = slice(_BASELINE + end - every, _BASELINE + end)
        for name, is_in in masks.items():
            old, new = score[:_BASELINE][is_in[:_BASELINE]], score[week][is_in[week]]
            if name not in found and _z(old, new) > bar:
                found[name] = end
    return found


def _z(old: FloatArray, new: FloatArray) -> float:
    """Return the loss beyond the tolerance in standard errors of both samples pooled."""
    if not (old.size and new.size):
        return 0.0
    both = np.concatenate([old, new])
    spread = float(np.sqrt(both.var() * (1.0 / old.size + 1.0 / new.size)))
    return float(old.mean() - new.mean() - _TOLERANCE) / spread if spread else 0.0


OVER_TIME = Study(
    "Watching over time: losses found, and false alarms",
    _draws,
    _summary,
    n_draws=100,
    labels=(3000,),
)
