"""What changed that needs no label: the mix of rows, and what the service says of its own answers.

Kinds of rows are arms by strata of the free signals. Labels of the baseline say how accurate each
kind is; what every slice would be if each kind still were, under the kinds that come now, is known
from the rows alone. That is a forecast. Whether a kind itself got worse only labels can say.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.strata import stratify
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.slices import WatchedSlice
from accuracy_assay.study.watch.stream import FreeRows, Stream

__all__ = ["SHIFT_COLUMNS", "find_shifts"]

SHIFT_COLUMNS = {
    "slice": pl.String,
    "share_before": pl.Float64,
    "share_now": pl.Float64,
    "expected_change": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "rows_now": pl.Int64,
    "labels_now": pl.Int64,
    "is_shift": pl.Boolean,
    "ask": pl.Boolean,
}
_LEVEL = 0.9
"""Probability of the intervals, as of every surface."""
_NOW = 4
"""The last quarter of the rows after the baseline is now: recent, and enough to count."""
_SURE = 4.0
"""Standard errors by which a share must differ to be a shift: one in 16,000 by chance, so that 200
slices stay quiet."""
_GROWN = 1.25
"""A shift asks for labels where a slice grew by a quarter and has fewer labels now than its size
would have brought."""
_SCORE, _STRATUM = "score of the baseline", "stratum {} of {}"


def find_shifts(
    stream: Stream, slices: tuple[WatchedSlice, ...], tolerance: float, how: How
) -> pl.DataFrame:
    """Return one row per slice that is watched: its share before and now, and what to expect.

    ``is_shift`` is whether its share changed, or its accuracy is expected to by more than is
    tolerated; ``ask`` whether it has too few labels since.
    """
    free = stream.free
    if free is None or free.n_baseline == free.every.height:
        return pl.DataFrame(schema=SHIFT_COLUMNS)
    start = free.every.height - max((free.every.height - free.n_baseline) // _NOW, 1)
    surface, kinds = _baseline_surface(stream, free, how)
    arms = surface.space.arm_index(surface.space.encode(kinds))
    at = np.searchsorted(surface.arms, arms)
    is_known = surface.arms[np.minimum(at, surface.arms.size - 1)] == arms
    draws = draws_of(surface)
    codes = stream.space.encode(free.every)
    before, now = np.arange(free.n_baseline), np.arange(start, free.every.height)
    n_labels = stream.n_later // _NOW
    recent = stream.codes[stream.codes.shape[0] - n_labels :]
    found = []
    for each in slices:
        is_in = each.holds(codes)
        old, new = before[is_in[before]], now[is_in[now]]
        shares = old.size / before.size, new.size / now.size
        spread = np.sqrt(shares[0] * (1.0 - shares[0]) * (1.0 / before.size + 1.0 / now.size))
        change = np.zeros(draws.shape[0])
        if (known := new[is_known[new]]).size and old.size:
            change = draws @ (_mix(at[known], draws) - _mix(at[old[is_known[old]]], draws))
        tails = 0.5 - _LEVEL / 2.0
        lower, upper = np.quantile(change, [tails, 1.0 - tails])
        is_moved = abs(shares[1] - shares[0]) > _SURE * spread
        is_expected = abs(change.mean()) > tolerance and lower * upper > 0.0
        labels = int(each.holds(recent).sum())
        has_few = shares[1] > _GROWN * shares[0] and labels < shares[1] * n_labels * 0.8
        found.append(
            (
                *(each.name, *shares, float(change.mean()), float(lower), float(upper)),
                *(new.size, labels, bool(is_moved or is_expected), bool(is_moved and has_few)),
            )
        )
    return pl.DataFrame(found, schema=SHIFT_COLUMNS, orient="row")


def _baseline_surface(
    stream: Stream, free: FreeRows, how: How
) -> tuple[AccuracySurface, pl.DataFrame]:
    """Return the accuracy of each kind of row in the baseline, and the kind of every row."""
    strata = stratify(free.every, free.signals)
    every, own = (_kinds(stream.space, strata, t) for t in (free.every, free.labelled))
    n = stream.n_baseline
    rows = own.head(n).with_columns(pl.Series(_SCORE, stream.scores[:n]))
    others = () if strata is None else strata.attributes
    attributes = tuple(
        Attribute(name, a.values, "ordinal" if a.is_ordered else "categorical")
        for name, a in zip(every.columns, (*stream.space.attributes, *others), strict=True)
    )
    return fit_surface(Columns(attributes, _SCORE), rows, every, how.about(every)), every


def _kinds(
    space: AttributeSpace, strata: AttributeSpace | None, table: pl.DataFrame
) -> pl.DataFrame:
    """Return a table of the attributes and strata of every row, as values."""
    found = space.frame(space.arm_index(space.encode(table)))
    if strata is None:
        return found
    own = strata.frame(strata.arm_index(strata.encode(table)))
    names = {n: _STRATUM.format(i, n) for i, n in enumerate(own.columns)}
    return found.hstack(own.rename(names))


def _mix(at: np.ndarray[tuple[int], np.dtype[np.int64]], draws: FloatArray) -> FloatArray:
    """Return the share of each arm among some rows, (A,)."""
    return np.bincount(at, minlength=draws.shape[1]) / max(at.size, 1)
