"""Time as an axis of the surface: the accuracy now, and hints of change before any alarm.

Labels are cut into periods, an ordered attribute beside the others, and one surface is fitted to
all of them. Its kernel learns how alike neighbouring periods are, from all arms together: that is
the rate at which the surface of the last period forgets. Versions of the service are one more
attribute, without order: accuracy is smooth in time and jumps with a version. It rests on a model,
so what it says of a change is a hint and comes with no guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.slices import WatchedSlice

__all__ = ["HINT_COLUMNS", "OverTime", "fit_over_time", "periods_of"]

HINT_COLUMNS = {
    "slice": pl.String,
    "before": pl.Float64,
    "now": pl.Float64,
    "change": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "chance_of_loss": pl.Float64,
}
_MOST_PERIODS, _LEAST_LABELS = 8, 50
"""Periods, and fewest labels of one. Eight are enough to see a change to an eighth of the time; an
arm is then fitted eight times, which is what the fit costs."""
_PERIOD, _VERSION, _SCORE = "period of the watch", "version of the watch", "score of the label"


@dataclass(frozen=True, eq=False)
class OverTime:
    """A surface over attributes and periods.

    Parameters
    ----------
    space
        The attributes, without the period.
    surface
        The fitted surface, over the period, and the version if there are several, as well.
    latest
        Which arms of the surface are of the last period and version, (M,).
    recent
        Rows of each arm now, (A,): of the last period in ``surface``, zero elsewhere.
    """

    space: AttributeSpace
    surface: AccuracySurface
    latest: IntArray
    recent: FloatArray

    @cached_property
    def now(self) -> AccuracySurface:
        """The surface of the last period."""
        at, codes = self.latest, self.surface.space.codes(self.surface.arms)
        n_attributes = len(self.space.attributes)
        known, draws = self.surface, np.clip(draws_of(self.surface, at), 0.0, 1.0)
        details = {k: v for k, v in known.details.items() if k in ("provenance", "estimator")}
        return AccuracySurface(
            self.space,
            self.space.arm_index(codes[at, :n_attributes]),
            known.n[at],
            known.correct[at],
            self.recent[at],
            known.mean[at],
            known.sd[at],
            known.lower[at],
            known.upper[at],
            known.level,
            draws.astype(np.float32),
            {**details, "target": "population", "periods": int(codes[:, n_attributes].max()) + 1},
            frames=known.frames,
        )

    def hints(
        self, slices: Sequence[WatchedSlice], is_baseline: BoolArray, tolerance: float
    ) -> pl.DataFrame:
        """Return what the model says of each slice: before, now, and its change.

        Parameters
        ----------
        slices
            The slices.
        is_baseline
            Which periods are the baseline's, (P,).
        tolerance
            Loss that is tolerated.
        """
        codes = self.surface.space.codes(self.surface.arms)
        draws = draws_of(self.surface)
        old = np.where(is_baseline[codes[:, len(self.space.attributes)]], self.surface.n, 0.0)
        found = []
        for each in slices:
            is_in = each.holds(codes)
            masses = [np.where(is_in, mass, 0.0) for mass in (old, self.recent)]
            if not all(mass.sum() > 0.0 for mass in masses):
                continue
            before, now = (draws @ (mass / mass.sum()) for mass in masses)
            lower, upper = np.quantile(now - before, [0.05, 0.95])
            chance = float((now - before < -tolerance).mean())
            means = float(before.mean()), float(now.mean())
            found.append(
                (each.name, *means, means[1] - means[0], float(lower), float(upper), chance)
            )
        made = pl.DataFrame(found, schema=HINT_COLUMNS, orient="row")
        return made.sort("change", maintain_order=True)


def periods_of(times: pl.Series) -> IntArray:
    """Return the period of each label, given their times in order, (N,)."""
    run = np.asarray(times.rle_id().to_numpy(), np.int64)
    n_times = int(run[-1]) + 1
    wanted = max(2, min(_MOST_PERIODS, run.size // _LEAST_LABELS))
    if n_times <= wanted:
        return run
    first = np.searchsorted(run, np.arange(n_times))[run]
    made = first * wanted // run.size
    return np.unique(made, return_inverse=True)[1].astype(np.int64)


def fit_over_time(
    space: AttributeSpace,
    codes: IntArray,
    scores: FloatArray,
    period: IntArray,
    how: How,
    now: IntArray | None = None,
    versions: pl.Series | None = None,
) -> OverTime:
    """Fit a surface over attributes and periods to all labels.

    Parameters
    ----------
    space
        The attributes.
    codes, scores, period
        Values, score and period of each label, (N, K), (N,) and (N,).
    how
        The estimator and the seed.
    now
        Values of the rows of the last period, (M, K); by default its labels stand for them.
    versions
        Version of the service at each label, (N,): one more attribute, by which the accuracy may
        jump. Now is the last label's.
    """
    n_periods = int(period.max()) + 1
    # An attribute has two values at least, also where all labels are of one time.
    values = tuple(str(p) for p in range(max(n_periods, 2)))
    when = [Attribute(_PERIOD, values, kind="ordinal")]
    moments = pl.DataFrame({_PERIOD: period.astype(str)})
    if versions is not None and versions.n_unique() > 1:
        when.append(Attribute(_VERSION, tuple(versions.unique(maintain_order=True))))
        moments = moments.with_columns(versions.alias(_VERSION))
    timed = AttributeSpace((*space.attributes, *when))
    table = space.frame(space.arm_index(codes)).hstack(moments)
    present = space.arm_index(codes[period == n_periods - 1] if now is None else now)
    every_arm = space.frame(np.union1d(space.arm_index(codes), present))
    last = every_arm.with_columns(pl.lit(of[-1]).alias(of.name) for of in moments)
    every = pl.concat([table, last])
    rows = table.with_columns(pl.Series(_SCORE, scores))
    asked = replace(how, target="population")
    surface = fit_surface(Columns(timed.attributes, _SCORE), rows, every, asked)
    now_arms = timed.arm_index(timed.encode(last))
    at = np.searchsorted(surface.arms, now_arms)
    place = np.searchsorted(space.arm_index(space.encode(every_arm)), present)
    recent = np.zeros(surface.arms.size)
    recent[at] = np.bincount(place, minlength=at.size)
    return OverTime(space, surface, at, recent)
