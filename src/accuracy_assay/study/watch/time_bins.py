"""Labels counted by time and arm: what a timeline is drawn from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.watch.stream import Stream

__all__ = ["count_bins", "timeline"]

_MOST_TIMES = 40
"""Up to so many different times have a bin each; more are put together."""
_BINS, _LEAST_LABELS = 24, 25
"""Bins of a timeline, and fewest labels of one: its interval is then 30 points wide at most."""


def count_bins(stream: Stream) -> pl.DataFrame:
    """Return bin, from, to, is_baseline, arm, labels, right: one row per bin and arm."""
    bins = _bins(stream)
    start = np.searchsorted(bins, np.arange(bins[-1] + 1))
    end = np.searchsorted(bins, np.arange(bins[-1] + 1), side="right") - 1
    counted = (
        pl.DataFrame(
            {"bin": bins, "arm": stream.space.arm_index(stream.codes), "score": stream.scores}
        )
        .group_by("bin", "arm")
        .agg(labels=pl.len(), right=pl.col("score").sum())
        .sort("bin", "arm")
    )
    of = counted.get_column("bin").to_numpy()
    return counted.with_columns(
        stream.times[start[of]].alias("from"),
        stream.times[end[of]].alias("to"),
        pl.Series("is_baseline", start[of] < stream.n_baseline),
    )


def timeline(
    counts: pl.DataFrame, space: AttributeSpace, where: Mapping[str, object], level: float
) -> pl.DataFrame:
    """Return time, mean, lower, upper, labels and is_baseline of every bin with a label.

    The interval is Jeffreys'; of fractional scores it is rather too wide.
    """
    from scipy.special import betaincinv

    is_in = space.matches(counts.get_column("arm").to_numpy(), where)
    found = (
        counts.filter(pl.Series(is_in))
        .group_by("bin", "from", "is_baseline")
        .agg(pl.col("labels", "right").sum())
        .sort("bin")
    )
    n, right = (found.get_column(name).to_numpy() for name in ("labels", "right"))
    a, b = right + 0.5, n - right + 0.5
    tail = 0.5 - level / 2.0
    mean = right / n
    return found.select(
        pl.col("from").alias("time"),
        pl.Series("mean", mean),
        pl.Series("lower", np.minimum(betaincinv(a, b, tail), mean)),
        pl.Series("upper", np.maximum(betaincinv(a, b, 1.0 - tail), mean)),
        pl.col("labels").cast(pl.Int64),
        pl.col("is_baseline"),
    )


def _bins(stream: Stream) -> IntArray:
    """Return the bin of every label, (N,), made of whole times; the baseline has its own."""
    run = np.asarray(stream.times.rle_id().to_numpy(), np.int64)
    if run[-1] < _MOST_TIMES:
        return run
    first = np.searchsorted(run, np.arange(run[-1] + 1))[run]
    size = max(_LEAST_LABELS, -(-stream.scores.size // _BINS))
    n = stream.n_baseline
    found = np.where(first < n, first // size, -(-n // size) + (first - n) // size)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)
