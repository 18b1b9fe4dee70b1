"""A gate as a Markdown table, as GitHub shows it on the page of a workflow run."""

from __future__ import annotations

import re
from pathlib import Path

from accuracy_assay.errors import InputError
from accuracy_assay.reports.checks import Gate
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["add_summary", "summary_table"]

_MARKS = {"pass": "✅ pass", "fail": "❌ fail", "not enough labels": "❔ not enough labels"}
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~$@])")
"""What Markdown would read as more than text: tables, emphasis, links, pictures, people."""


def summary_table(gate: Gate, title: str) -> str:
    """Return the gate as a heading and a table; names and values are shown as they are."""
    lines = [
        f"### {_cell(title)}: {_MARKS[gate.verdict]}",
        "",
        "| check | verdict | found |",
        "|---|---|---|",
    ]
    for check in gate:
        found = ". ".join([check.says, *check.remarks])
        lines.append(f"| {_cell(check.name)} | {_MARKS[check.verdict]} | {_cell(found)} |")
    return "\n".join([*lines, "", f"{gate.labels:,.0f} labels.", "", ""])


def add_summary(gate: Gate, path: str | Path, title: str) -> Path:
    """Append the table to a file, which other steps may have written to, and return its path."""
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(summary_table(gate, title))
    except OSError as error:
        raise InputError(
            f"summary must be a file that may be written; got {str(path)!r}: {error.strerror}."
        ) from None
    return Path(path)


def _cell(text: str) -> str:
    shown = visible_text(text, keep="").replace("&", "&amp;").replace("<", "&lt;")
    return _MARKUP.sub(r"\\\1", shown.replace(">", "&gt;"))
