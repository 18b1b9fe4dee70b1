"""A judge's certificate as one HTML page that stands alone.

Its reliability is drawn slice by slice: what the judge says, a mark, on what people say, an
interval.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.reports.axis import axis_of
from accuracy_assay.reports.certificate import MAY, MAY_NOT, Certificate, CertifiedSlice
from accuracy_assay.reports.certificate_words import statement_words
from accuracy_assay.reports.standalone import content_policy, page_templates, template_text
from accuracy_assay.runtime.version import __version__

__all__ = ["certificate_values", "render_certificate", "write_certificate_page"]

_MOST_SLICES = 60
"""Slices on the page, the refused and the large ones first; the file has all."""
_CLASSES = {MAY: "may", MAY_NOT: "may-not"}


def write_certificate_page(
    certificate: Certificate, path: str | Path, saved: float | None = None
) -> Path:
    """Write the page to a file and return its path."""
    target = Path(path)
    write_whole(target, render_certificate(certificate, saved), "page")
    return target


def render_certificate(certificate: Certificate, saved: float | None = None) -> str:
    """Return the page as HTML; ``saved`` is what the judge saves in money."""
    style = template_text("page.css") + template_text("certificate.css")
    script = template_text("certificate.js")
    return (
        page_templates()
        .get_template("certificate.html")
        .render(
            certified=certificate_values(certificate, saved),
            version=__version__,
            style=style,
            script=script,
            policy=content_policy(style, script),
        )
    )


def certificate_values(certificate: Certificate, saved: float | None = None) -> dict[str, Any]:
    """Return what a page shows of a certificate, for ``certificate_table.html`` too."""
    shown = certificate.slices[:_MOST_SLICES]
    is_level = certificate.statement == "level"
    rows = [_row(each, None if is_level else certificate.tolerance) for each in shown]
    ends = [row[name] for row in rows for name in ("low", "high", "mark")]
    verdict, *remarks = certificate.remarks()
    return {
        "certificate": certificate,
        "statement": statement_words(certificate),
        "is_level": is_level,
        "verdict": verdict,
        "remarks": remarks,
        "saved": saved,
        "rows": rows,
        "n_more": len(certificate.slices) - len(shown),
        "axis": axis_of(ends),
    }


def _row(each: CertifiedSlice, tolerance: float | None) -> dict[str, Any]:
    """Return a slice with what is drawn: dot, interval and mark.

    Of a level these are people's figure, the judge's less the difference, and the judge's own; of
    decisions, the share that differs and the tolerance.
    """
    if tolerance is None:
        low, high = (min(max(each.judge - end, 0.0), 1.0) for end in (each.upper, each.lower))
        dot, mark = each.people, each.judge
    else:
        low, high, dot, mark = each.lower, each.upper, each.difference, tolerance
    return {
        "place": each.place,
        "verdict": each.verdict,
        "because": each.because,
        "kind": _CLASSES.get(each.verdict, "unsure"),
        "judge": each.judge,
        "people": each.people,
        "low": min(low, dot),
        "high": max(high, dot),
        "dot": dot,
        "mark": mark,
        "difference": each.difference,
        "lower": each.lower,
        "upper": each.upper,
        "labels": each.labels,
        "rows": each.rows,
        "needed": each.labels_needed,
    }
