"""The surface as a picture for papers, slides and a README: PNG, PDF or SVG by the file's name.

Left, accuracy by two attributes: colour fades where the interval is wide, so that only what is
well supported stands out (after the value-suppressing uncertainty palettes of Correll, Moritz and
Heer, CHI 2018). Right, the worst arms with their intervals, beside the truth where it is known.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.report import Report
from accuracy_assay.runtime.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

__all__ = ["draw_picture", "write_picture"]

# Orange and blue stay apart for people who do not see red and green apart.
_BAD, _MIDDLE, _GOOD = "#c4520b", "#f1efea", "#0a69ad"
_INK, _SOFT, _LINE, _RANGE = "#1d2329", "#5c6670", "#dddbd5", "#a9cdea"
_FITTING_CHARACTERS = 50
"""Of all names under the heat map together, that fit side by side at its width; found by eye."""
_DPI = 200
"""Twice a screen's, so that text stays sharp on slides."""
_STYLE = {
    "font.size": 9.0,
    "text.color": _INK,
    "axes.labelcolor": _SOFT,
    "xtick.color": _SOFT,
    "ytick.color": _INK,
    "axes.edgecolor": _LINE,
    "pdf.fonttype": 42,  # TrueType: publishers refuse the default, and text can be searched
    "svg.fonttype": "none",
}


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
    with rc_context(_STYLE):  # type: ignore[arg-type]
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
    table = surface.marginal(rows, columns)
    shape = surface.space.attribute(rows), surface.space.attribute(columns)
    overall = surface.overall.mean
    for row, column, mean, lower, upper in table.select(
        rows, columns, "mean", "lower", "upper"
    ).rows():
        y, x = shape[0].code(row), shape[1].code(column)
        colour = _colour(mean, upper - lower, overall)
        axes.add_patch(_box(x, y, colour))
        axes.text(x, y - 0.08, f"{100 * mean:.0f}", ha="center", va="center", fontweight="bold")
        reach = np.array([0.0, 1.0]) * 0.7 + x - 0.35
        axes.plot(reach, [y + 0.3, y + 0.3], color=_INK, alpha=0.18, linewidth=1.2)
        held = np.array([lower, upper]) * 0.7 + x - 0.35
        axes.plot(held, [y + 0.3, y + 0.3], color=_INK, alpha=0.8, linewidth=1.6)
    axes.set_xlim(-0.52, shape[1].size - 0.48)
    axes.set_ylim(shape[0].size - 0.48, -0.52)
    names = [str(v) for v in shape[1].values]
    is_tight = max(map(len, names)) * len(names) > _FITTING_CHARACTERS
    axes.set_xticks(range(len(names)), names, rotation=20 if is_tight else 0)
    axes.set_yticks(range(shape[0].size), [str(v) for v in shape[0].values])
    axes.set_xlabel(columns)
    axes.set_ylabel(rows)
    axes.set_title(
        f"Accuracy, %: orange below {overall:.0%}, blue above, pale where unsure",
        fontsize=9.5,
        loc="left",
        color=_SOFT,
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _box(x: int, y: int, colour: FloatArray) -> FancyBboxPatch:
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.08"
    return FancyBboxPatch(
        (x - 0.48, y - 0.48), 0.96, 0.96, boxstyle=style, facecolor=tuple(colour), linewidth=0
    )


def _colour(mean: float, width: float, overall: float) -> FloatArray:
    """Mix towards orange below the overall accuracy or blue above it, less where unsure."""
    from matplotlib.colors import to_rgb

    reach = overall if mean < overall else 1.0 - overall
    distance = min(abs(mean - overall) / reach, 1.0) if reach > 0.0 else 0.0
    strength = np.sqrt(distance) * max(0.0, 1.0 - width)
    end = np.asarray(to_rgb(_BAD if mean < overall else _GOOD))
    return np.asarray((1.0 - strength) * np.asarray(to_rgb(_MIDDLE)) + strength * end)


def _draw_worst(axes: Axes, report: Report, count: int) -> None:
    surface = report.surface
    order = surface.worst_first()[:count]
    truth = report.truth_by_arm()[order]
    y = np.arange(order.size)
    mean, lower, upper = (100 * c[order] for c in (surface.mean, surface.lower, surface.upper))
    axes.hlines(y, lower, upper, color=_RANGE, linewidth=5.5, capstyle="round")
    axes.plot(mean, y, "o", color=_GOOD, markersize=5.5, label="estimate")
    if np.isfinite(truth).any():
        axes.plot(
            100 * truth, y, "|", color=_INK, markersize=11, markeredgewidth=1.8, label="truth"
        )
    names = [
        ", ".join(str(v) for v in surface.space.describe(int(arm)).values())
        for arm in surface.arms[order]
    ]
    axes.set_yticks(y, names, fontsize=8.0)
    axes.set_ylim(order.size - 0.4, -0.6)
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel("accuracy, %")
    axes.grid(axis="x", color=_LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(
        f"The {order.size} worst arms by the upper end of their {surface.level:.0%} interval",
        fontsize=9.5,
        loc="left",
        color=_SOFT,
    )
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=8.5)
