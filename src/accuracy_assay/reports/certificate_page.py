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

__all__ = ["render_certificate", "write_certificate_page"]

_MOST_SLICES = 60
"""Slices on the page, the refused and the large ones first; the file has all."""
_CLASSES = {MAY: "may", MAY_NOT: "may-not"}


def write_certificate_page(certificate: Certificate, path: str | Path) -> Path:
    """Write the page to a file and return its path."""
    target = Path(path)
    write_whole(target, render_certificate(certificate), "page")
    return target


def render_certificate(certificate: Certificate) -> str:
    """Return the page as HTML."""
    style = template_text("page.css") + template_text("certificate.css")
    shown = certificate.slices[:_MOST_SLICES]
    rows = [_row(each) for each in shown]
    ends = [row[name] for row in rows for name in ("low", "high", "judge")]
    first, *others = certificate.remarks()
    return (
        page_templates()
        .get_template("certificate.html")
        .render(
            certificate=certificate,
            statement=statement_words(certificate),
            verdict=first,
            remarks=others,
            rows=rows,
            n_more=len(certificate.slices) - len(shown),
            axis=axis_of(ends),
            version=__version__,
            style=style,
            policy=content_policy(style, ""),
        )
    )


def _row(each: CertifiedSlice) -> dict[str, Any]:
    """Return a slice with the interval of people's figure: the judge's less the difference."""
    low, high = (min(max(each.judge - end, 0.0), 1.0) for end in (each.upper, each.lower))
    return {
        "place": each.place,
        "verdict": each.verdict,
        "because": each.because,
        "kind": _CLASSES.get(each.verdict, "unsure"),
        "judge": each.judge,
        "people": each.people,
        "low": min(low, each.people),
        "high": max(high, each.people),
        "difference": each.difference,
        "lower": each.lower,
        "upper": each.upper,
        "labels": each.labels,
        "rows": each.rows,
        "needed": each.labels_needed,
    }
