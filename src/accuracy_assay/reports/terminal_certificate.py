"""A judge's certificate in a terminal, and as Markdown: the verdict in words, then slice by slice.

Names and values come from outside and are shown as they are, never read as markup.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from accuracy_assay.reports.certificate import MAY, MAY_NOT, UNSURE, Certificate, CertifiedSlice
from accuracy_assay.reports.escaping import markdown_text
from accuracy_assay.reports.markdown import markdown_table
from accuracy_assay.reports.terminal import titled
from accuracy_assay.runtime.number_text import points_text
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["certificate_markdown", "certificate_table"]

_STYLES = {MAY: "bold green", MAY_NOT: "bold red", UNSURE: "yellow"}
_HEAD = ("verdict", "judge", "people", "differs", "labels", "rows", "more needed")


def certificate_table(certificate: Certificate, count: int = 20) -> RenderableType:
    """Return the certificate, with the table of its first slices."""
    first, *others = certificate.remarks()
    lines = [Text(visible_text(first), _STYLES[certificate.verdict])]
    lines += [Text(visible_text(line)) for line in others]
    table = Table(box=None, pad_edge=False)
    table.add_column("slice")
    for name in _HEAD:
        table.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    shown, is_signed = certificate.slices[:count], certificate.statement == "level"
    for each in shown:
        verdict, *numbers = _cells(each, is_signed=is_signed)
        place = Text(visible_text(each.place))
        table.add_row(place, Text(verdict, _STYLES[each.verdict]), *numbers)
    n = len(certificate.slices)
    title = f"{_differs(certificate)}, 90% intervals; the first {len(shown)} of {n}"
    return Group(*lines, titled(title, table))


def certificate_markdown(certificate: Certificate, count: int = 20) -> str:
    """Return the same as Markdown."""
    first, *others = certificate.remarks()
    is_signed = certificate.statement == "level"
    rows = [
        (markdown_text(s.place), *_cells(s, is_signed=is_signed))
        for s in certificate.slices[:count]
    ]
    lines = [
        f"### {markdown_text(first)}",
        "",
        *(f"- {markdown_text(line)}" for line in others),
        "",
        f"{_differs(certificate)}, 90% intervals:",
        "",
        *markdown_table(("slice", *_HEAD), rows),
    ]
    return "\n".join([*lines, "", ""])


def _differs(certificate: Certificate) -> str:
    if certificate.statement == "level":
        return "How far the judge is above people, in points"
    return "Decisions that differ, in points"


def _cells(each: CertifiedSlice, *, is_signed: bool) -> tuple[str, ...]:
    signed = {"is_signed": is_signed}
    difference, low, high = (
        points_text(x, **signed) for x in (each.difference, each.lower, each.upper)
    )
    needed = {None: "all rows", 0: ""}.get(each.labels_needed, f"{each.labels_needed or 0:,}")
    return (
        f"{each.verdict}, by {each.because}" if each.because else each.verdict,
        f"{each.judge:.0%}",
        f"{each.people:.0%}",
        f"{difference} {low}..{high}",
        f"{each.labels:,}",
        f"{each.rows:,}",
        needed,
    )
