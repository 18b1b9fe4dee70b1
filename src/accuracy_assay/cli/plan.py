"""``assay plan``: how many more labels a goal takes, what they cost, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from accuracy_assay.cli.options import (
    AGREEMENT,
    ATTRIBUTE,
    ESTIMATOR,
    AnswerForm,
    AsJson,
    Cluster,
    Judges,
    Referees,
    Seed,
    Settings,
    Signals,
)
from accuracy_assay.cli.session import AssayName, SeedSetPath, find_working_folder, open_assay

__all__ = ["plan"]


def plan(
    pool: Annotated[
        str, typer.Argument(help="Store of an assay, or a table: CSV, JSONL or Parquet.")
    ],
    half_width: Annotated[
        float | None,
        typer.Option(help="How narrow: 0.05 is five percentage points to either side."),
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
    service: Annotated[
        str | None, typer.Option(help="Which service, where an assay has several.")
    ] = None,
    attribute: Annotated[list[str] | None, ATTRIBUTE] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(help="Column of the scores so far, empty without a label; repeat to rank."),
    ] = None,
    y_pred: Annotated[
        str | None, typer.Option(help="Column of the prediction, for its referees.")
    ] = None,
    agreement: Annotated[str | None, AGREEMENT] = None,
    signal: Signals = None,
    referee: Referees = None,
    judge: Judges = None,
    answer_form: AnswerForm = False,
    cluster: Cluster = None,
    estimator: Annotated[str | None, ESTIMATOR] = None,
    strategy: Annotated[
        str | None, typer.Option(help="Name of the strategy, or module:Class.")
    ] = None,
    settings: Settings = None,
    seed: Seed = 0,
    name: AssayName = None,
    moved: Annotated[
        Path | None, typer.Option("--pool", help="Table of an assay's pool, if it has moved.")
    ] = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Forecast how many more labels a goal takes, from the labels so far or from none.

    Example: [bold]assay plan my.assay --half-width 0.05 --for worst[/bold], or
    [bold]assay plan pool.csv -a sex -a age:30,60 --half-width 0.05[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import one_line, print_json, remarks, results
    from accuracy_assay.cli.parse import parse_attributes, parse_conditions
    from accuracy_assay.cli.settings import with_settings
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import is_table, read_table
    from accuracy_assay.study.plan import plan as study
    from accuracy_assay.study.read.prepare import resolve_space
    from accuracy_assay.study.read.text_tables import derive_values

    wanted: Any = goal
    if is_table(pool):
        if not attribute:
            raise InputError("a plan for a table must have --attribute; got none.")
        find_working_folder()
        methods = {"estimator": estimator or "anova-gp"}
        methods["strategy"] = strategy or "variance-reduction"
        made = derive_values(parse_attributes(attribute), read_table(pool))
        table, attributes = made.rows, made.attributes
        conditions = parse_conditions(where or [], resolve_space(attributes, table))
        with remarks().status("looking ahead"):
            found = study.plan(
                table,
                attributes,
                score[0] if score and len(score) == 1 else score,
                half_width=half_width,
                of=wanted,
                where=conditions,
                y_pred=y_pred,
                agreement=agreement or "equal",
                signals=signal,
                referees=referee,
                judges=judge,
                answer_form=answer_form,
                cluster=cluster,
                **with_settings(methods, settings),
                cost_per_label=cost_per_label or 0.0,
                seed=seed,
            )
    else:
        for_tables = {
            "--attribute": attribute,
            "--score": score,
            "--y-pred": y_pred,
            "--agreement": agreement,
            "--signal": signal,
            "--referee": referee,
            "--judge": judge,
            "--answer-form": answer_form,
            "--cluster": cluster,
            "--estimator": estimator,
            "--strategy": strategy,
            "--set": settings,
        }
        if given := [option for option, value in for_tables.items() if value]:
            raise InputError(
                "the plan of an assay must follow its spec; got options that are for tables. "
                f"Leave out {', '.join(given)}."
            )
        with open_assay(pool, name, moved, seed_set) as assay, remarks().status("looking ahead"):
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
