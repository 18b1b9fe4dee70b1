"""``assay plan``: how many more labels a goal takes, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from accuracy_assay.cli.price_plan import show_plan
from accuracy_assay.cli.session import MetricName, ServiceName

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.cli.log_rows import AskedRows
    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.study.plan.by_price import PricePlan

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
        typer.Option(
            help="Half-width to reach: 0.05 is five percentage points to either side; by default "
            "half of what it is now."
        ),
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
    price: Annotated[
        list[str] | None,
        typer.Option(
            "--price",
            help="people=50, or judge=1: share out rows by price; repeat for each. Of an assay, "
            "the spec's prices by default.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="CSV file of which rows go to people and which to judges, by price."),
    ] = None,
    passes: Annotated[
        list[str] | None,
        typer.Option(help="By price: verdict of the judge that passes an answer; repeat."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Forecast how many more labels a goal takes, from the labels so far or from none.

    Example: [bold]assay plan my.assay[/bold], which halves the interval of the overall accuracy,
    [bold]assay plan my.assay --half-width 0.05 --for worst[/bold], or
    [bold]assay plan pool.csv -a sex -a age:30,60 --half-width 0.05[/bold]

    With prices of people and judges, which rows go to whom:
    [bold]assay plan pool.csv -a sex --score right --judge llm --price people=50 --price llm=1
    --half-width 0.02[/bold]; or [bold]assay plan my.assay --half-width 0.02 --out buy.csv[/bold]
    by the prices of the spec, and then [bold]assay run my.assay --plan buy.csv[/bold] and
    [bold]assay ask my.assay --plan buy.csv[/bold].
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import one_line, print_json, remarks, results
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.parse import parse_conditions
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import read_table
    from accuracy_assay.study.plan import plan as study
    from accuracy_assay.study.read.open_rows import is_rows
    from accuracy_assay.study.read.spaces import resolve_space
    from accuracy_assay.study.read.texts import derive_values

    require_outputs({"plan": out}, [rows, table.pool, session.seed_set])
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
        if price:
            shared = _by_price(asked, fit.seed, passes or (), **_priced(price, half_width, goal))
            show_plan(shared, out, as_json=as_json)
            return
        scores = scores or asked.scores_of_all(metric)
        columns, frame, _ = derive_values(asked.columns, asked.rows)
        frame = read_table(frame, what="pool")
        conditions = parse_conditions(where or [], resolve_space(columns.attributes, frame))
        _say_missing(columns, frame)
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
        groups = (table, free, fit)
        refuse_for_assay("the plan of an assay", *groups, **others)
        with session.open(rows, table.pool_path) as assay, remarks().status("looking ahead"):
            if price or out is not None:
                options = {**_priced(price or (), half_width, goal), "passes": passes or ()}
                shared = assay.plan_by_price(service=service, **options)
                show_plan(shared, out, as_json=as_json)
                return
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


def _say_missing(columns: Columns, frame: pl.DataFrame) -> None:
    """Say how many labelled rows have no answer, if that decides their score."""
    from accuracy_assay.cli.console import remark

    if columns.label not in frame.columns or columns.annotator is not None:
        return
    found = columns.missing_answers(frame.drop_nulls(str(columns.label)), warn=False)
    if found is not None and found.rows and found.rule == "wrong":  # else a warning says it
        remark(str(found))


def _priced(price: Sequence[str], half_width: float | None, goal: str) -> dict[str, Any]:
    """Return what a plan by price asks for."""
    from accuracy_assay.cli.parse import parse_prices
    from accuracy_assay.errors import InputError

    if half_width is None:
        raise InputError("a plan by price must have --half-width; got none.")
    return {"prices": parse_prices(price), "half_width": half_width, "of": goal}


def _by_price(asked: AskedRows, seed: int, passes: Sequence[str], **options: Any) -> PricePlan:
    """Share out rows of a table between people and judges."""
    from dataclasses import replace

    from accuracy_assay.study.plan.by_price import plan_by_price

    columns = replace(asked.columns, judges=())
    judges = asked.columns.judges
    return plan_by_price(asked.rows, columns, judges=judges, passes=passes, seed=seed, **options)
