"""A watch in words: the verdict first, then what is lost and gained where."""

from __future__ import annotations

from typing import Any, Protocol

import polars as pl

from accuracy_assay.reports.escaping import markdown_text
from accuracy_assay.reports.verdict import share_text
from accuracy_assay.runtime.number_text import plural, points_text
from accuracy_assay.runtime.visible_text import visible_text
from accuracy_assay.study.watch.times import time_text

__all__ = ["watch_lines", "watch_markdown", "watch_notes"]

_SHOWN = 5
"""Alarms that are put in words; tables have all."""
_NARROW = 0.03
"""An interval of fewer points has ends with a decimal."""


class Findings(Protocol):
    """What is put in words: the fields of a `Watch`."""

    @property
    def verdict(self) -> str: ...
    @property
    def found(self) -> pl.DataFrame: ...
    @property
    def found_gains(self) -> pl.DataFrame: ...
    @property
    def found_shifts(self) -> pl.DataFrame: ...
    @property
    def found_versions(self) -> pl.DataFrame: ...
    @property
    def watched(self) -> pl.DataFrame: ...
    @property
    def labels(self) -> tuple[int, int]: ...
    @property
    def tolerance(self) -> float: ...
    @property
    def baseline(self) -> str: ...
    @property
    def last(self) -> str: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...


def watch_lines(watch: Findings) -> list[str]:
    """Return what ``print`` shows, a line each."""
    alarms: list[dict[str, Any]] = watch.found.to_dicts()
    first, others = (alarms[0] if alarms else None), alarms[1:]
    lines = [_headline(watch, first)]
    if others:
        lines += ["Alarmed later, not necessarily apart from that:", *_list(others)]
    if watch.found_gains.height:
        lines += ["Better:", *_list(watch.found_gains.to_dicts())]
    return [*(visible_text(line, keep="") for line in lines), *watch_notes(watch)]


def watch_notes(watch: Findings) -> list[str]:
    """Return what is said below alarms and gains, a line each."""
    labels = f"{plural(watch.labels[1], 'label')} after {watch.labels[0]:,} of the baseline"
    lines = [
        *_shifts(watch.found_shifts),
        *_versions(watch.found_versions),
        f"Watched: {plural(watch.watched.height, 'slice')}, {labels}.",
        *watch.remarks,
    ]
    return [visible_text(line, keep="") for line in lines]


def watch_markdown(watch: Findings, title: str) -> str:
    """Return the watch as Markdown: the verdict, a table of alarms and gains, the remarks."""
    marks = {"alarm": "❌ alarm", "no alarm": "✅ no alarm"}
    mark = marks.get(watch.verdict, f"❔ {watch.verdict}")
    lines = [f"### {markdown_text(title)}: {mark}", "", markdown_text(watch_lines(watch)[0]), ""]
    for table, change in ((watch.found, "loss"), (watch.found_gains, "gain")):
        if not table.height:
            continue
        lines.append(f"| slice | before | now | {change} | since | found |")
        lines.append("|---|---|---|---|---|---|")
        for row in table.to_dicts():
            cells = [
                markdown_text(row["slice"]),
                share_text(row["before"]),
                share_text(row["now"]),
                f"{_ends(row)} points",
                markdown_text(time_text(row["since"])),
                f"{markdown_text(time_text(row['time']))}, after {plural(row['labels'], 'label')}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    said = [*_shifts(watch.found_shifts), *_versions(watch.found_versions), *watch.remarks]
    return "\n".join(
        [*lines, *(f"- {markdown_text(text.removeprefix('- '))}" for text in said), ""]
    )


def _headline(watch: Findings, first: dict[str, Any] | None) -> str:
    if first is not None:
        return f"Alarm: {_said(first)}."
    if watch.verdict == "not enough labels":
        least = min(watch.labels)
        side = "in the baseline" if watch.labels[0] == least else f"after {watch.baseline}"
        return f"Not enough labels to watch: {plural(least, 'label')} {side}."
    return (
        f"No alarm: nothing has been shown to have lost more than "
        f"{points_text(watch.tolerance).removesuffix('.0')} points between {watch.baseline} and "
        f"{watch.last}."
    )


def _said(row: dict[str, Any]) -> str:
    """Return an alarm or a gain in words, without a stop."""
    verb = "fell" if "loss" in row else "rose"
    place = "overall" if row["slice"] == "overall" else f"where {row['slice']}"
    return (
        f"accuracy {verb} from {share_text(row['before'])} to {share_text(row['now'])} {place} "
        f"({_ends(row)} points; likely since {time_text(row['since'])}, found "
        f"{time_text(row['time'])} after "
        f"{plural(row['labels'], 'label')})"
    )


def _ends(row: dict[str, Any]) -> str:
    digits = 0 if row["upper"] - row["lower"] >= _NARROW else 1
    return f"{100.0 * row['lower']:.{digits}f} to {100.0 * row['upper']:.{digits}f}"


def _list(rows: list[dict[str, Any]]) -> list[str]:
    more = [f"- and {plural(len(rows) - _SHOWN, 'slice')} more"] if len(rows) > _SHOWN else []
    return [*(f"- {_said(row)}" for row in rows[:_SHOWN]), *more]


def _versions(versions: pl.DataFrame) -> list[str]:
    """Return which versions answered since when, the latest last."""
    new = versions.tail(max(versions.height - 1, 0))
    if not new.height:
        return []
    latest = new.tail(_SHOWN).select("version", "since").iter_rows()
    said = [f"{version} since {time_text(since)}" for version, since in latest]
    return [f"New versions: {', '.join(said)}."]


def _shifts(shifts: pl.DataFrame) -> list[str]:
    """Return what rows without labels say, the largest expected change first."""
    moved = shifts.filter("is_shift").sort(pl.col("expected_change").abs(), descending=True)
    if not moved.height:
        return []
    said = []
    for row in moved.head(_SHOWN).to_dicts():
        share = f"{share_text(row['share_before'])} to {share_text(row['share_now'])} of the rows"
        few = f"; only {plural(row['labels_now'], 'label')} there, ask for more" * row["ask"]
        said.append(
            f"- {row['slice']}: {points_text(row['expected_change'], is_signed=True)} points "
            f"({points_text(row['lower'], is_signed=True)} to "
            f"{points_text(row['upper'], is_signed=True)}), {share}{few}"
        )
    more = [f"- and {plural(moved.height - _SHOWN, 'slice')} more"] * (moved.height > _SHOWN)
    return ["Unlabelled rows alone, if each kind of row is as accurate as it was:", *said, *more]
