"""The surface as a picture for papers, slides and a README: PNG, PDF or SVG by the file's name.

Left, accuracy by two attributes. Right, the weak slices with their intervals, or the lowest arms
where no slice is weak, beside the truth where it is known.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.reports.axis import axis_of
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.heat_table import heat_table, largest_two
from accuracy_assay.reports.picture_parts import (
    INK,
    SOFT,
    draw_boxes,
    draw_intervals,
    framed,
    percent_axis,
    short_name,
)
from accuracy_assay.reports.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["DPI", "draw_heat", "draw_picture", "draw_weak", "headline", "write_picture"]

DPI = 200
"""Twice a screen's, so that text stays sharp on slides."""
_MOST_ROWS, _MOST_COLUMNS = 24, 12
"""Values of an attribute in a heat map: more are illegible. Those with most pool rows stay."""
_LINE_INCHES, _FRAME_INCHES, _LEAST_INCHES = 0.34, 1.6, 4.9
"""Height of a line, of what is around them, and of a picture with few."""
_TITLE_CHARACTERS, _NAME_CHARACTERS = 50, 36
"""Of a line over one of two panels, and of a line of a name beside it."""


def write_picture(
    report: Report, path: str | Path, *, by: tuple[str, str] | None = None, worst: int = 15
) -> Path:
    """Write the picture to a file and return its path; the suffix chooses the format."""
    return write_figure(draw_picture(report, by=by, worst=worst), path, dpi=DPI)


def draw_picture(report: Report, *, by: tuple[str, str] | None = None, worst: int = 15) -> Figure:
    """Return the picture as a matplotlib figure that no window or global state holds.

    Parameters
    ----------
    report
        What to draw.
    by
        Attributes of the rows and of the columns; by default the two with the most values.
    worst
        Most slices or arms on the right.

    Raises
    ------
    InputError
        If the surface has one attribute only.
    """
    rows, columns = by or _largest_two(report.surface)
    n_right = len(report.slices) or report.surface.arms.size
    n_lines = max(min(report.surface.space.attribute(rows).size, _MOST_ROWS), min(n_right, worst))
    height = max(_LEAST_INCHES, _FRAME_INCHES + _LINE_INCHES * n_lines)
    with framed(11.0, height, headline(report), font_size=11.0) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
        draw_heat(left, report, rows, columns)
        draw_weak(right, report, worst)
    return figure


def headline(report: Report) -> str:
    """Return the title and the overall accuracy, under the pool's mix and with equal arms."""
    overall, equal = report.overall, report.equal
    title = "\n".join(wrap(short_name(report.title, 200), 100))
    measure = short_name(report.surface.measure).capitalize()
    return (
        f"{title}\n{measure} {overall.mean:.1%} {overall.about} ({overall.lower:.1%} to "
        f"{overall.upper:.1%}), {equal.mean:.1%} with arms weighted equally, over "
        f"{int((report.surface.support > 0.0).sum()):,} arms, from "
        f"{report.surface.n_labels:,.0f} labels"
    )


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


def _largest_two(surface: AccuracySurface) -> tuple[str, str]:
    found = largest_two(surface)
    if found is None:
        raise InputError(
            f"a picture must have two attributes; got {list(surface.space.names)}. "
            "Use the page or surface.marginal for a single one."
        )
    return found
