"""The report in a terminal: a summary, weak slices and arms beside the truth, a curve of error.

Names and values come from outside and are shown as they are, never read as markup.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from accuracy_assay.domain.rows_right import rows_right
from accuracy_assay.domain.slices import WeakSlices
from accuracy_assay.metrics.scores import check_intervals
from accuracy_assay.reports.axis import WHOLE, Axis, axis_of
from accuracy_assay.reports.report import MOST_SLICES, TOO_FEW_LABELS, Report
from accuracy_assay.reports.verdict import verdict
from accuracy_assay.runtime.number_text import count_text
from accuracy_assay.runtime.visible_text import visible_text

__all__ = [
    "curves_table",
    "interval_bar",
    "slices_table",
    "sparkline",
    "summary",
    "titled",
    "weak_table",
]

_BLOCKS = "▁▂▃▄▅▆▇█"
"""From an eighth of a line's height to the whole."""
_ROUNDING = 1e-9
"""Of a place on an axis: a value at the start of a mark belongs to it."""
_NAME_ROOM = 30
"""Characters that names of slices and arms get at least, before bars do."""
_ENDLESS = 10_000
"""Characters: a width at which no table wraps."""
_SURE = 0.99
"""The highest probability that is said as a number: draws can tell no more."""

_IntervalRow: TypeAlias = tuple[str, tuple[float, float, float], float | None, tuple[str, ...]]
"""A name, the mean with the ends of its interval, the truth if it is known, and further cells."""


def summary(report: Report) -> RenderableType:
    """Return the verdict and the key numbers of a report, one per line."""
    surface = report.surface
    overall, equal = report.overall, report.equal
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    grid.add_row(
        Text(f"overall {visible_text(surface.measure)}"),
        Text.assemble(
            (f"{overall.mean:.1%}", "bold"),
            f" {overall.about}  ({surface.level:.0%} interval {overall.lower:.1%} to "
            f"{overall.upper:.1%})",
        ),
    )
    if (other := report.other) is not None:
        figure = f"{other.mean:.1%} {other.about}  ({other.lower:.1%} to {other.upper:.1%})"
        grid.add_row("", figure)
    grid.add_row("equal weights", f"{equal.mean:.1%}  ({equal.lower:.1%} to {equal.upper:.1%})")
    if (check := report.check) is not None:
        grid.add_row(
            "without a model",
            f"{check['mean']:.1%}  ({check['lower']:.1%} to {check['upper']:.1%}, by how labels "
            "were drawn)",
        )
        if check["said"] is not None:
            grid.add_row("warning", Text(check["said"], style="bold red"))
    grid.add_row(
        "arms",
        f"{int((surface.support > 0.0).sum()):,} in the pool: "
        f"{int((surface.status == 0).sum()):,} estimated, "
        f"{int((surface.status == 1).sum()):,} rest mostly on arms like them",
    )
    grid.add_row("labels", surface.said_of_labels)
    if (trust := surface.label_trust) is not None:
        grid.add_row("trust", Text(str(trust), "" if trust.is_verified else "yellow"))
    for said in surface.said_of_judges:
        grid.add_row("judge", Text(visible_text(said)))
    if (missing := surface.missing_answers) is not None:
        grid.add_row("no answer", Text(str(missing), "yellow" if missing.rule == "drop" else ""))
    if not surface.tells_arms_apart:
        grid.add_row("", Text(TOO_FEW_LABELS, "yellow"))
    if report.truth is not None:
        for check in check_intervals(surface, report.truth).head(1).iter_rows(named=True):
            grid.add_row(
                "intervals",
                f"{check['covered']:.0%} hold the truth (promised {surface.level:.0%}, checked "
                f"on {check['arms']:,} arms)",
            )
    return Group(_literal(report.title, "bold"), _literal(verdict(report)), grid)


def slices_table(
    report: Report,
    found: WeakSlices | None = None,
    *,
    count: int | None = MOST_SLICES,
    bar_width: int = 15,
) -> RenderableType:
    """Return weak slices, by default the report's, most pool rows that go wrong first.

    ``count`` is how many are shown at most, None for all.
    """
    found = report.slices if found is None else found
    looked = f"{found.searched:,} slices looked at"
    if not found:
        return Text(f"No slice is clearly weaker than the whole{_none_beyond(found)} ({looked}).")
    shown = found.found[:count]
    rows: list[_IntervalRow] = [
        (
            part.name + (" ?" if part.is_thin else ""),
            (part.estimate.mean, part.estimate.lower, part.estimate.upper),
            report.truth_where(part.where),
            (
                f"{part.wrong:,.0f}",
                f"{part.estimate.support:,.0f}",
                count_text(part.estimate.n),
                f">{_SURE:.0%}" if part.chance_below > _SURE else f"{part.chance_below:.0%}",
            ),
        )
        for part in shown
    ]
    columns = ("go wrong", "rows", "labels", "chance")
    table = _IntervalTable(report, "slice", columns, rows, bar_width)
    is_thin = any(part.is_thin for part in shown)
    notes = ["? few labels of its own: the slice rests on its neighbours."] * is_thin
    if more := len(found) - len(shown):
        notes.append(f"{more:,} more, where fewer rows go wrong: assay slices lists all.")
    title = f"Weak slices: clearly {found.side} {found.bar:.1%} ({looked})"
    return titled(title, table, " ".join(notes))


def _none_beyond(found: WeakSlices) -> str:
    """Return what no slice is, in words; a bar that no accuracy can be beyond is not named."""
    if not found.searched:
        return ": none is large enough to tell"
    return f": none {found.side} {found.bar:.1%}" if 0.0 < found.bar < 1.0 else ""


def weak_table(report: Report, count: int = 12, *, bar_width: int = 15) -> RenderableType:
    """Return the arms that are clearly weaker than the whole, or a line if there are none."""
    surface = report.surface
    truth = report.truth_by_arm()
    every = report.weak_arms()
    weak = every[:count]
    if not weak.size:
        return Text(f"No single arm is clearly weaker than the whole, {report.overall.mean:.1%}.")
    rows: list[_IntervalRow] = [
        (
            ", ".join(str(v) for v in surface.space.describe(int(surface.arms[i])).values()),
            (surface.mean[i], surface.lower[i], surface.upper[i]),
            None if np.isnan(truth[i]) else float(truth[i]),
            (count_text(surface.n[i]), in_rows or f"{surface.support[i]:,.0f}"),
        )
        for i, in_rows in zip(weak, rows_right(surface, weak), strict=True)
    ]
    names = ", ".join(surface.space.names)
    table = _IntervalTable(report, names, ("labels", "rows"), rows, bar_width)
    title = (
        f"Arms that are clearly weaker, {weak.size:,} of {every.size:,}: the whole "
        f"{surface.level:.0%} interval lies {report.slices.side} {report.overall.mean:.1%}"
    )
    return titled(title, table)


def curves_table(report: Report, metric: str = "macro_mse", *, width: int = 30) -> Table:
    """Return one line per method: its first and last value of ``metric`` and a small curve.

    The curves share one scale that starts at zero.
    """
    name = {"macro_mse": "macro MSE x100"}.get(metric, metric)
    table = Table(title=f"{name} against labels", title_justify="left", box=None, pad_edge=False)
    table.add_column("method")
    table.add_column("", no_wrap=True)
    table.add_column("at first", justify="right", no_wrap=True)
    table.add_column("at last", justify="right", no_wrap=True)
    table.add_column("labels", justify="right", no_wrap=True)
    curves = {k: f for k, f in report.curves.items() if metric in f.columns}
    top = max((_largest(f.get_column(metric)) for f in curves.values()), default=1.0)
    for k, (method, frame) in enumerate(curves.items()):
        values = [float(v) for v in frame.get_column(metric)]
        labels = frame.get_column("labels")
        table.add_row(
            _literal(method, "bold" if k == 0 else ""),
            Text(sparkline(values, top=top, width=width), style="cyan" if k == 0 else "dim"),
            f"{values[0]:.2f}",
            f"{values[-1]:.2f}",
            f"{labels[0]:,} to {labels[-1]:,}",
        )
    return table


def interval_bar(
    mean: float, lower: float, upper: float, truth: float, width: int, axis: Axis = WHOLE
) -> Text:
    """Return an interval on an axis: ``━`` its reach, ``●`` the mean, ``┃`` the truth.

    A truth of NaN is left out; where mean and truth meet, the truth is drawn.
    """

    def at(value: float) -> int:
        return min(int(axis.at(value) * width + _ROUNDING), width - 1)

    marks = ["·"] * width
    marks[at(lower) : at(upper) + 1] = "━" * (at(upper) - at(lower) + 1)
    marks[at(mean)] = "●"
    if not np.isnan(truth):
        marks[at(truth)] = "┃"
    text = Text("".join(marks), style="dim")
    text.stylize("not dim blue", at(lower), at(upper) + 1)
    text.stylize("not dim bold blue", at(mean), at(mean) + 1)
    if not np.isnan(truth):
        text.stylize("not dim bold yellow", at(truth), at(truth) + 1)
    return text


def sparkline(values: Sequence[float], *, top: float | None = None, width: int = 30) -> str:
    """Return a curve as text, at most ``width`` blocks, on a scale from 0 to ``top``.

    Examples
    --------
    >>> sparkline([8.0, 4.0, 2.0, 1.0])
    '█▄▂▁'
    """
    if not len(values):
        return ""
    high = max(values) if top is None else top
    picked = np.linspace(0, len(values) - 1, min(width, len(values))).round().astype(int)
    heights = [values[i] / high * len(_BLOCKS) if high > 0.0 else 0.0 for i in picked]
    return "".join(_BLOCKS[min(max(int(np.ceil(h)) - 1, 0), len(_BLOCKS) - 1)] for h in heights)


@dataclass(frozen=True, slots=True)
class _IntervalTable:
    """A table of intervals on one axis, beside the truth where the report knows it.

    Where bars would leave too little room for names, there are none: the figures say the same.
    """

    report: Report
    name: str
    columns: Sequence[str]
    rows: Sequence[_IntervalRow]
    bar_width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self.table(has_bars=True)
        longest = max(len(name) for name, *_ in self.rows)
        others = (
            console.measure(table, options=options.update(max_width=_ENDLESS)).maximum - longest
        )
        yield self.table(has_bars=options.max_width - others >= min(longest, _NAME_ROOM))

    def table(self, *, has_bars: bool) -> Table:
        """Return the table, with or without bars."""
        known = [v for _, ends, truth, _ in self.rows for v in (*ends, truth) if v is not None]
        axis, width = axis_of(known), self.bar_width
        has_truth = self.report.truth is not None
        table = Table(box=None, pad_edge=False)
        table.add_column(_literal(self.name))
        if has_bars:
            table.add_column(_scale(axis, width), no_wrap=True, min_width=width)
        for head in (self.report.surface.measure, *(["truth"] * has_truth), *self.columns):
            table.add_column(_literal(head), justify="right", no_wrap=True)
        for label, ends, truth, cells in self.rows:
            shown = "–" if truth is None else f"{truth:.0%}"
            mark = np.nan if truth is None else truth
            bar = [interval_bar(*ends, mark, width, axis)] * has_bars
            table.add_row(_literal(label), *bar, _figure(*ends), *([shown] * has_truth), *cells)
        return table


def titled(title: str, table: RenderableType, note: str = "") -> Group:
    """Return a table under its title, which may be wider than the table."""
    notes = [Text(note, style="dim")] if note else []
    return Group(_literal(title, "italic"), table, *notes)


def _scale(axis: Axis, width: int) -> str:
    """Return the ends of an axis as the heading of its column."""
    low, high = f"{100 * axis.low:.0f}", f"{100 * axis.high:.0f}%"
    return low + " " * max(width - len(low) - len(high), 1) + high


def _figure(mean: float, lower: float, upper: float) -> Text:
    return Text.assemble((f"{mean:.0%}", "bold"), f" {f'{100 * lower:.0f}–{100 * upper:.0f}':>6}")


def _literal(text: str, style: str = "") -> Text:
    return Text(visible_text(text), style=style)


def _largest(column: pl.Series) -> float:
    return float(column.to_numpy().max())
