"""A gate in a terminal: each check with its verdict, what was found, and what to know beside it.

Names and values come from outside and are shown as they are, never read as markup.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from accuracy_assay.reports.checks import Check, Gate
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["gate_table"]

_STYLES = {"pass": "bold green", "fail": "bold red", "not enough labels": "bold yellow"}


def gate_table(gate: Gate) -> RenderableType:
    """Return the checks in order, and the verdict of the whole gate."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for check in gate:
        grid.add_row(Text(check.verdict, _STYLES[check.verdict]), _told(check))
    n_checks = "1 check" if len(gate) == 1 else f"{len(gate)} checks"
    whole = Text.assemble(
        "the gate: ",
        (gate.verdict, _STYLES[gate.verdict]),
        f" ({n_checks}, {gate.labels:,.0f} labels)",
    )
    return Group(grid, whole)


def _told(check: Check) -> RenderableType:
    head = Text(visible_text(check.name), "bold")
    if check.name != check.asks:
        head.append(visible_text(f": {check.asks}"), "not bold")
    lines: list[RenderableType] = [head, Text(visible_text(check.says))]
    lines += [Text(visible_text(remark), "dim") for remark in check.remarks]
    return Padding(Group(*lines), (0, 0, 1, 0))
