"""``assay plan``: how many more labels a goal takes, and what they cost."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    RowOptions,
    SignalOptions,
    refuse_for_assay,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import MetricName, ServiceName

__all__ = ["plan"]


def plan(
    rows: Annotated[
        str,
        typer.Argument(help="Store of an assay; a table of the pool; or evaluation logs."),
    ],
    table: RowOptions,
    free: SignalOptions,
    fit: FitOptions,
    session: AssayOptions,
    half_width: Annotated[
        float | None,
        typer.Option(help="Half-width to reach: 0.05 is five percentage points to either side."),
    ] = None,
    goal: Annotated[
        str,
        typer.Option("--for", help="overall, worst, every-arm, slice or ranking."),
    ] = "overall",
    where: Annotated[
        list[str] | None, typer.Option("--where", help="attribute=value of a slice; repeat.")
    ] = None,
    cost_per_label: Annotated[
        float | None, typer.Option(help="Price of a label; that of the spec by default.")
    ] = None,
    service: ServiceName = None,
    metric: MetricName = None,
    strategy: Annotated[
        str | None, typer.Option(help="Name of the strategy, or module:Class.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Forecast how many more labels a goal takes, from the labels so far or from none.

    Example: [bold]assay plan my.assay --half-width 0.05 --for worst[/bold], or
    [bold]assay plan pool.csv -a sex -a age:30,60 --half-width 0.05[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import one_line, print_json, remarks, results
    from accuracy_assay.cli.parse import parse_conditions
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import read_table
    from accuracy_assay.study.plan import plan as study
    from accuracy_assay.study.read.open_rows import is_rows
    from accuracy_assay.study.read.spaces import resolve_space
    from accuracy_assay.study.read.texts import derive_values

    wanted: Any = goal
    if is_rows(rows):
        refuse_for_table("a plan", session)
        if table.pool is not None:
            raise InputError(
                "a plan must be made from one table of the pool; got --pool too. Leave it out."
            )
        scores = table.score or []
        first = scores[0] if len(scores) == 1 else None
        asked = read_rows(
            *(rows, table, free),
            what="a plan for a table",
            score=first,
            service=service,
            metric=metric,
            is_shared=goal == "ranking" or len(scores) > 1,
        )
        scores = scores or asked.scores_of_all(metric)
        columns, frame, _ = derive_values(asked.columns, asked.rows)
        frame = read_table(frame, what="pool")
        conditions = parse_conditions(where or [], resolve_space(columns.attributes, frame))
        with remarks().status("looking ahead"):
            found = study.plan(
                frame,
                columns,
                scores if len(scores) > 1 else None,
                half_width=half_width,
                of=wanted,
                where=conditions,
                **fit.methods(strategy=strategy or "variance-reduction"),
                cost_per_label=cost_per_label or 0.0,
                seed=fit.seed,
            )
    else:
        others = {"strategy": strategy, "metric": metric}
        refuse_for_assay("the plan of an assay", table, free, fit, **others)
        with session.open(rows, table.pool_path) as assay, remarks().status("looking ahead"):
            conditions = parse_conditions(where or [], assay.space)
            found = assay.plan(
                half_width,
                wanted,
                where=conditions,
                service=service,
                cost_per_label=cost_per_label,
            )
    if as_json:
        print_json(asdict(found))
    else:
        results().print(one_line(found), soft_wrap=True)
