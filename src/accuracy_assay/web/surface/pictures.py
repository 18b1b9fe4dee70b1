"""The views of a surface as PNG pictures, in the palette of the report."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from functools import cache, singledispatch
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from accuracy_assay.reports.picture_parts import (
    BAD,
    GOOD,
    INK,
    LINE,
    SOFT,
    STYLE,
    draw_boxes,
    draw_intervals,
    quiet_axes,
)
from accuracy_assay.reports.watch_picture import Panel, draw_watch
from accuracy_assay.runtime.visible_text import visible_text
from accuracy_assay.web.surface.table import slice_words, table_of
from accuracy_assay.web.surface.values import (
    Arms,
    Attributes,
    Compare,
    Heat,
    Instances,
    Judge,
    Marginals,
    Numbers,
    Progress,
    Slices,
    Then,
    Time,
    View,
    Worst,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_of", "png_of"]

_DPI = 150
"""Sharp on a high-density screen, and still a small file."""
_WIDTH = 9.0
"""Of a picture, in inches: as wide as the text of a slide."""
_MOST_LINES = 60
"""Arms, values or instances in a picture: more would be unreadable. CSV has them all."""
_LONGEST_NAME = 60
"""Characters of an arm's name next to its bar."""
_LONGEST_LINE = 100
"""Characters per line of a headline."""
_MOST_CELLS, _LONGEST_CELL = 8, 26
"""Columns of a drawn table and characters per cell: what fits side by side."""
_FAMILIES = (
    "Inter",
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "WenQuanYi Zen Hei",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Emoji",
    "Symbola",
)
"""Fonts to look up characters in, in this order; those that are not installed are skipped."""
_SURE = 0.99
"""The highest probability shown as a number: draws are not more precise."""
_drawing = threading.Lock()
"""matplotlib's settings and Python's warning filters are shared by all threads."""


def png_of(view: View) -> bytes:
    """Return the picture of a view."""
    from matplotlib import rc_context

    with _drawing, warnings.catch_warnings():
        # A character that no font has is drawn as a box; that says enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        with rc_context(STYLE | {"font.family": _families()}):
            content = BytesIO()
            figure_of(view).savefig(content, format="png", dpi=_DPI, facecolor="white")
    return content.getvalue()


@singledispatch
def figure_of(view: View) -> Figure:
    """Return the figure of a view; it uses no window and no global state."""
    raise TypeError(f"a view must have a picture; got {type(view).__name__}.")


@figure_of.register(Heat)
def _of_heat(view: Heat) -> Figure:
    if view.rows is None or view.columns is None or view.average is None:
        return _words(view)
    down, across = view.rows, view.columns
    height = 1.6 + 0.46 * len(down.values)
    figure, axes = _framed(view, view.average, max(_WIDTH, 0.62 * len(across.values)), height)
    draw_boxes(
        axes,
        [(b.row, b.column, b.mean, b.lower, b.upper) for b in view.boxes],
        (_name(down.name), [_cell(v) for v in down.values]),
        (_name(across.name), [_cell(v) for v in across.values]),
        view.average.mean,
    )
    return figure


@figure_of.register(Arms)
def _of_arms(view: Arms) -> Figure:
    return _arms(view, "Arms")


@figure_of.register(Slices)
def _of_slices(view: Slices) -> Figure:
    if not view.slices or view.bar is None:
        return _words(view)
    shown = view.slices[:_MOST_LINES]
    figure, axes = _framed(view, view.about.overall, _WIDTH, 1.4 + 0.24 * len(shown))
    names = [_name(slice_words(each) + (" (thin)" if each.is_thin else "")) for each in shown]
    _bars(axes, names, shown)
    axes.axvline(100 * view.bar, color=SOFT, linewidth=0.8, linestyle=":")
    axes.set_xlim(-2.0, 102.0)
    title = f"Weak slices: clearly below {view.bar:.1%}, most errors first"
    axes.set_title(title, fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Worst)
def _of_worst(view: Worst) -> Figure:
    what = f"The {len(view.arms)} most surely bad arms"
    if view.by == "mean":
        what = f"The {len(view.arms)} worst arms by their mean"
    return _arms(view, what)


@figure_of.register(Marginals)
def _of_marginals(view: Marginals) -> Figure:
    rows = [(part.name, row) for part in view.marginals for row in part.rows][:_MOST_LINES]
    if not rows or view.average is None:
        return _words(view)
    figure, axes = _framed(view, view.average, _WIDTH, 1.4 + 0.24 * len(rows))
    names = [_name(f"{name} {row.value}") for name, row in rows]
    _bars(axes, names, [row for _, row in rows])
    axes.axvline(100 * view.average.mean, color=SOFT, linewidth=0.8, zorder=0)
    axes.set_xlim(100 * view.low - 0.5, 100 * view.high + 0.5)
    for k in range(1, len(rows)):
        if rows[k][0] != rows[k - 1][0]:
            axes.axhline(k - 0.5, color=LINE, linewidth=0.8)
    axes.set_title("Accuracy by one attribute at a time", fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Attributes)
def _of_attributes(view: Attributes) -> Figure:
    shown = [*view.attributes, *view.pairs][:_MOST_LINES]
    if not shown:
        return _words(view)
    figure, axes = _framed(view, view.about.overall, _WIDTH, 1.4 + 0.24 * len(shown))
    ends = (100 * np.array([getattr(r, f) for r in shown]) for f in ("share", "lower", "upper"))
    draw_intervals(axes, [_name(" x ".join(each.names)) for each in shown], *ends)
    axes.set_xlabel("variance of accuracy explained, %")
    axes.set_title("Which attributes matter", fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Judge)
def _of_judge(view: Judge) -> Figure:
    shown = view.slices[:_MOST_LINES]
    if not shown:
        return _words(view)
    figure, axes = _framed(view, view.about.overall, _WIDTH, 1.4 + 0.24 * len(shown))
    ends = (100 * np.array([getattr(r, f) for r in shown]) for f in ("dot", "low", "high"))
    draw_intervals(axes, [_name(f"{each.place}: {each.verdict}") for each in shown], *ends)
    axes.plot([100 * r.mark for r in shown], range(len(shown)), "|", color=INK, markersize=9.0)
    drawn = "people's figure (dot) and the judge's (mark), %"
    axes.set_xlabel(drawn if view.is_level else "decisions that differ (dot), tolerance (mark), %")
    title = _name(f"Where {view.judge} may decide in place of people")
    axes.set_title(title, fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Instances)
def _of_instances(view: Instances) -> Figure:
    names, rows = table_of(view)
    if not rows:
        return _words(view)
    shown = [[_cell(cell) for cell in row[:_MOST_CELLS]] for row in rows[:_MOST_LINES]]
    figure, axes = _framed(
        view, view.average, max(_WIDTH, 1.7 * len(shown[0])), 1.4 + 0.22 * len(shown)
    )
    axes.set_axis_off()
    table = axes.table(
        cellText=shown,
        colLabels=[_cell(n) for n in names[:_MOST_CELLS]],
        loc="upper left",
        cellLoc="left",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(7.5)
    for cell in table.get_celld().values():
        cell.set_edgecolor(LINE)
    axes.set_title(f"{len(shown)} of {view.found} instances", fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Progress)
def _of_progress(view: Progress) -> Figure:
    if not view.points:
        return _words(view)
    figure, axes = _framed(view, view.about.overall, _WIDTH, 4.0)
    for label, colour, name in _CURVES:
        known = [p for p in view.points if getattr(p, name) is not None]
        if known:
            x, y = [p.labels for p in known], [100 * getattr(p, name) for p in known]
            axes.plot(x, y, "o-", color=colour, markersize=3.5, label=label)
    if view.ahead:
        ahead = [100 * p.typical for p in view.ahead]
        axes.plot(
            [p.labels for p in view.ahead], ahead, "--", color=GOOD, label="typical arm, forecast"
        )
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("labels")
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    quiet_axes(axes)
    axes.legend(frameon=False)
    title = "How closely accuracy is known, in points: plus or minus"
    axes.set_title(title, fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Time)
def _of_time(view: Time) -> Figure:
    if not view.curves:
        return _words(view)
    panels, starts = [], [stretch.time for stretch in view.curves[0].stretches]
    for curve in view.curves:
        own = [alarm for alarm in view.alarms if alarm.slice == curve.name]
        marks = [(starts[a.time_at], starts[a.since_at], a.is_gain) for a in own]
        rows = pl.DataFrame([stretch.model_dump() for stretch in curve.stretches])
        panels.append(Panel(curve.name, rows, tuple(marks)))
    return draw_watch(panels, view.says)


@figure_of.register(Then)
def _of_then(view: Then) -> Figure:
    rows = [
        (f"{change.attribute} {change.value}, {which}", found)
        for change in view.changes
        for which, found in (("then", change.then), ("now", change.now))
        if found is not None
    ][:_MOST_LINES]
    if not rows or view.then is None:
        return _words(view)
    figure, axes = _framed(view, view.about.overall, _WIDTH, 1.4 + 0.24 * len(rows))
    _bars(axes, [_name(name) for name, _ in rows], [row for _, row in rows])
    axes.set_title(f"Then ({view.then.at} UTC) and now", fontsize=9.5, loc="left", color=SOFT)
    return figure


@figure_of.register(Compare)
def _of_compare(view: Compare) -> Figure:
    from matplotlib.figure import Figure

    if view.pair is None:
        return _words(view)
    rows = view.values[:_MOST_LINES]
    height = 1.8 + 0.24 * max(len(rows), 2 * len(view.places))
    figure = Figure(figsize=(11.0, height), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.5))
    _bars(left, [_name(place.service) for place in view.places], view.places)
    left.set_title("Accuracy", fontsize=9.5, loc="left", color=SOFT)
    draw_intervals(
        right,
        [_name(f"{row.attribute} {row.value}") for row in rows],
        *(100 * np.array([getattr(row, f) for row in rows]) for f in _ENDS),
    )
    right.axvline(0.0, color=INK, linewidth=0.9, zorder=0)
    right.set_xlabel(f"{_name(view.first)} minus {_name(view.second)}, points")
    title = f"{_name(view.first)} is better with probability {_chance(view.pair.probability)}"
    right.set_title(title, fontsize=9.5, loc="left", color=SOFT)
    _headline(figure, view, f"{_name(view.about.assay)}, {view.about.said_of_labels}")
    return figure


_ENDS = ("difference", "lower", "upper")
_CURVES = (
    ("typical arm", GOOD, "typical"),
    ("worst slice", BAD, "slice"),
    ("overall", SOFT, "overall"),
)


def _arms(view: Arms | Worst, what: str) -> Figure:
    if not view.arms:
        return _words(view)
    shown = view.arms[:_MOST_LINES]
    # The overall accuracy is not that of a part.
    average = None if view.asked else view.about.overall
    figure, axes = _framed(view, average, _WIDTH, 1.4 + 0.24 * len(shown))
    _bars(axes, [_name(", ".join(arm.values)) for arm in shown], shown)
    axes.set_xlim(-2.0, 102.0)
    axes.set_title(what, fontsize=9.5, loc="left", color=SOFT)
    return figure


def _bars(axes: Axes, names: Sequence[str], rows: Sequence[Numbers]) -> None:
    ends = (100 * np.array([getattr(row, f) for row in rows]) for f in ("mean", "lower", "upper"))
    draw_intervals(axes, names, *ends)
    axes.set_xlabel("accuracy, %")


def _words(view: View) -> Figure:
    """Return a picture that says why there is nothing to draw."""
    figure, axes = _framed(view, view.about.overall, _WIDTH, 1.8)
    axes.set_axis_off()
    said = " ".join([*view.remarks, *view.about.remarks]) or "There is nothing to draw yet."
    axes.text(0.0, 0.5, _shown(said), color=SOFT, wrap=True)
    return figure


def _framed(
    view: View, average: Numbers | None, width: float, height: float
) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    known = "" if average is None else f": {_percent(average)}"
    names = f"{_name(view.about.assay)}, {_name(view.about.service)}"
    title = f"{names}{known}, {view.about.said_of_labels}"
    _headline(figure, view, title)
    return figure, axes


def _headline(figure: Figure, view: View, title: str) -> None:
    """Write above a picture what it shows, and below that what it is restricted to."""
    lines = [_shown(title), *wrap(_shown(view.asked), _LONGEST_LINE)]
    figure.suptitle("\n".join(lines), x=0.012, ha="left", fontweight="bold")


def _percent(row: Numbers) -> str:
    return f"{row.mean:.1%} ({row.lower:.1%} to {row.upper:.1%})"


def _chance(probability: float) -> str:
    """Return a probability in words, never as certain."""
    if probability > _SURE:
        return f"over {_SURE:.0%}"
    return f"under {1 - _SURE:.0%}" if probability < 1 - _SURE else f"{probability:.0%}"


def _shown(text: str) -> str:
    return visible_text(text, keep="")


def _name(text: str) -> str:
    shown = _shown(text)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def _cell(value: object) -> str:
    shown = _shown(f"{value:.3g}" if isinstance(value, float) else str(value))
    return shown if len(shown) <= _LONGEST_CELL else f"{shown[: _LONGEST_CELL - 1]}…"


@cache
def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return [name for name in _FAMILIES if name in installed] or ["sans-serif"]
