"""The bias of judges as a picture: one dot with its interval per attribute value, zero in between.

To the right of zero a judge is lenient, to the left harsh; what is not clear is grey.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.reports.figure_file import write_figure
from accuracy_assay.reports.judge_report import JudgeReport
from accuracy_assay.reports.picture_parts import BAD, GOOD, LINE, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_judge", "write_judge_picture"]

_COLOURS = {"lenient": BAD, "harsh": GOOD, "": "#8b949d"}
_MOST_VALUES = 40
"""Values that fit on a page, the clearest first."""
_LINE_INCHES, _WIDTH_INCHES, _FRAME_INCHES = 0.26, 6.4, 1.1
_DPI = 200
"""Twice a screen's, so that text stays sharp on slides."""


def write_judge_picture(report: JudgeReport, path: str | Path, judge: str | None = None) -> Path:
    """Write the picture; the ending of the path chooses PNG, PDF or SVG."""
    return write_figure(draw_judge(report, judge), path, dpi=_DPI)


def draw_judge(report: JudgeReport, judge: str | None = None) -> Figure:
    """Return the picture of one judge, the first by default, as a matplotlib figure.

    Raises
    ------
    UnknownNameError
        If the report knows no such judge.
    """
    from matplotlib.figure import Figure

    names = report.judges.get_column("judge").to_list()
    if not names:
        raise InputError("a picture must have a judge to show; got a report without any.")
    name = names[0] if judge is None else judge
    if name not in names:
        raise UnknownNameError("judge", name, names)
    rows = report.values.filter(judge=name).head(_MOST_VALUES)
    ordered = rows.sort("attribute", "value", maintain_order=True).to_dicts()
    height = _FRAME_INCHES + _LINE_INCHES * len(ordered)
    figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    _draw(figure.subplots(), ordered, name, report.level)
    return figure


def _draw(axes: Axes, rows: list[dict[str, Any]], judge: str, level: float) -> None:
    axes.axvline(0.0, color=SOFT, linewidth=1.0, zorder=0)
    for place, row in enumerate(rows):
        colour = _COLOURS[row["verdict"]]
        ends = [100.0 * row["lower"], 100.0 * row["upper"]]
        axes.plot(ends, [place, place], color=colour, linewidth=2.2, alpha=0.45)
        axes.plot([100.0 * row["bias"]], [place], "o", color=colour, markersize=5.0)
    axes.set_yticks(range(len(rows)), [f"{r['attribute']} = {r['value']}" for r in rows])
    axes.invert_yaxis()
    reach = max((100.0 * max(abs(r["lower"]), abs(r["upper"])) for r in rows), default=1.0)
    axes.set_xlim(-1.08 * reach, 1.08 * reach)
    axes.set_xlabel("bias in points: ← harsh   lenient →")
    axes.set_title(f"{judge}: opinion less accuracy, {level:.0%} intervals", fontsize="medium")
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0.0)
