"""Watching over time: false alarms of services that stay, and how soon losses are found.

In a made world a service has seven slices and two other attributes. After a baseline of 1,000
labels come as many as asked for, looked at twenty times; half way one slice loses a share of its
right answers. In one world nothing is lost, but the mix drifts towards slices that are hard.

Beside `accuracy_assay.watch` stands what is done by hand: every look compares the labels since
the last one with the baseline, slice by slice, beyond a bar that 95% of draws of the same service
keep where it stays, as Bonferroni's correction is meant to. And a monitor of the overall accuracy
alone: an asymptotic confidence sequence of the mean over looks (Waudby-Smith and others, 2024,
with Robbins' mixture, as in the package glide) against the baseline's mean less the tolerance.
Tables of the data folder stand for services that stay: their rows come in random order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from accuracy_assay import watch
from accuracy_assay.runtime.arrays import BoolArray, FloatArray
from assay_bench.study import Advance, Study

__all__ = ["OVER_TIME"]

_Maker: TypeAlias = Callable[[np.random.Generator], pl.DataFrame]

_SLICES, _BASELINE, _LOOKS = 7, 1000, 20
_FALSE_ALARM, _TOLERANCE = 0.05, 0.02
_CALIBRATED = 200
"""Draws that the bar by hand is taken from: its false alarms are known to 1.5 points."""
_TIGHTEST = 10
"""Look at which the confidence sequence is narrowest."""


@dataclass(frozen=True, slots=True)
class World:
    """A made service: its accuracy, what a slice loses, whether the mix of slices drifts."""

    rate: float
    lost: float = 0.0
    is_drifting: bool = False

    @property
    def name(self) -> str:
        return f"accuracy {self.rate:g}{', its mix drifts' * self.is_drifting}"


_WORLDS = (
    *(World(0.8), World(0.8, 1 / 2), World(0.8, 1 / 3), World(0.6, 1 / 2), World(0.6, 1 / 3)),
    *(World(0.9, 1 / 3), World(0.8, is_drifting=True)),
)
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
    monitor_early: bool
    monitor_found: bool
    monitor_delay: int | None


def _draws(
    data: Path | None, n_draws: int, labels: tuple[int, ...], advance: Advance | None = None
) -> pl.DataFrame:
    tables = [name for name in _STABLE if data is not None and (data / name).is_dir()]
    asked: list[Any] = [(world, n) for world in (*_WORLDS, *tables) for n in labels]
    found: list[dict[str, Any]] = []
    for world, n in asked:
        made = _maker(world, n, data)
        stays = _maker(replace(world, lost=0.0) if isinstance(world, World) else world, n, data)
        bar = _bar(stays, n)
        for seed in range(n_draws):
            name = world if isinstance(world, str) else world.name
            if advance is not None:
                advance(len(found), len(asked) * n_draws, name)
            lost = 0.0 if isinstance(world, str) else world.lost
            rows = made(np.random.default_rng([seed, n]))
            found.append(asdict(_watch(name, lost, rows, n, seed, bar)))
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
        percent("monitor_early").alias("monitor of the overall: false alarms, %"),
        percent("monitor_found").alias("found by it, %"),
        pl.col("monitor_delay").median().alias("its median delay"),
    )
    return {"Losses found, and false alarms": table}


def _maker(world: World | str, n: int, data: Path | None) -> _Maker:
    """Return the function that draws the rows of a world, each with its time and its score."""
    if isinstance(world, World):
        return partial(_made_rows, world, n)
    assert data is not None
    attributes, score = _STABLE[world]
    table = pl.read_parquet(data / world / "pool.parquet")
    table = table.select(*attributes, score.cast(pl.Float64).alias("right")).drop_nulls()

    def shuffled(rng: np.random.Generator) -> pl.DataFrame:
        return table[rng.permutation(table.height)[: _BASELINE + n]].with_row_index("time")

    return shuffled


def _made_rows(world: World, n: int, rng: np.random.Generator) -> pl.DataFrame:
    """Return a baseline and n labels after it; slice 0 loses a share half way."""
    time = np.arange(_BASELINE + n)
    places = np.arange(_SLICES) / (_SLICES - 1) - 0.5  # from the hardest slice to the easiest
    later = np.clip((time - _BASELINE) / n, 0.0, 1.0) * world.is_drifting
    shares = np.exp(-4.0 * later[:, None] * places)
    bounds = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
    which = np.minimum((rng.random(time.size)[:, None] > bounds).sum(axis=1), _SLICES - 1)
    eta = np.log(world.rate / (1.0 - world.rate)) + 2.0 * places[which] * world.is_drifting
    rate = 1.0 / (1.0 + np.exp(-eta))
    is_lost = (which == 0) & (time >= _BASELINE + n // 2)
    right = rng.random(time.size) < np.where(is_lost, rate * (1.0 - world.lost), rate)
    others = {"part": rng.integers(0, 4, time.size), "side": rng.integers(0, 3, time.size)}
    columns = {"time": time, "slice": which.astype(str)}
    columns |= {name: value.astype(str) for name, value in others.items()}
    return pl.DataFrame({**columns, "right": right.astype(float)})


def _watch(world: str, lost: float, rows: pl.DataFrame, n: int, seed: int, bar: float) -> Draw:
    every = n // _LOOKS
    found = watch(
        rows,
        [name for name in rows.columns if name not in ("time", "right")],
        "right",
        time="time",
        baseline=_BASELINE - 1,
        tolerance=_TOLERANCE,
        every=every,
        false_alarm=_FALSE_ALARM,
    )
    change = n // 2 if lost else n
    ours = dict(found.alarms.select("slice", "labels").iter_rows())
    loud = {name: z > bar for name, z in _statistics(rows, every).items()}
    hand = {
        name: every * (int(is_loud.argmax()) + 1)
        for name, is_loud in loud.items()
        if is_loud.any()
    }
    at = _monitor(rows, every)
    monitor = {} if at is None else {"overall": at}
    parts: list[Any] = []
    for alarms in (ours, hand, monitor):
        first = min(alarms.values(), default=None)
        is_early = first is not None and first <= change
        delay = None if first is None or is_early else first - change
        is_placed = any("slice = 0" in name and at > change for name, at in alarms.items())
        parts += [is_early, delay is not None, is_placed, delay]
    del parts[10]  # a monitor of the overall places nothing
    return Draw(world, round(lost, 2), n, seed, *parts)


def _bar(made: _Maker, n: int) -> float:
    """Return what the statistics by hand stay below in 95% of draws of a service that stays."""
    largest = []
    for seed in range(_CALIBRATED):
        rows = made(np.random.default_rng([seed, n, 1]))
        largest.append(max(z.max() for z in _statistics(rows, n // _LOOKS).values()))
    return float(np.quantile(largest, 1.0 - _FALSE_ALARM))


def _statistics(rows: pl.DataFrame, every: int) -> dict[str, FloatArray]:
    """Return, for every slice, the loss beyond the tolerance at each look in standard errors."""
    score = rows.get_column("right").to_numpy()
    looks = (np.arange(score.size) - _BASELINE) // every
    looks[:_BASELINE] = -1
    masks: dict[str, BoolArray] = {"overall": np.ones(score.size, dtype=bool)}
    for name in rows.columns:
        if name in ("time", "right"):
            continue
        column = rows.get_column(name)
        for value in column.unique().sort().to_list():
            masks[f"{name} = {value}"] = (column == value).to_numpy()
    found = {}
    for name, is_in in masks.items():
        at, x = looks[is_in] + 1, score[is_in]
        n, total, squares = (np.bincount(at, w, _LOOKS + 2) for w in (None, x, x * x))
        is_empty, n = n[1:-1] == 0, np.maximum(n, 1)
        both = n[0] + n[1:-1]
        mean = (total[0] + total[1:-1]) / both
        spread = (squares[0] + squares[1:-1]) / both - mean**2
        error = np.sqrt(np.maximum(spread, 1e-9) * (1.0 / n[0] + 1.0 / n[1:-1]))
        loss = total[0] / n[0] - total[1:-1] / n[1:-1] - _TOLERANCE
        found[name] = np.where(is_empty, 0.0, loss / error)
    return found


def _monitor(rows: pl.DataFrame, every: int) -> int | None:
    """Return the labels at the first alarm of the monitor of the overall accuracy."""
    score = rows.get_column("right").to_numpy()
    looks = score[_BASELINE : _BASELINE + every * _LOOKS].reshape(_LOOKS, every)
    seen = np.arange(1, _LOOKS + 1)
    mean = np.cumsum(looks.mean(axis=1)) / seen
    variance = np.cumsum(looks.var(axis=1, ddof=1) / every)
    nats = -2.0 * np.log(2.0 * _FALSE_ALARM)
    scale = (nats + np.log(nats + 1.0)) / max(variance[_TIGHTEST - 1], 1e-12)
    time = variance * scale + 1.0
    width = np.sqrt(2.0 * time / scale * np.log1p(np.sqrt(time) / (2.0 * _FALSE_ALARM))) / seen
    is_loud = mean + width < score[:_BASELINE].mean() - _TOLERANCE
    return every * (int(is_loud.argmax()) + 1) if is_loud.any() else None


OVER_TIME = Study(
    "Watching over time: losses found, and false alarms",
    _draws,
    _summary,
    n_draws=100,
    labels=(3000,),
)
