"""``History``: a session over time, `watch` of its random labels and the surface as it is now.

Labels that a strategy chose are no sample of the rows: it asks where it expects mistakes. A tenth
of every session's labels is drawn from all free rows alike and marked; the guarantee rests on
those. Weights by the chances of the others have no power: some are twenty times others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.runtime.number_text import plural
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.over_time import OverTime, fit_over_time, periods_of
from accuracy_assay.study.watch.times import Times, has_time
from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch

__all__ = ["LEAST_LABELS", "History", "NoGuaranteeError"]

_TIME, _SCORE, _VERSION = "time of the label", "score of the label", "version of the service"
LEAST_LABELS = 40
"""Fewest random labels to watch: twenty in the baseline and twenty after it."""
_LEAST_SD = 1e-4
"""Of an arm whose rows are all labelled: there is nothing left to ask."""
_USUAL_SHARE = 0.1
"""Share of the labels that a session draws at random unless its spec says otherwise."""


class NoGuaranteeError(InputError):
    """Too few labels that were drawn at random: nothing can be promised about an alarm."""


@dataclass(frozen=True, eq=False)
class History:
    """The labels of a service in a session, with their times.

    Parameters
    ----------
    seen
        The labels, and what the service said of the labelled rows.
    told_at
        When each instance was answered first, in seconds.
    at_random
        Instances that were drawn from all free ones alike.
    versions
        Versions of the service with the time since when, in seconds, the first first.
    """

    seen: Snapshot
    told_at: Mapping[str, float]
    at_random: Collection[str]
    versions: Sequence[tuple[float, str]]

    @classmethod
    def of(cls, seen: Snapshot, ledger: Ledger) -> History:
        """Return what the ledger knows of the labels of a snapshot."""
        told_at = {
            instance: min(ledger.told_at[instance, annotator] for annotator in answers)
            for instance, answers in ledger.answers.items()
        }
        versions = tuple(ledger.versions.get(seen.problem.service.name, ()))
        return cls(seen, told_at, set(ledger.at_random), versions)

    def watch(self, time: str | None = None, version: str | None = None, **options: Any) -> Watch:
        """Return the watch of the service.

        Parameters
        ----------
        time
            Column of the pool that says when a row happened; by default ``time`` of the spec's
            ``[pool]``, or else the time of the label. With a column rows without a label warn too.
        version
            Column of the pool with the version of the service; by default what the spec said when
            the label came.
        options
            ``baseline``, ``tolerance``, ``every``, ``false_alarm``, ``order`` of `watch`.

        Raises
        ------
        NoGuaranteeError
            If too few labels were drawn at random.
        InputError
            If an attribute is guessed or revealed by the label.
        """
        spec, rows, problem = self.seen.problem.spec, self.seen.problem.rows, self.seen.problem
        _refuse_guessed(spec, "a watch")
        time = spec.pool.time if time is None else time
        known = [row for row in sorted(self.seen.labels) if rows.ids[row] in self.told_at]
        drawn = [row for row in known if rows.ids[row] in self.at_random]
        if len(drawn) < LEAST_LABELS:
            raise NoGuaranteeError(_too_few(len(drawn), len(known), spec.assay.random_share))
        asked = [*rows.space.names, *([time] if time else []), *([version] if version else [])]
        signals = () if time is None else tuple(problem.signals.columns)
        scores = problem.scores(drawn, self.seen.labels, self.seen.predictions)
        table = self._rows(drawn, asked, signals).with_columns(pl.Series(_SCORE, scores))
        if time is None:
            moments = [datetime.fromtimestamp(self.told_at[rows.ids[row]], UTC) for row in drawn]
            table = table.with_columns(pl.Series(_TIME, moments).dt.replace_time_zone(None))
        if version is None and time is None and self.versions:
            version = _VERSION
            table = table.with_columns(pl.Series(_VERSION, self._versions(drawn)))
        found = watch(
            table,
            Columns(rows.space.attributes, _SCORE, signals=signals),
            time=time or _TIME,
            version=version,
            pool=None if time is None else self._rows(range(rows.n_pool), asked, signals),
            seed=spec.assay.seed,
            **options,
        )
        said = (
            f"Of {plural(len(known), 'label')} only the {len(drawn):,} that were drawn at random "
            "are watched: the others were chosen because mistakes were expected there."
        )
        remarks = found.remarks if len(drawn) == len(known) else (said, *found.remarks)
        # In the order of another column than the spec's, now is the last period of that column.
        make_surface = self.surface if time == spec.pool.time else None
        return replace(found, remarks=remarks, make_surface=make_surface)

    def surface(self) -> AccuracySurface:
        """Return the surface as it is now: earlier labels count as far as the data show.

        All labels speak. They are in the order of ``time`` of the spec's ``[pool]``, and averages
        are over the rows of the last period; without it in the order of their first answers, those
        of the seed set as the first, and averages are over the whole pool.
        """
        return self.over_time().now

    def over_time(self) -> OverTime:
        """Return the surface over attributes and periods of time, of all labels."""
        seen, rows = self.seen, self.seen.problem.rows
        _refuse_guessed(seen.problem.spec, "a surface as it is now")
        known, moments, is_recent = self._in_time
        if known.size < LEAST_LABELS:
            raise InputError(
                f"a surface as it is now must have at least {LEAST_LABELS} labels; got "
                f"{known.size}."
            )
        names = rows.space.names
        codes, pool = (
            rows.space.encode(rows.take(these, names))
            for these in (known, np.flatnonzero(is_recent))
        )
        scores = seen.problem.scores(known.tolist(), seen.labels, seen.predictions)
        is_told_in_order = self.versions and seen.problem.spec.pool.time is None
        versions = pl.Series(self._versions(known.tolist())) if is_told_in_order else None
        how = How.of(seed=seen.problem.spec.assay.seed)
        period = periods_of(pl.Series(moments))
        return fit_over_time(rows.space, codes, scores, period, how, pool, versions)

    def weights(
        self, surface: AccuracySurface
    ) -> tuple[Mapping[int, float], Mapping[int, float] | None]:
        """Return what each arm counts for where labels are to keep a surface current.

        An arm counts for how many times larger its variance is with older labels forgotten. Where
        rows have times, it also counts for how many times more frequent it is among the rows of
        now than among the labels, and the average is over the rows of now: the second value, None
        without times.
        """
        now = self.surface()
        arms, here, there = np.intersect1d(now.arms, surface.arms, return_indices=True)
        weight = np.square(now.sd[here] / np.maximum(surface.sd[there], _LEAST_SD))
        if self.seen.problem.spec.pool.time is None:
            return dict(zip(arms.tolist(), weight.tolist(), strict=True)), None
        rows, labels = now.support[here], surface.n[there]
        # To each is added what an arm has on average: a few rows of a rare one do not count much.
        of_rows, of_labels = (n / max(n.sum(), 1.0) + 1.0 / arms.size for n in (rows, labels))
        weight *= np.maximum(of_rows / of_labels, 1.0)
        named = [dict(zip(arms.tolist(), each.tolist(), strict=True)) for each in (weight, rows)]
        return named[0], named[1]

    @cached_property
    def _in_time(self) -> tuple[IntArray, FloatArray, BoolArray]:
        """Return the labelled rows in the order of time, when each was, and which rows are now."""
        rows, name = self.seen.problem.rows, self.seen.problem.spec.pool.time
        known = np.asarray(sorted(self.seen.labels), np.int64)
        every = np.ones(rows.n_pool, dtype=bool)
        if name is None:
            told = np.array([self.told_at.get(rows.ids[row], 0.0) for row in known.tolist()])
            order = np.argsort(told, kind="stable")
            return known[order], told[order], every
        numbers = np.union1d(known, np.arange(rows.n_pool))
        column = rows.take(numbers, [name]).get_column(name)
        is_timed = has_time(column)
        rank = np.zeros(rows.n_rows)  # rows without a time are the oldest
        rank[numbers[is_timed]] = Times.of(column.filter(pl.Series(is_timed))).ranks
        order = known[np.argsort(rank[known], kind="stable")]
        period = periods_of(pl.Series(rank[order])) if order.size else order
        older = rank[order][period < period.max(initial=0)]
        is_recent = rank[: rows.n_pool] > older.max(initial=-1.0)
        return order, rank[order], is_recent if is_recent.any() else every

    def _rows(
        self, rows: Sequence[int], columns: Sequence[str], signals: Sequence[str]
    ) -> pl.DataFrame:
        """Return some rows of columns of the pool and of free signals."""
        problem, at = self.seen.problem, np.asarray(rows, np.int64)
        table = problem.rows.take(at, list(columns))
        if not signals:
            return table
        every = problem.signals
        own = every[at] if isinstance(every, pl.DataFrame) else every.take(at, signals)
        return table.with_columns(own.select(signals))

    def _versions(self, rows: Sequence[int]) -> list[str]:
        """Return the version that was answering when each row was labelled."""
        ids, since = self.seen.problem.rows.ids, [at for at, _ in self.versions]
        places = np.searchsorted(since, [self.told_at.get(ids[r], 0.0) for r in rows], "right")
        return [self.versions[max(place - 1, 0)][1] for place in places.tolist()]


def _refuse_guessed(spec: Spec, what: str) -> None:
    unsure = [a.name for a in spec.attribute if a.evidence or a.from_label or a.missing == "guess"]
    if unsure:
        raise InputError(
            f"{what} must be over attributes that are known for every row; got "
            f"{unsure[0]!r}, which is guessed or revealed by the label."
        )


def _too_few(n_drawn: int, n_known: int, share: float | None) -> str:
    share = _USUAL_SHARE if share is None else share
    more = (
        f"With random_share = {share:g}, {round((LEAST_LABELS - n_drawn) / share):,} more labels "
        "bring enough."
        if share
        else "Set random_share = 0.1 in the spec: then a tenth of the labels is."
    )
    return (
        f"a watch must have at least {LEAST_LABELS} labels that were drawn at random; got "
        f"{n_drawn:,} of {n_known:,}. No guarantee holds for labels that were chosen. {more}"
    )
