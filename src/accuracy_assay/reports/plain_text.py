"""A surface as plain text, for `print`: the verdict, the whole, the weak slices."""

from __future__ import annotations

from rich.console import Console, RenderableType

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.terminal import slices_table
from accuracy_assay.reports.verdict import verdict
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["plain_text", "surface_text"]

_WIDTH = 100
"""Characters of a line, as wide as Polars prints a table."""


def surface_text(surface: AccuracySurface) -> str:
    """Return what ``print(surface)`` shows; without weak slices that is two lines."""
    report = Report("", surface)
    lines = [verdict(report), f"Overall: {report.overall}."]
    if surface.label_trust is not None:
        lines.append(f"Trust: {surface.said_of_labels}; {surface.label_trust}.")
    lines += [f"Judges: {visible_text(said)}." for said in surface.said_of_judges]
    if report.check is not None and report.check["said"] is not None:
        lines.append(f"Warning: {report.check['said']}.")
    return "\n".join([*lines, plain_text(slices_table(report))] if report.slices else lines)


def plain_text(shown: RenderableType) -> str:
    """Return what a terminal would show, without colours and without blanks at line ends."""
    console = Console(width=_WIDTH, color_system=None, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(shown)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
