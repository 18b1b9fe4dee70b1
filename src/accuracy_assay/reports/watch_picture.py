"""Accuracy over time as a picture: a panel per slice, bands of stretches, alarms as marks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.picture_parts import (
    BAD,
    GOOD,
    LINE,
    RANGE,
    SOFT,
    framed,
    quiet_axes,
    short_name,
)
from accuracy_assay.runtime.visible_text import visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Panel", "draw_watch", "places_in", "write_watch_picture"]

_WIDTH_INCHES, _PANEL_INCHES, _FRAME_INCHES = 7.2, 1.7, 1.2
_DPI = 200
"""Twice a screen's, so that text stays sharp on slides."""
_TITLE, _TICKS = 84, 8
"""Characters of a title in one line, and times that are named below."""


class Panel(NamedTuple):
    """A slice: its name, its timeline, and (time, since, whether a gain) of each alarm."""

    name: str
    timeline: pl.DataFrame
    alarms: tuple[tuple[object, object, bool], ...] = ()


Versions = Sequence[tuple[str, object]]
"""Versions of the service that are new, each with the time since when it answers."""


def write_watch_picture(
    panels: Sequence[Panel], title: str, path: str | Path, versions: Versions = ()
) -> Path:
    """Write the picture; the ending of the path chooses PNG, PDF or SVG."""
    return write_figure(draw_watch(panels, title, versions), path, dpi=_DPI)


def draw_watch(panels: Sequence[Panel], title: str, versions: Versions = ()) -> Figure:
    """Return the picture of some slices over time, the first one's times below."""
    times = panels[0].timeline.get_column("time")
    height = _FRAME_INCHES + _PANEL_INCHES * len(panels)
    with framed(_WIDTH_INCHES, height, _in_lines(title)) as figure:
        every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        named_before: set[str] = set()
        for axes, panel in zip(every, panels, strict=True):
            _draw(axes, panel, times, named_before)
        _mark_versions(list(every), times, versions)
        step = max(1, -(-times.len() // _TICKS))
        named = _short_times(times.to_list()[::step])
        every[-1].set_xticks(range(0, times.len(), step), named, fontsize=8.0)
    return figure


def _draw(axes: Axes, panel: Panel, times: pl.Series, named_before: set[str]) -> None:
    def named(text: str) -> str:
        """Return the text for the legend the first time, and nothing after that."""
        is_new = text not in named_before
        named_before.add(text)
        return text if is_new else "_"

    shown = panel.timeline
    at = places_in(times, shown.get_column("time"))
    mean, lower, upper = (
        100.0 * shown.get_column(name).to_numpy() for name in ("mean", "lower", "upper")
    )
    axes.fill_between(at, lower, upper, color=RANGE, alpha=0.6, linewidth=0.0)
    axes.plot(at, mean, "-o", color=GOOD, markersize=3.0, linewidth=1.2, label=named("accuracy"))
    is_baseline = shown.get_column("is_baseline").to_numpy()
    if is_baseline.any():
        old = shown.filter("is_baseline")
        level = 100.0 * np.average(old["mean"].to_numpy(), weights=old["labels"].to_numpy())
        axes.axhline(level, color=SOFT, linewidth=0.9, label=named("baseline"))
        edge = at[is_baseline].max() + 0.5
        axes.axvline(edge, color=SOFT, linewidth=0.9, linestyle=":", label=named("its end"))
    for time, since, is_gain in panel.alarms:
        colour = GOOD if is_gain else BAD
        where = places_in(times, pl.Series([since, time], dtype=times.dtype))
        axes.axvspan(*where, color=colour, alpha=0.12, linewidth=0.0)
        kind = named("gain" if is_gain else "alarm")
        axes.axvline(where[1], color=colour, linewidth=1.6, label=kind)
    axes.set_title(short_name(panel.name), loc="left", fontsize=9.0, color=SOFT)
    axes.set_ylabel("%")
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    quiet_axes(axes)


def _mark_versions(every: Sequence[Axes], times: pl.Series, versions: Versions) -> None:
    """Draw a line where a version of the service begins, and name it above the first panel."""
    for name, since in versions:
        at = float(places_in(times, pl.Series([since], dtype=times.dtype))[0])
        for axes in every:
            axes.axvline(at, color=SOFT, linewidth=0.9, linestyle="--")
        named = visible_text(short_name(name, 12), keep="")
        every[0].annotate(
            named,
            (at, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(2, 2),
            textcoords="offset points",
            fontsize=7.0,
            color=SOFT,
        )


def places_in(times: pl.Series, wanted: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the place of each time among those of the axis: the last that began before it."""
    order = {time: i for i, time in enumerate(times.to_list())}
    known = times.to_list()
    found = [
        order[time] if time in order else max(0, sum(each <= time for each in known) - 1)
        for time in wanted.to_list()
    ]
    return np.array(found, dtype=np.float64)


def _short_times(times: Sequence[object]) -> list[str]:
    """Return times for an axis: of moments the days, or those of one day by the clock."""
    moments = [time for time in times if isinstance(time, datetime)]
    if len(moments) < len(times):
        return [short_name(str(time), 12) for time in times]
    is_one_day = len({moment.date() for moment in moments}) == 1
    return [f"{moment:%H:%M}" if is_one_day else str(moment.date()) for moment in moments]


def _in_lines(title: str) -> str:
    """Return a title in two lines at most, which fit the width."""
    import textwrap

    shown = textwrap.wrap(visible_text(title, keep=""), _TITLE)
    return "\n".join(shown[:2]) + ("…" if len(shown) > 2 else "")
