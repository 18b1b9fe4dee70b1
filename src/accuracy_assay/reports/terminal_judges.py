"""Judges and referees in a terminal: what they are worth, and where not to trust a judge.

Names and values come from outside and are shown as they are, never read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from accuracy_assay.reports.judge_report import SLICE_COLUMNS, JudgeReport
from accuracy_assay.reports.terminal import titled
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["bias_bar", "contested_table", "judge_tables", "referees_table"]

_STYLES = {"lenient": "bold red", "harsh": "bold blue", "": ""}
_SCALE = 0.5
"""Bias at either end of a bar: 50 points."""


def judge_tables(report: JudgeReport, judge: str, count: int = 10) -> RenderableType:
    """Return the remarks on a judge, and its bias by value and by arm, clearest first."""
    lines = [Text(visible_text(line)) for line in report.remarks(judge)]
    values = report.values.filter(judge=judge).to_dicts()
    arms = report.arms.filter(judge=judge)
    names = [name for name in arms.columns if name not in ("judge", *SLICE_COLUMNS)]
    by_value = [(f"{row['attribute']} = {row['value']}", row) for row in values[:count]]
    by_arm = [(", ".join(str(row[n]) for n in names), row) for row in arms.head(count).to_dicts()]
    return Group(
        Text(visible_text(judge), style="bold"),
        *lines,
        _slices(by_value, "value", report.level, len(values)),
        _slices(by_arm, ", ".join(names), report.level, arms.height),
    )


def referees_table(frame: pl.DataFrame) -> RenderableType:
    """Return how accurate the service is by who agrees with it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("agreement")
    for name in ("accuracy", "labels", "rows"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in frame.to_dicts():
        cells = (f"{row['accuracy']:.0%}", f"{row['labels']:,.0f}", f"{row['rows']:,.0f}")
        table.add_row(Text(visible_text(row["stratum"])), *cells)
    return titled("Where referees agree with the service, and where not", table)


def contested_table(frame: pl.DataFrame, count: int = 5) -> RenderableType:
    """Return the first rows on which no two services agree, where a label tells most."""
    said = f"{frame.height:,} rows without a label on which no two services agree"
    table = Table(box=None, pad_edge=False)
    for name in frame.columns:
        table.add_column(Text(visible_text(name)))
    for row in frame.head(count).iter_rows():
        table.add_row(*(Text(visible_text(str(value))) for value in row))
    return titled(f"{said}; the first {min(count, frame.height)}", table)


def bias_bar(row: dict[str, Any], *, width: int = 15) -> Text:
    """Return an interval around zero, ``│``: to the right lenient, to the left harsh."""

    def at(value: float) -> int:
        place = int((value + _SCALE) / (2.0 * _SCALE) * width)
        return min(max(place, 0), width - 1)

    low, high, mean = at(row["lower"]), at(row["upper"]), at(row["bias"])
    marks = ["·"] * width
    marks[low : high + 1] = "━" * (high - low + 1)
    marks[width // 2] = "│"
    marks[mean] = "●"
    text = Text("".join(marks), style="dim")
    text.stylize(f"not dim {_STYLES[row['verdict']]}".strip(), low, high + 1)
    return text


def _slices(
    rows: Sequence[tuple[str, dict[str, Any]]], heading: str, level: float, n_all: int
) -> RenderableType:
    title = (
        f"Bias by {heading}, the clearest {len(rows)} of {n_all}: opinion less accuracy in "
        f"points, {level:.0%} intervals"
    )
    table = Table(box=None, pad_edge=False)
    table.add_column(Text(visible_text(heading)))
    table.add_column("harsh  lenient", no_wrap=True, min_width=15)
    for name in ("bias", "opinion", "accuracy", "labels", "rows"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for name, row in rows:
        ends = f"{100 * row['lower']:+.0f}..{100 * row['upper']:+.0f}"
        table.add_row(
            Text(visible_text(name)),
            bias_bar(row),
            f"{100 * row['bias']:+.0f} {ends:>8}",
            f"{row['opinion']:.0%}",
            f"{row['accuracy']:.0%}",
            f"{row['n']:,.0f}",
            f"{row['support']:,.0f}",
            Text(row["verdict"], style=_STYLES[row["verdict"]]),
        )
    return titled(title, table)
