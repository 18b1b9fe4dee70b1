"""A surface in a notebook: a sentence, the weakest slices with bars, and a small heat map.

Colours are half transparent and text has the notebook's own, so that it reads in light and dark.
There is no script and no style sheet: where styles are taken off, plain tables are left.
"""

from __future__ import annotations

from typing import NamedTuple

from accuracy_assay.domain.most_telling import telling_pair
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.axis import Axis, axis_of
from accuracy_assay.reports.escaping import html_text
from accuracy_assay.reports.heat_table import HeatTable, heat_table
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.verdict import verdict
from accuracy_assay.runtime.number_text import count_text

__all__ = ["notebook_html"]

_SHOWN_SLICES = 5
_MOST_ROWS, _MOST_COLUMNS = 10, 8
"""Of the heat map: what fits below the slices without scrolling."""
_BLUE, _ORANGE, _GREY = "42,128,196", "214,102,22", "128,128,128"
_STRONGEST, _FULL = 0.6, 0.25
"""How opaque the strongest colour is, so that text stays legible; and at what distance from the
whole it is reached."""
_TABLE = '<table style="border-collapse:collapse;font-size:inherit">'
_CELL = "padding:2px 8px;text-align:{};border:0;background:none;white-space:nowrap"


class _Line(NamedTuple):
    """A slice or an arm: its name, mean and interval, labels and pool rows."""

    name: str
    mean: float
    lower: float
    upper: float
    n: float
    support: float


def notebook_html(surface: AccuracySurface) -> str:
    """Return a surface as HTML; names and values are shown as they are."""
    title, lines = _weakest(surface)
    parts = [_headline(surface), f"<p>{html_text(title)}</p>", _bars(surface, lines)]
    if len(surface.space.names) > 1:
        names = telling_pair(surface)
        parts.append(_heat(surface, heat_table(surface, *names, _MOST_ROWS, _MOST_COLUMNS)))
    return f'<div style="font-variant-numeric:tabular-nums">{"".join(parts)}</div>'


def _headline(surface: AccuracySurface) -> str:
    said = [f"<b>{html_text(verdict(Report('', surface)))}</b><br>"]
    said.append(f"{html_text(f'{surface.measure.capitalize()} {surface.overall}')}.")
    said += [f"{html_text(each)}." for each in surface.said_of_rows]
    if not surface.tells_arms_apart:
        said.append("Too few labels to tell arms apart.")
    return f"<p>{' '.join(said)}</p>"


def _weakest(surface: AccuracySurface) -> tuple[str, list[_Line]]:
    """Return the weak slices, or the most surely bad arms if there are none, and their title."""
    found = surface.slices()
    if found:
        more = f", {_SHOWN_SLICES} of {len(found):,}" if len(found) > _SHOWN_SLICES else ""
        title = f"Weak slices{more}: clearly {found.side} {found.bar:.1%}, most wrong rows first."
        estimates = ((part.name, part.estimate) for part in found.found[:_SHOWN_SLICES])
        return title, [
            _Line(name, e.mean, e.lower, e.upper, e.n, e.support) for name, e in estimates
        ]
    names = surface.space.names
    worst = surface.rows_at(surface.worst_first()[:_SHOWN_SLICES])
    title = f"No slice is clearly weaker than the whole. Of {surface.arms.size:,} arms, the most "
    return f"{title}surely bad:", [
        _Line(
            ", ".join(f"{name} = {row[name]}" for name in names),
            *(row[c] for c in ("mean", "lower", "upper", "n", "support")),
        )
        for row in worst.iter_rows(named=True)
    ]


def _bars(surface: AccuracySurface, lines: list[_Line]) -> str:
    """Return a table with one bar per line, on one axis with the whole."""
    whole = surface.overall.mean
    axis = axis_of([whole, *(end for line in lines for end in (line.lower, line.upper))])
    ends = f"{100 * axis.low:.0f} to {100 * axis.high:.0f}%"
    head = _row(["", ends, surface.measure, f"{surface.level:.0%} interval", "labels", "rows"])
    body = "".join(
        _row(
            [
                html_text(line.name),
                _bar(line, axis, whole),
                f"<b>{line.mean:.1%}</b>",
                f"{line.lower:.1%} to {line.upper:.1%}",
                count_text(line.n),
                count_text(line.support),
            ],
            is_safe=True,
        )
        for line in lines
    )
    return f"{_TABLE}{head}{body}</table>"


def _bar(line: _Line, axis: Axis, whole: float) -> str:
    """Return an interval with its mean, and a thin line where the whole is."""
    left, right, middle, beside = (
        100.0 * axis.at(value) for value in (line.lower, line.upper, line.mean, whole)
    )
    marks = (
        (left, right - left, "36%", "28%", f"rgba({_BLUE},.55)"),
        (beside, 0.0, "0", "0", f"rgba({_GREY},.9)"),
        (middle, 0.0, "15%", "15%", f"rgb({_ORANGE})"),
    )
    drawn = "".join(
        f'<span style="position:absolute;left:{at:.1f}%;width:{wide:.1f}%;min-width:2px;'
        f'top:{top};bottom:{bottom};background:{colour}"></span>'
        for at, wide, top, bottom, colour in marks
    )
    return (
        '<span style="position:relative;display:inline-block;width:160px;height:16px;'
        f'background:rgba({_GREY},.15)">{drawn}</span>'
    )


def _heat(surface: AccuracySurface, table: HeatTable) -> str:
    """Return the accuracy by two attributes: bluer is better than the whole, oranger worse."""
    whole = surface.overall.mean
    known = {(i, j): ends for i, j, *ends in table.boxes}
    head = _row([f"{table.rows} \\ {table.columns}", *map(str, table.across)])
    body = []
    for i, value in enumerate(table.down):
        there = (known.get((i, j)) for j in range(len(table.across)))
        boxes = [_box(ends, whole, surface.is_error) for ends in there]
        name = f'<td style="{_CELL.format("left")}">{html_text(str(value))}</td>'
        body.append(f"<tr>{name}{''.join(boxes)}</tr>")
    sides = ("below", "above") if surface.is_error else ("above", "below")
    note = (
        f"{surface.measure.capitalize()} in % by {table.rows} and {table.columns}; blue is "
        f"{sides[0]} the whole, {whole:.1%}, and orange {sides[1]}.{_left_out(surface, table)}"
    )
    return f"<p>{html_text(note)}</p>{_TABLE}{head}{''.join(body)}</table>"


def _left_out(surface: AccuracySurface, table: HeatTable) -> str:
    """Return which values there was no room for."""
    shown = {table.rows: len(table.down), table.columns: len(table.across)}
    size = {name: surface.space.attribute(name).size for name in shown}
    parts = [
        f"{n} of {size[name]} values of {name}" for name, n in shown.items() if n < size[name]
    ]
    return f" Shown are {' and '.join(parts)}, those with the most rows." if parts else ""


def _box(ends: list[float] | None, whole: float, is_error: bool) -> str:
    if ends is None:
        return f'<td style="{_CELL.format("center")}"></td>'
    mean, lower, upper = ends
    apart = (whole - mean) if is_error else (mean - whole)
    opacity = min(abs(apart) / _FULL, 1.0) * _STRONGEST
    colour = f"rgba({_BLUE if apart > 0.0 else _ORANGE},{opacity:.2f})"
    style = f"padding:2px 8px;text-align:center;border:1px solid rgba({_GREY},.25)"
    return (
        f'<td title="{lower:.1%} to {upper:.1%}" style="{style};background:{colour}">'
        f"{100 * mean:.0f}</td>"
    )


def _row(texts: list[str], *, is_safe: bool = False) -> str:
    """Return a line of a table, a head unless its texts are HTML already."""
    tag = "td" if is_safe else "th"
    cells = (
        f'<{tag} style="{_CELL.format("right" if k > 1 and is_safe else "left")}'
        f'{"" if k else ";white-space:normal"}">'
        f"{text if is_safe else html_text(text)}</{tag}>"
        for k, text in enumerate(texts)
    )
    return f"<tr>{''.join(cells)}</tr>"
