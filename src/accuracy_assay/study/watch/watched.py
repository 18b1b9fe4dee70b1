"""``Watch``: what watching a service over time found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from accuracy_assay.domain.slices import slice_name
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind
from accuracy_assay.reports.over_time import OverTime as OverTimeSection
from accuracy_assay.reports.watch_picture import Panel
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.alarms import LEVEL
from accuracy_assay.study.watch.over_time import OverTime, fit_over_time, periods_of
from accuracy_assay.study.watch.slices import OVERALL, watched_slices
from accuracy_assay.study.watch.stream import Stream
from accuracy_assay.study.watch.time_bins import timeline
from accuracy_assay.study.watch.watch_file import read_watch, write_watch
from accuracy_assay.study.watch.words import watch_lines, watch_notes

__all__ = ["Watch", "WatchVerdict"]

WatchVerdict: TypeAlias = Literal["no alarm", "alarm", "not enough labels"]

_PANELS = 4
"""Slices in a picture beside the whole, by default: what fits on a page."""


@dataclass(frozen=True, eq=False)
class Watch:
    """What watching a service over time found; ``watch`` makes it.

    ``print`` shows the verdict first, then what is lost where.

    Parameters
    ----------
    verdict
        ``"alarm"`` if something lost more than is tolerated; ``"not enough labels"`` if there are
        too few for an alarm.
    found, found_gains, found_shifts, found_versions, watched
        `alarms`, `gains`, `shifts`, `versions` and `slices` as Polars frames.
    counts
        Labels by time and arm.
    space
        The attributes.
    tolerance, false_alarm, every
        The arguments of the call; ``every`` as it was used.
    baseline
        The last time of the baseline, as text.
    labels
        Labels of the baseline, and after it.
    last
        The time of the last label, as text.
    remarks
        What to know about the rows and the guarantee, in words.
    conditions
        The attribute values of each slice that is watched.
    stream, seed
        The labels, which a file does not keep, and the seed.
    make_surface
        Makes the surface as it is now, where more is known than the labels that are watched.
    frames
        What tables are returned as.
    """

    verdict: WatchVerdict
    found: pl.DataFrame
    found_gains: pl.DataFrame
    found_shifts: pl.DataFrame
    found_versions: pl.DataFrame
    watched: pl.DataFrame
    counts: pl.DataFrame
    space: AttributeSpace
    tolerance: float
    false_alarm: float
    every: int
    baseline: str
    labels: tuple[int, int]
    last: str
    remarks: tuple[str, ...] = ()
    conditions: tuple[Mapping[str, object], ...] = ()
    stream: Stream | None = None
    seed: int = 0
    make_surface: Callable[[], AccuracySurface] | None = None
    frames: FrameKind = "polars"

    @property
    def alarms(self) -> Frame:
        """One row per slice that lost more than is tolerated.

        Columns: ``time`` of the alarm; ``slice``; accuracy ``before``, in the baseline, and
        ``now``, since it changed; ``loss`` with its 90% interval ``lower``, ``upper``;
        ``e_value``, the most evidence of
        any look, which rings the alarm at 1 / ``false_alarm``; ``since``, when it is likeliest
        to have changed; ``labels`` after the baseline at the alarm.
        """
        return as_kind(self.found, self.frames)

    @property
    def gains(self) -> Frame:
        """The same of slices that gained more, with ``gain`` in place of ``loss``."""
        return as_kind(self.found_gains, self.frames)

    @property
    def shifts(self) -> Frame:
        """What needs no label, one row per slice that is watched; empty if all rows are labelled.

        Columns: ``slice`` with its share of all rows, ``share_before`` in the time of the baseline
        and ``share_now`` in the last quarter since; ``expected_change`` of its accuracy with
        ``lower`` and ``upper`` (90%), if each kind of row is as accurate as in the baseline;
        ``rows_now`` and ``labels_now``; ``is_shift``, whether its share has changed or its
        accuracy is expected to by more than is tolerated; ``ask``, whether it grew and has few
        labels since. None of it is evidence that a kind of row got worse.
        """
        return as_kind(self.found_shifts, self.frames)

    @property
    def versions(self) -> Frame:
        """One row per version of the service: ``version``, ``since`` and its ``labels``."""
        return as_kind(self.found_versions, self.frames)

    @property
    def slices(self) -> Frame:
        """One row per slice that is watched, the largest first.

        Columns: ``slice``; ``weight``, its part of the allowed false alarms; ``before`` with
        ``labels_before``; ``after``, the mean of its ``labels`` since the baseline; ``e_value``
        of a loss and ``e_value_gain``, each the evidence of that slice among all.
        """
        return as_kind(self.watched, self.frames)

    def surface(self) -> AccuracySurface:
        """Return the accuracy surface as it is now, fitted when it is first asked for.

        Time is an ordered attribute of the fit, cut into up to eight periods, and this is the last
        of them: earlier labels count by how alike the data show neighbouring periods to be. An
        average is over the rows of that period: those of ``pool``, or else the labelled ones. Of a
        session in the order of its labels it is over the whole pool, and rests on all labels:
        ``Assay.surface(now=True)``.

        Raises
        ------
        InputError
            If the watch was read from a file, which keeps no labels.
        """
        return replace(self._now, frames=self.frames)

    def hints(self) -> Frame:
        """Return what a model says of each slice, the largest loss first, without a guarantee.

        It finds a loss sooner than an alarm does, and is wrong more often.

        Returns
        -------
        Frame
            ``slice``, accuracy ``before`` and ``now`` (as in `surface`), their difference
            ``change`` with ``lower`` and ``upper`` (90%), and ``chance_of_loss`` of more than the
            tolerance.
        """
        stream = self._known_stream
        period = periods_of(stream.times)
        is_baseline = np.zeros(period[-1] + 1, dtype=bool)
        is_baseline[period[: stream.n_baseline]] = True
        is_baseline[period[stream.n_baseline :]] = False
        if not is_baseline.any():
            is_baseline[0] = True
        slices, _ = watched_slices(stream.space, stream.codes[: stream.n_baseline], 2)
        known = set(self.watched.get_column("slice"))
        asked = [each for each in slices if each.name in known]
        return as_kind(self._over_time.hints(asked, is_baseline, self.tolerance), self.frames)

    @cached_property
    def _now(self) -> AccuracySurface:
        return self._over_time.now if self.make_surface is None else self.make_surface()

    @cached_property
    def _over_time(self) -> OverTime:
        stream = self._known_stream
        period = periods_of(stream.times)
        now = None
        if stream.free is not None:
            begins = int(np.searchsorted(period, period[-1]))
            rows = stream.free.every.filter(pl.Series(stream.free.earlier >= begins))
            now = stream.space.encode(rows)
        how = How.of(seed=self.seed)
        return fit_over_time(
            stream.space, stream.codes, stream.scores, period, how, now, stream.versions
        )

    @property
    def _known_stream(self) -> Stream:
        if self.stream is None:
            raise InputError(
                "a surface over time must have the labels; got a watch from a file, which keeps "
                "counts alone. Watch the rows again."
            )
        return self.stream

    def timeline(self, **where: object) -> Frame:
        """Return the accuracy over time, overall or of the rows with some attribute values.

        Returns
        -------
        Frame
            One row per stretch of time with a label: ``time``, its first; ``mean``, ``lower``,
            ``upper`` (90%), ``labels``, ``is_baseline``. An interval is of that stretch alone:
            that one of many leaves a band proves nothing.
        """
        return as_kind(timeline(self.counts, self.space, where, LEVEL), self.frames)

    def to_dict(self) -> dict[str, Any]:
        """Return everything for programs."""
        tables = {"alarms": self.found, "gains": self.found_gains}
        tables |= {"shifts": self.found_shifts, "versions": self.found_versions}
        tables |= {"slices": self.watched}
        return {
            "verdict": self.verdict,
            "says": self.headline,
            "tolerance": self.tolerance,
            "false_alarm": self.false_alarm,
            "every": self.every,
            "baseline": self.baseline,
            "last": self.last,
            "labels_before": self.labels[0],
            "labels": self.labels[1],
            **{name: table.to_dicts() for name, table in tables.items()},
            "remarks": list(self.remarks),
        }

    def picture(self, path: str | Path, *where: Mapping[str, object]) -> Path:
        """Draw the accuracy over time, alarms as marks; the ending chooses PNG, PDF or SVG.

        Parameters
        ----------
        path
            The file to write.
        where
            Attribute values, such as ``{"sex": "F"}``: one panel each below the whole. By default
            the slices of the first alarms and gains.
        """
        from accuracy_assay.reports.watch_picture import write_watch_picture

        return write_watch_picture(self.panels(*where), self.headline, path, self.new_versions)

    def panels(self, *where: Mapping[str, object]) -> list[Panel]:
        """Return what a picture shows: the whole, then slices, each with its alarm."""
        if not where:
            named = [*self.found.get_column("slice"), *self.found_gains.get_column("slice")]
            known = dict(zip(self.watched["slice"], self.conditions, strict=True))
            where = tuple(known[name] for name in named if known.get(name))[:_PANELS]
        return [self._panel(each) for each in ({}, *where)]

    def _panel(self, where: Mapping[str, object]) -> Panel:
        name = slice_name(where) if where else OVERALL
        marks = [
            (row["time"], row["since"], is_gain)
            for table, is_gain in ((self.found, False), (self.found_gains, True))
            for row in table.filter(slice=name).iter_rows(named=True)
        ]
        return Panel(name, timeline(self.counts, self.space, where, LEVEL), tuple(marks))

    @property
    def new_versions(self) -> list[tuple[str, object]]:
        """Each version but the first, and since when it answers."""
        return list(self.found_versions.select("version", "since").iter_rows())[1:]

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        return watch_lines(self)[0]

    def in_report(self) -> OverTimeSection:
        """Return what a report shows of it."""
        known = self.stream is not None or self.make_surface is not None
        return OverTimeSection(
            self.headline,
            self._now.overall if known else None,
            self.panels(),
            self.new_versions,
            [
                {**row, "is_gain": is_gain}
                for table, is_gain in ((self.found, False), (self.found_gains, True))
                for row in table.to_dicts()
            ],
            watch_notes(self),
        )

    def save(self, path: str | Path) -> None:
        """Save the watch; `Watch.load` reads it."""
        write_watch(path, vars(self))

    @classmethod
    def load(cls, path: str | Path) -> Watch:
        """Read a watch that `save` wrote."""
        return cls(**read_watch(path))

    def __str__(self) -> str:
        return "\n".join(watch_lines(self))
