"""``History``: a session over time, `watch` of its random labels and the surface as it is now.

Labels that a strategy chose are no sample of the rows: it asks where it expects mistakes. A tenth
of every session's labels is drawn from all free rows alike and marked; the guarantee rests on
those. Weights by the chances of the others have no power: some are twenty times others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.number_text import plural
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.over_time import OverTime, fit_over_time, periods_of
from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch

__all__ = ["LEAST_LABELS", "History", "NoGuaranteeError"]

_TIME, _SCORE, _VERSION = "time of the label", "score of the label", "version of the service"
LEAST_LABELS = 40
"""Fewest random labels to watch: twenty in the baseline and twenty after it."""
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
            Column of the pool that says when a row happened; by default the time of the label.
            Rows without a label then warn too.
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
        make_surface = self.surface if time is None else None  # in the order of that column
        return replace(found, remarks=remarks, make_surface=make_surface)

    def surface(self) -> AccuracySurface:
        """Return the surface as it is now: earlier labels count as far as the data show.

        All labels speak, those of the seed set as the first; averages are over the whole pool.
        """
        return self.over_time().now

    def over_time(self) -> OverTime:
        """Return the surface over attributes and periods of time, of all labels."""
        seen, rows = self.seen, self.seen.problem.rows
        _refuse_guessed(seen.problem.spec, "a surface as it is now")
        when = {row: self.told_at.get(rows.ids[row], 0.0) for row in seen.labels}
        known = sorted(when, key=lambda row: (when[row], row))
        if len(known) < LEAST_LABELS:
            raise InputError(
                f"a surface as it is now must have at least {LEAST_LABELS} labels; got "
                f"{len(known)}."
            )
        names = rows.space.names
        codes, pool = (
            rows.space.encode(rows.take(these, names)) for these in (known, range(rows.n_pool))
        )
        scores = seen.problem.scores(known, seen.labels, seen.predictions)
        period = periods_of(pl.Series([when[row] for row in known]))
        versions = pl.Series(self._versions(known)) if self.versions else None
        how = How.of(seed=seen.problem.spec.assay.seed)
        return fit_over_time(rows.space, codes, scores, period, how, pool, versions)

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
