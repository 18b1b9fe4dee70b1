"""The report in a terminal: a summary, the worst arms beside the truth, and a curve of error.

Names and values come from outside and are shown as they are, never read as markup.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.reports.intervals import check_intervals
from accuracy_assay.reports.report import TOO_FEW_LABELS, Report
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["curves_table", "interval_bar", "sparkline", "summary", "worst_table"]

_BLOCKS = "▁▂▃▄▅▆▇█"
"""From an eighth of a line's height to the whole."""


def summary(report: Report) -> RenderableType:
    """Return the key numbers of a report, one per line."""
    surface = report.surface
    overall = surface.overall
    pool = float(surface.support.sum())
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    grid.add_row(
        "overall accuracy",
        Text.assemble(
            (f"{overall.mean:.1%}", "bold"),
            f"  ({surface.level:.0%} interval {overall.lower:.1%} to {overall.upper:.1%})",
        ),
    )
    if (check := report.check) is not None:
        grid.add_row(
            "without a model",
            f"{check['mean']:.1%}  ({check['lower']:.1%} to {check['upper']:.1%}, by the chances "
            "of the labels)",
        )
        if check["said"] is not None:
            grid.add_row("warning", Text(check["said"], style="bold red"))
    grid.add_row(
        "arms",
        f"{int((surface.support > 0.0).sum()):,} in the pool: "
        f"{int((surface.status == 0).sum()):,} estimated, "
        f"{int((surface.status == 1).sum()):,} with insufficient evidence",
    )
    grid.add_row("labels", f"{surface.n_labels:,.0f} of {pool:,.0f} pool rows")
    if not surface.tells_arms_apart:
        grid.add_row("", Text(TOO_FEW_LABELS, "yellow"))
    if report.truth is not None:
        check = check_intervals(surface, report.truth).row(0, named=True)
        grid.add_row(
            "intervals",
            f"{check['covered']:.0%} hold the truth (promised {surface.level:.0%}, checked on "
            f"{check['arms']:,} arms)",
        )
    return Group(_literal(report.title, "bold"), grid)


def worst_table(report: Report, count: int = 12, *, bar_width: int = 15) -> Table:
    """Return the arms of `AccuracySurface.worst` with interval and, where known, the truth."""
    surface = report.surface
    truth = report.truth_by_arm()
    worst = surface.worst_first()[:count]
    title = f"The {worst.size} worst arms by the upper end of their {surface.level:.0%} interval"
    table = Table(
        title=title,
        caption=f"Arms with fewer than {LEAST_ACTIVE_ROWS} pool rows come last.",
        title_justify="left",
        caption_justify="left",
        box=None,
        pad_edge=False,
    )
    table.add_column(_literal(", ".join(surface.space.names)))
    table.add_column("0" + " " * (bar_width - 5) + "100%", no_wrap=True, min_width=bar_width)
    table.add_column("accuracy", justify="right", no_wrap=True)
    if report.truth is not None:
        table.add_column("truth", justify="right", no_wrap=True)
    table.add_column("labels", justify="right", no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    for i in worst:
        values = surface.space.describe(int(surface.arms[i])).values()
        mean, lower, upper = (float(c[i]) for c in (surface.mean, surface.lower, surface.upper))
        row: list[RenderableType] = [
            _literal(", ".join(str(v) for v in values)),
            interval_bar(mean, lower, upper, float(truth[i]), width=bar_width),
            Text.assemble(
                (f"{mean:.0%}", "bold"), f" {f'{100 * lower:.0f}–{100 * upper:.0f}':>6}"
            ),
        ]
        if report.truth is not None:
            row.append("–" if np.isnan(truth[i]) else f"{truth[i]:.0%}")
        table.add_row(*row, f"{surface.n[i]:.4g}", f"{surface.support[i]:,.0f}")
    return table


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


def interval_bar(mean: float, lower: float, upper: float, truth: float, *, width: int) -> Text:
    """Return an interval on a scale from 0 to 1: ``━`` its reach, ``●`` the mean, ``┃`` the truth.

    A truth of NaN is left out; where mean and truth meet, the truth is drawn.
    """

    def at(value: float) -> int:
        return min(int(value * width), width - 1)

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


def _literal(text: str, style: str = "") -> Text:
    return Text(visible_text(text), style=style)


def _largest(column: pl.Series) -> float:
    return float(column.to_numpy().max())
