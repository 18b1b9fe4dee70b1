"""The file of a plan by price: which rows go to people and which to judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from accuracy_assay.study.plan.by_price import PricePlan

__all__ = ["PlanFile", "bought", "show_plan"]

PlanFile = Annotated[
    Path | None,
    typer.Option("--plan", help="File that assay plan --price wrote: only its rows."),
]


def bought(path: Path, who: Literal["people", "judges"]) -> tuple[list[Any], set[str]]:
    """Return the ids of the rows that a plan gives to people or to judges, and which judges."""
    import polars as pl

    from accuracy_assay.files.tables import read_table, require_columns
    from accuracy_assay.study.plan.by_price import AND

    table = read_table(path, what="plan")
    require_columns(table, ["id", "people", "judges"])
    judges = table.get_column("judges").cast(pl.String).fill_null("")
    is_bought = judges != "" if who == "judges" else table.get_column("people").cast(pl.Boolean)
    named = {name for each in judges.unique().to_list() for name in each.split(AND) if name}
    return table.filter(is_bought).get_column("id").to_list(), named


def show_plan(found: PricePlan, out: Path | None, *, as_json: bool) -> None:
    """Write and show what goes to whom, what it costs and what that saves."""
    from accuracy_assay.cli.console import frame_table, one_line, print_json, remark, results
    from accuracy_assay.files.tables import write_csv

    if out is not None:
        write_csv(found.rows(), out)
    if as_json:
        print_json(found.to_dict())
        return
    results().print(one_line(found), soft_wrap=True)
    results().print(frame_table(found.arms))
    if out is not None:
        remark(f"wrote {one_line(out)}")
