"""The surface as a picture for papers, slides and a README: PNG, PDF or SVG by the file's name.

Left, accuracy by two attributes. Right, the weak slices with their intervals, or the lowest arms
where no slice is weak, beside the truth where it is known. A single attribute has one panel, its
values.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.most_telling import telling_pair
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.axis import axis_of
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.heat_table import heat_table
from accuracy_assay.reports.picture_parts import (
    INK,
    SOFT,
    draw_boxes,
    draw_intervals,
    framed,
    percent_axis,
    short_name,
)
from accuracy_assay.reports.report import Report, report_of
from accuracy_assay.reports.verdict import verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "DPI",
    "MOST_VALUES",
    "draw_heat",
    "draw_picture",
    "draw_values",
    "draw_weak",
    "headline",
    "write_picture",
    "write_surface_picture",
]

DPI = 200
"""Twice a screen's, so that text stays sharp on slides."""
MOST_VALUES = 30
"""Lines of a figure by one attribute: more could not be read; the page has them all."""
_MOST_ROWS, _MOST_COLUMNS = 24, 12
"""Values of an attribute in a heat map: more are illegible. Those with most pool rows stay."""
_LINE_INCHES, _FRAME_INCHES, _LEAST_INCHES = 0.34, 1.6, 4.9
"""Height of a line, of what is around them, and of a picture with few."""
_HEADLINE = 113
"""Characters of a line over the whole picture."""
_TITLE_CHARACTERS, _NAME_CHARACTERS = 58, 36
"""Of a line over one of two panels, and of a line of a name beside it."""


def write_picture(
    report: Report, path: str | Path, *, by: tuple[str, str] | None = None, worst: int = 15
) -> Path:
    """Write the picture to a file and return its path; the suffix chooses the format."""
    return write_figure(draw_picture(report, by=by, worst=worst), path, dpi=DPI)


def write_surface_picture(
    surface: AccuracySurface, path: str | Path, title: str | None, by: tuple[str, str] | None
) -> Path:
    """Write the picture of a surface alone, as `AccuracySurface.picture` describes it."""
    report = report_of(surface, title or "")
    named = report if title else replace(report, title=verdict(report))
    return write_picture(named, path, by=by)


def draw_picture(report: Report, *, by: tuple[str, str] | None = None, worst: int = 15) -> Figure:
    """Return the picture as a matplotlib figure that no window or global state holds.

    Parameters
    ----------
    report
        What to draw.
    by
        Attributes of the rows and of the columns; by default the two whose values lie furthest
        apart.
    worst
        Most slices or arms on the right.
    """
    if by is None and len(report.surface.space.names) < 2:
        return _draw_single(report)
    rows, columns = by or telling_pair(report.surface)
    n_right = len(report.slices) or report.surface.arms.size
    n_lines = max(min(report.surface.space.attribute(rows).size, _MOST_ROWS), min(n_right, worst))
    height = max(_LEAST_INCHES, _FRAME_INCHES + _LINE_INCHES * n_lines)
    with framed(11.0, height, headline(report), font_size=10.5) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
        draw_heat(left, report, rows, columns)
        draw_weak(right, report, worst)
    return figure


def headline(report: Report, *, width: int = _HEADLINE, is_short: bool = False) -> str:
    """Return the title and the overall accuracy, under the pool's mix and with equal arms."""
    overall, equal = report.overall, report.equal
    measure = short_name(report.surface.measure).capitalize()
    numbers = (
        f"{measure} {overall.mean:.1%} {overall.about} ({overall.lower:.1%} to "
        f"{overall.upper:.1%}), {equal.mean:.1%} with arms weighted equally"
    )
    n_arms = int((report.surface.support > 0.0).sum())
    more = f"; {n_arms:,} arms, {report.surface.label_count}"
    lines = short_name(report.title, 2 * width), numbers + more * (not is_short)
    return "\n".join(line for each in lines for line in wrap(each, width))


def _draw_single(report: Report) -> Figure:
    (attribute,) = report.surface.space.attributes
    height = max(_LEAST_INCHES, _FRAME_INCHES + _LINE_INCHES * min(attribute.size, MOST_VALUES))
    with framed(11.0, height, headline(report), font_size=10.5) as figure:
        draw_values(figure.subplots(), report, attribute.name)
    return figure


def draw_values(axes: Axes, report: Report, name: str) -> None:
    """Draw the accuracy by one attribute; of many values those with the most pool rows."""
    table = averages_by(report.surface, (name,), report.surface.support)
    is_cut = table.height > MOST_VALUES
    if is_cut:
        table = table.sort("support", descending=True).head(MOST_VALUES)
    ends = table.select("mean", "lower", "upper").to_numpy().T
    values = [short_name(str(v)) for v in table.get_column(name).to_list()]
    draw_intervals(axes, values, *(100.0 * ends))
    percent_axis(axes, ends.ravel(), report.overall.mean, report.surface.measure)
    more = f", the {MOST_VALUES} with the most pool rows" if is_cut else ""
    axes.set_title(f"By {short_name(name)}{more}", fontsize=9.5, loc="left", color=SOFT)


def draw_heat(axes: Axes, report: Report, rows: str, columns: str) -> None:
    """Draw the accuracy by two attributes; of many values those with the most pool rows."""
    surface = report.surface
    table = heat_table(surface, rows, columns, _MOST_ROWS, _MOST_COLUMNS)
    draw_boxes(
        axes,
        list(table.boxes),
        (short_name(rows), [short_name(str(v), 24) for v in table.down]),
        (short_name(columns), [short_name(str(v), 24) for v in table.across]),
        report.overall.mean,
        axis_of([end for _, _, _, *ends in table.boxes for end in ends]),
        is_error=surface.is_error,
    )


def draw_weak(axes: Axes, report: Report, count: int) -> None:
    """Draw the weak slices, or the lowest arms if there are none, beside the overall."""
    surface, found = report.surface, report.slices.found[:count]
    if found:
        names = [part.name for part in found]
        ends = np.array([(s.estimate.mean, s.estimate.lower, s.estimate.upper) for s in found]).T
        truth = np.array([report.truth_where(s.where) for s in found], dtype=np.float64)
        title = (
            f"Weak slices: clearly {report.slices.side} {report.slices.bar:.1%}, most wrong rows "
            "first"
        )
    else:
        order = surface.worst_first()[:count]
        names = [
            ", ".join(str(v) for v in surface.space.describe(int(arm)).values())
            for arm in surface.arms[order]
        ]
        ends = np.array([surface.mean[order], surface.lower[order], surface.upper[order]])
        truth = report.truth_by_arm()[order]
        title = (
            f"No slice is clearly weaker than the whole. The {order.size} most surely "
            f"bad arms, with their {surface.level:.0%} intervals"
        )
    draw_intervals(axes, [_in_lines(name) for name in names], *(100.0 * ends))
    is_known = np.isfinite(truth)
    shown = [*ends[1:].ravel(), *truth[is_known]]
    percent_axis(axes, shown, report.overall.mean, surface.measure)
    if is_known.any():
        marks = axes.plot(100.0 * truth, np.arange(len(names)), "|", color=INK, label="truth")
        marks[0].set(markersize=11, markeredgewidth=1.8)
    lines = "\n".join(wrap(title, _TITLE_CHARACTERS))
    axes.set_title(lines, fontsize=9.5, loc="left", color=SOFT)


def _in_lines(name: str) -> str:
    """Return a name on two lines at most."""
    return "\n".join(wrap(short_name(name, 2 * _NAME_CHARACTERS), _NAME_CHARACTERS)[:2])
