"""The accuracy over time, overall and of the selected rows, with the alarms of a watch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from accuracy_assay.domain.slices import slice_name
from accuracy_assay.reports.watch_picture import places_in
from accuracy_assay.study.watch.times import time_text
from accuracy_assay.study.watch.watched import Watch
from accuracy_assay.web.surface.values import About, Alarm, Curve, Stretch, Time, Version
from accuracy_assay.web.surface.views import numbers

__all__ = ["time_view"]

_MOST_CURVES = 3
"""Slices of alarms that are drawn where no rows are selected: more curves cover one another."""


def time_view(about: About, watch: Watch, where: Mapping[str, list[object]]) -> Time:
    """Return the curves of the whole and of the selected rows, or else of the first alarms.

    Parameters
    ----------
    about
        What the view is about.
    watch
        The watch of the service.
    where
        The selected values of each attribute.
    """
    named = {panel.name: panel.timeline for panel in watch.panels() if panel.name in _loud(watch)}
    whole = _frame(watch)
    curves = [_curve("overall", whole)]
    if where:
        name = slice_name({key: " or ".join(map(str, v)) for key, v in where.items()})
        curves.append(_curve(name, _frame(watch, **where)))
    else:
        curves += [_curve(name, frame) for name, frame in list(named.items())[:_MOST_CURVES]]
    return Time(
        about=about,
        says=watch.headline,
        now=numbers(watch.surface().overall),
        curves=curves,
        alarms=[
            *_alarms(watch.found, whole["time"]),
            *_alarms(watch.found_gains, whole["time"], is_gain=True),
        ],
        versions=_versions(watch, whole["time"]),
        remarks=list(watch.remarks),
    )


def _loud(watch: Watch) -> set[str]:
    """Return the slices with an alarm or a gain, without the whole."""
    return {*watch.found.get_column("slice"), *watch.found_gains.get_column("slice")} - {"overall"}


def _frame(watch: Watch, **where: Any) -> pl.DataFrame:
    return pl.DataFrame(watch.timeline(**where))


def _curve(name: str, frame: pl.DataFrame) -> Curve:
    rows = frame.with_columns(pl.col("time").cast(pl.String)).to_dicts()
    return Curve(name=name, stretches=[Stretch(**row) for row in rows])


def _versions(watch: Watch, starts: pl.Series) -> list[Version]:
    new = watch.new_versions
    since = pl.Series([time for _, time in new], dtype=starts.dtype)
    places = places_in(starts, since).astype(int).tolist()
    return [
        Version(name=name, since=time_text(time), since_at=at)
        for (name, time), at in zip(new, places, strict=True)
    ]


def _alarms(found: pl.DataFrame, starts: pl.Series, *, is_gain: bool = False) -> list[Alarm]:
    numbers = ("slice", "before", "now", "lower", "upper")
    places = [places_in(starts, found[name]).astype(int).tolist() for name in ("time", "since")]
    return [
        Alarm(
            **{name: row[name] for name in numbers},
            time=time_text(row["time"]),
            since=time_text(row["since"]),
            time_at=time_at,
            since_at=since_at,
            is_gain=is_gain,
        )
        for row, time_at, since_at in zip(found.to_dicts(), *places, strict=True)
    ]
