"""Reliability of attribute probabilities before and after calibration, as a picture.

One panel per guessed attribute and one for the whole combination: how often the most probable
value was right, against the probability that it was given. Points on the diagonal are honest; the
area of a point is its share of the held-out rows. Over each panel stands the expected calibration
error before and after.
"""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from accuracy_assay.calibration.report import CalibrationReport, Quality
from accuracy_assay.errors import InputError
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.picture_parts import BAD, GOOD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_reliability", "reliability_png", "write_reliability"]

_DIAGONAL = "#b9b6ae"
_LARGEST_POINT = 160.0
"""Of a bin that holds every row, in square points, which matplotlib takes for the square of the
diameter: 13 points, small enough for neighbouring bins to stay apart."""
_COLUMNS = 4
"""Panels side by side: as many as keep their text readable across a printed page."""
_DPI, _PAGE_DPI = 200, 110
"""Of a file, sharp on slides, and inside a page, where every pixel adds to its size."""


def write_reliability(report: CalibrationReport, path: str | Path) -> Path:
    """Write the picture to a file and return its path; the suffix chooses the format."""
    return write_figure(draw_reliability(report), path, dpi=_DPI, what="reliability picture")


def reliability_png(report: CalibrationReport) -> str:
    """Return the picture as base64 text of a PNG, for a page."""
    buffer = BytesIO()
    draw_reliability(report).savefig(buffer, format="png", dpi=_PAGE_DPI, facecolor="white")
    return b64encode(buffer.getvalue()).decode()


def draw_reliability(report: CalibrationReport) -> Figure:
    """Return the picture as a matplotlib figure.

    Raises
    ------
    InputError
        If the calibration had no seed set, so that nothing was measured.
    """
    from matplotlib.figure import Figure

    if report.joint is None:
        raise InputError(
            f"a reliability picture must have held-out rows; got a calibration {report.method!r} "
            "without a seed set."
        )
    qualities = [*report.attributes, report.joint]
    columns = min(len(qualities), _COLUMNS)
    rows = -(-len(qualities) // columns)
    figure = Figure(figsize=(2.7 * columns, 2.9 * rows), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes, quality in zip(panels, qualities, strict=False):
        _draw_panel(axes, quality)
    for axes in panels[len(qualities) :]:
        axes.set_axis_off()
    handles, names = panels[0].get_legend_handles_labels()
    key = figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False)
    for handle in key.legend_handles:
        handle.set_sizes([40.0])  # type: ignore[union-attr]
    return figure


def _draw_panel(axes: Axes, quality: Quality) -> None:
    axes.plot([0, 1], [0, 1], color=_DIAGONAL, linewidth=1.0, zorder=0)
    for name, bins, colour in (
        ("before", quality.before, BAD),
        ("after", quality.after, GOOD),
    ):
        total = max(sum(bins.n_rows), 1)
        axes.scatter(
            bins.confidence,
            bins.accuracy,
            s=[_LARGEST_POINT * n / total + 6.0 for n in bins.n_rows],
            color=colour,
            alpha=0.75,
            label=name,
        )
    axes.set(
        xlim=(0, 1.03),
        ylim=(-0.03, 1.05),
        xlabel="probability given",
        ylabel="share that was right",
    )
    axes.set_title(f"{quality.name}\nerror {quality.before.ece:.3f} → {quality.after.ece:.3f}")
    axes.title.set_fontsize("medium")
