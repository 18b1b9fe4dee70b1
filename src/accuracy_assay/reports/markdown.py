"""Markdown as GitHub shows it, for pull requests: tables, weak places, and a surface in short.

Names and values come from outside and are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.reports.escaping import markdown_text
from accuracy_assay.reports.report import TOO_FEW_LABELS, Report

__all__ = ["ends_text", "markdown_table", "surface_markdown", "weak_places"]

_SHOWN_PLACES = 5
"""Weak slices in short: what one reads in a comment."""


def surface_markdown(report: Report) -> str:
    """Return a surface in short: the headline, what one must know, and the weakest slices."""
    surface, overall = report.surface, report.overall
    measure = markdown_text(surface.measure)
    lines = [
        f"### {markdown_text(report.title)}: {measure} {overall.mean:.1%}",
        "",
        f"**{overall.mean:.1%}** {overall.about} ({overall.level:.0%} interval "
        f"{ends_text(overall)}; {surface.said_of_labels}).",
    ]
    lines += [f"{markdown_text(said)}." for said in surface.said_of_rows]
    if surface.is_error:
        lines.append("This is an error rate: lower is better.")
    if not surface.tells_arms_apart:
        lines.append(TOO_FEW_LABELS)
    return "\n".join([*lines, "", *weak_places(report, _SHOWN_PLACES), "", ""])


def weak_places(report: Report, count: int | None = None) -> list[str]:
    """Return the weak slices as a table, or a line if there are none; at most ``count``."""
    found = report.slices
    if not found.searched:
        return ["No slice has enough pool rows to be looked at."]
    if not found:
        is_bar = 0.0 < found.bar < 1.0
        beyond = f"{found.side} {found.bar:.1%}" if is_bar else "weaker"
        return [
            f"No slice is clearly weaker than the whole: {found.searched:,} slices were looked "
            f"at, and none is {beyond} with enough certainty."
        ]
    rows = [
        (
            markdown_text(part.name) + (" (few labels of its own)" if part.is_thin else ""),
            f"{part.estimate.mean:.1%}",
            ends_text(part.estimate),
            f"{part.estimate.support:,.0f}",
            f"{part.wrong:,.0f}",
            f"{part.estimate.n:,.0f}",
        )
        for part in found.found[:count]
    ]
    head = ("slice", markdown_text(report.surface.measure), f"{report.surface.level:.0%} interval")
    more = [] if len(rows) == len(found) else ["", f"{len(found) - len(rows):,} more."]
    return [
        f"Clearly {found.side} {found.bar:.1%}, of {found.searched:,} slices that were looked at:",
        "",
        *markdown_table((*head, "pool rows", "expected to go wrong", "labels"), rows),
        *more,
    ]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""Return a table whose first column is text and whose others are numbers, line by line.

    Examples
    --------
    >>> print(*markdown_table(("service", "accuracy"), [("google", "91.2%")]), sep="\n")
    | service | accuracy |
    |---|---:|
    | google | 91.2% |
    """
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


def ends_text(estimate: Estimate) -> str:
    """Return an interval in percent."""
    return f"{estimate.lower:.1%} to {estimate.upper:.1%}"
