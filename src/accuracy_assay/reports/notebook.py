"""A surface in a notebook: the overall accuracy, and its worst arms as a table."""

from __future__ import annotations

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.escaping import html_text
from accuracy_assay.runtime.number_text import count_text

__all__ = ["notebook_html"]

_SHOWN_ARMS = 10
"""What fits beside a cell without scrolling."""


def notebook_html(surface: AccuracySurface) -> str:
    """Return a surface as HTML; names and values are shown as they are."""
    rows = [
        [*(str(row[name]) for name in surface.space.names)]
        + [f"{row[c]:.1%}" for c in ("mean", "lower", "upper")]
        + [count_text(row[c]) for c in ("n", "support")]
        for row in surface.rows_at(surface.worst_first()[:_SHOWN_ARMS]).iter_rows(named=True)
    ]
    head = [*surface.space.names, surface.measure, "lower", "upper", "labels", "rows"]
    apart = "" if surface.tells_arms_apart else " Too few labels to tell arms apart."
    return (
        f"<p><b>{html_text(str(surface.overall))}</b>.{apart}</p><p>Of "
        f"{surface.arms.size:,} arms, the most surely bad:</p>"
        f"<table><thead>{_row(head, 'th')}</thead>"
        f"<tbody>{''.join(_row(row, 'td') for row in rows)}</tbody></table>"
    )


def _row(texts: list[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{html_text(text)}</{tag}>' for text in texts)}</tr>"
