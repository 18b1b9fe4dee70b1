"""Every figure of a report as a file of its own, for papers and slides: PNG and PDF."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.metrics.scores import holds
from accuracy_assay.reports.axis import axis_of
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.judge_picture import draw_judge
from accuracy_assay.reports.picture import (
    DPI,
    MOST_VALUES,
    draw_picture,
    draw_values,
    draw_weak,
    headline,
)
from accuracy_assay.reports.picture_parts import (
    BAD,
    GOOD,
    LINE,
    SOFT,
    framed,
    quiet_axes,
    short_name,
)
from accuracy_assay.reports.reliability import draw_reliability
from accuracy_assay.reports.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "draw_figures", "write_figures"]

FORMATS = ("png", "pdf")
"""Endings of the files of each figure."""
_WIDTH, _LINE_INCHES, _FRAME_INCHES = 7.2, 0.34, 1.5
"""Inches: of the text of a slide, of a line of a figure, of what is around the lines."""
_HEADLINE = 80
"""Characters of a line over a figure."""
_MOST_SLICES = 25
"""Lines of a figure: more could not be read; the page and `to_frame` have them all."""
_SQUARE = 5.0
"""Inches of the side of a figure that compares two accuracies."""
_COLOURS = (GOOD, BAD, "#2e9e77", "#b56fa0", "#c99a1d", SOFT)
"""Of the methods among the curves, as on the page."""


def write_figures(report: Report, folder: str | Path) -> list[Path]:
    """Write each figure as PNG and PDF to a folder, which is made if need be.

    Returns
    -------
    list of Path
        The files: ``surface``, ``slices``, one ``attribute-NAME`` each, and where they are known
        ``truth``, ``curves``, ``reliability`` and one ``judge-NAME`` each.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in draw_figures(report).items():
        figure = draw()
        written += [write_figure(figure, target / f"{name}.{end}", dpi=DPI) for end in FORMATS]
    return written


def draw_figures(report: Report) -> dict[str, Callable[[], Figure]]:
    """Return what draws each figure of a report, by the name of its file."""
    found: dict[str, Callable[[], Figure]] = {}
    names = report.surface.space.names
    if len(names) > 1:
        found["surface"] = partial(draw_picture, report)
    found["slices"] = partial(_slices, report)
    for name in names:
        found[_file("attribute", name, found)] = partial(_attribute, report, name)
    if report.truth is not None:
        found["truth"] = partial(_truth, report)
    if report.curves:
        found["curves"] = partial(_curves, report)
    calibration, judges = report.calibration, report.judges
    if calibration is not None and calibration.joint is not None:
        found["reliability"] = partial(draw_reliability, calibration)
    if judges is not None:
        for name in judges.judges.get_column("judge").to_list():
            found[_file("judge", name, found)] = partial(draw_judge, judges, name)
    return found


def _file(kind: str, name: str, taken: dict[str, Callable[[], Figure]]) -> str:
    """Return a name for a file that every system takes, and that no other figure has."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]
    wanted = f"{kind}-{plain}" if plain else kind
    number = 1
    while (found := wanted if number == 1 else f"{wanted}-{number}") in taken:
        number += 1
    return found


def _slices(report: Report) -> Figure:
    n_lines = min(len(report.slices) or report.surface.arms.size, _MOST_SLICES)
    with framed(_WIDTH, _height(n_lines), _short_headline(report)) as figure:
        draw_weak(figure.subplots(), report, _MOST_SLICES)
    return figure


def _attribute(report: Report, name: str) -> Figure:
    n_lines = min(report.surface.space.attribute(name).size, MOST_VALUES)
    with framed(_WIDTH, _height(n_lines), _short_headline(report)) as figure:
        draw_values(figure.subplots(), report, name)
    return figure


def _truth(report: Report) -> Figure:
    surface, truth = report.surface, report.truth_by_arm()
    known = np.flatnonzero(np.isfinite(truth) & (surface.support > 0.0))
    mean, gold = surface.mean[known], truth[known]
    inside = holds(surface.lower[known], surface.upper[known], gold)
    axis = axis_of([*mean, *gold])
    low, high = 100.0 * axis.low, 100.0 * axis.high
    title = f"{short_name(report.title, 60)}\nestimate against truth, one dot per arm"
    with framed(_SQUARE, _SQUARE + 0.8, title, legend_columns=1) as figure:
        axes = figure.subplots()
        axes.plot([low, high], [low, high], color=SOFT, linewidth=0.9, zorder=0)
        for is_in, colour, words in ((True, GOOD, "holds the truth"), (False, BAD, "does not")):
            part = inside == is_in
            axes.scatter(
                100.0 * gold[part],
                100.0 * mean[part],
                s=8.0 + 60.0 * surface.support[known][part] / surface.support.max(),
                color=colour,
                alpha=0.5,
                linewidth=0,
                label=f"interval {words}",
            )
        margin = 0.02 * (high - low)
        axes.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin))
        axes.set(xlabel="truth, %", ylabel="estimate, %", aspect="equal")
        _tidy(axes)
    return figure


def _curves(report: Report) -> Figure:
    with framed(_WIDTH, 4.2, f"{short_name(report.title)}: error against labels") as figure:
        axes = figure.subplots()
        for k, (name, frame) in enumerate(report.curves.items()):
            labels, error = (frame.get_column(c).to_numpy() for c in ("labels", "macro_mse"))
            colour = _COLOURS[k % len(_COLOURS)]
            axes.plot(labels, error, color=colour, linewidth=2.0, label=short_name(name))
        axes.set_ylim(bottom=0.0)
        axes.set(xlabel="labels", ylabel="macro error (mean squared, times 100)")
        _tidy(axes)
    return figure


def _height(n_lines: int) -> float:
    return _FRAME_INCHES + _LINE_INCHES * max(n_lines, 3)


def _short_headline(report: Report) -> str:
    return headline(report, width=_HEADLINE, is_short=True)


def _tidy(axes: Axes) -> None:
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    quiet_axes(axes)
