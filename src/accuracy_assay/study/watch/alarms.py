"""From evidence to alarms: which slices, when, and what is lost there by now."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.numerics.watching.change_point import when_changed
from accuracy_assay.study.watch.looks import Looks, Side
from accuracy_assay.study.watch.slices import WatchedSlice

__all__ = ["LEVEL", "find_alarms"]

LEVEL = 0.9
"""Probability of the intervals, as of every surface."""


def find_alarms(
    looks: Looks,
    slices: tuple[WatchedSlice, ...],
    side: Side,
    false_alarm: float,
    rng: np.random.Generator,
    *,
    gain: bool,
) -> pl.DataFrame:
    """Return one row per alarm, the first first; of several at one look, the strongest first.

    Where something is lost and no slice can be named yet, one row names those of which at least
    one is.
    """
    bar = 1.0 / false_alarm
    found = [
        _alarm(looks, [each], int(is_named.argmax()), float(evidence.max()), rng, gain=gain)
        for each, is_named, evidence in zip(slices, side.named >= bar, side.named, strict=True)
        if is_named.any()
    ]
    is_heard = side.evidence >= bar
    if not found and is_heard.any():
        look = int(is_heard.argmax())
        any_of = [s for s, own in zip(slices, side.own[:, look], strict=True) if own >= bar]
        found = [_alarm(looks, any_of, look, float(side.evidence.max()), rng, gain=gain)]
    times, change = looks.stream.times, "gain" if gain else "loss"
    columns: dict[str, Any] = {
        "time": times.dtype,
        "slice": pl.String,
        **dict.fromkeys(("before", "now", change, "lower", "upper", "e_value"), pl.Float64),
        "since": times.dtype,
        "labels": pl.Int64,
    }
    frame = pl.DataFrame(found, schema=columns)
    return frame.sort(["labels", "e_value"], descending=[False, True], maintain_order=True)


def _alarm(
    looks: Looks,
    slices: list[WatchedSlice],
    look: int,
    evidence: float,
    rng: np.random.Generator,
    *,
    gain: bool,
) -> dict[str, Any]:
    """Return one alarm; the numbers of several slices are those of the strongest, the first."""
    baseline, blocks = looks.rights(slices[0])
    change = when_changed(baseline, blocks, rng)
    sign = -1.0 if gain else 1.0
    tails = np.array([0.5 - LEVEL / 2.0, 0.5 + LEVEL / 2.0])
    lower, upper = np.quantile(sign * change.loss, tails)
    before = float(baseline[0] / baseline.sum())
    first = int(looks.ends[change.block - 1]) if change.block else 0
    return {
        "time": looks.time_of(int(looks.ends[look]) - 1),
        "slice": " or ".join(each.name for each in slices),
        "before": before,
        "now": change.now,
        "gain" if gain else "loss": sign * (before - change.now),
        "lower": float(lower),
        "upper": float(upper),
        "e_value": evidence,
        "since": looks.time_of(first),
        "labels": int(looks.ends[look]),
    }
