"""The surface as a picture for papers, slides and a README: PNG, PDF or SVG by the file's name.

Left, accuracy by two attributes. Right, the worst arms with their intervals, beside the truth
where it is known.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.picture_parts import INK, SOFT, STYLE, draw_boxes, draw_intervals
from accuracy_assay.reports.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_picture", "write_picture"]

_DPI = 200
"""Twice a screen's, so that text stays sharp on slides."""


def write_picture(
    report: Report, path: str | Path, *, by: tuple[str, str] | None = None, worst: int = 15
) -> Path:
    """Write the picture to a file and return its path; the suffix chooses the format."""
    return write_figure(draw_picture(report, by=by, worst=worst), path, dpi=_DPI)


def draw_picture(report: Report, *, by: tuple[str, str] | None = None, worst: int = 15) -> Figure:
    """Return the picture as a matplotlib figure that no window or global state holds.

    Parameters
    ----------
    report
        What to draw.
    by
        Attributes of the rows and of the columns; by default the two with the most values.
    worst
        Number of arms on the right.

    Raises
    ------
    InputError
        If the surface has one attribute only.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows, columns = by or _largest_two(report.surface)
    with rc_context(STYLE):
        figure = Figure(figsize=(11.0, 4.9), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
        _draw_heat(left, report.surface, rows, columns)
        _draw_worst(right, report, worst)
        figure.suptitle(_headline(report), x=0.012, ha="left", fontsize=11.0, fontweight="bold")
    return figure


def _largest_two(surface: AccuracySurface) -> tuple[str, str]:
    attributes = sorted(surface.space.attributes, key=lambda a: -a.size)
    if len(attributes) < 2:
        raise InputError(
            f"a picture must have two attributes; got {list(surface.space.names)}. "
            "Use the page or surface.marginal for a single one."
        )
    return attributes[0].name, attributes[1].name


def _headline(report: Report) -> str:
    overall = report.surface.overall
    title = "\n".join(wrap(report.title, 100))
    return (
        f"{title}\nAccuracy {overall.mean:.1%} ({overall.lower:.1%} to {overall.upper:.1%})"
        f" over {int((report.surface.support > 0.0).sum()):,} arms,"
        f" from {report.surface.n_labels:,.0f} labels"
    )


def _draw_heat(axes: Axes, surface: AccuracySurface, rows: str, columns: str) -> None:
    table = surface.marginal(rows, columns).select(rows, columns, "mean", "lower", "upper")
    down, across = surface.space.attribute(rows), surface.space.attribute(columns)
    draw_boxes(
        axes,
        [(down.code(row), across.code(column), *ends) for row, column, *ends in table.rows()],
        (rows, [str(v) for v in down.values]),
        (columns, [str(v) for v in across.values]),
        surface.overall.mean,
    )


def _draw_worst(axes: Axes, report: Report, count: int) -> None:
    surface = report.surface
    order = surface.worst_first()[:count]
    truth = report.truth_by_arm()[order]
    mean, lower, upper = (100 * c[order] for c in (surface.mean, surface.lower, surface.upper))
    names = [
        ", ".join(str(v) for v in surface.space.describe(int(arm)).values())
        for arm in surface.arms[order]
    ]
    draw_intervals(axes, names, mean, lower, upper)
    if np.isfinite(truth).any():
        y = np.arange(order.size)
        axes.plot(
            100 * truth, y, "|", color=INK, markersize=11, markeredgewidth=1.8, label="truth"
        )
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel("accuracy, %")
    axes.set_title(
        f"The {order.size} worst arms by the upper end of their {surface.level:.0%} interval",
        fontsize=9.5,
        loc="left",
        color=SOFT,
    )
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=8.5)
