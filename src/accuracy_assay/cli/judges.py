"""``assay judges``: what judges and referees are worth, and where judges are lenient or harsh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.reports.judge_report import JudgeReport

__all__ = ["judges"]


def judges(
    rows: Annotated[
        str,
        typer.Argument(help="Store of an assay; or labelled rows: CSV, JSONL or Parquet."),
    ],
    attribute: Annotated[list[str] | None, ATTRIBUTE] = None,
    score: Annotated[str | None, typer.Option(help="Column of the score, in [0, 1].")] = None,
    y_true: Annotated[str | None, typer.Option(help="Column of the truth.")] = None,
    y_pred: Annotated[str | None, typer.Option(help="Column of the prediction.")] = None,
    agreement: Annotated[str, AGREEMENT] = "equal",
    pool: Annotated[
        Path | None, typer.Option(help="Table of all rows, the labelled ones among them.")
    ] = None,
    judge: Judges = None,
    signal: Signals = None,
    referee: Referees = None,
    answer_form: AnswerForm = False,
    cluster: Cluster = None,
    estimator: Annotated[str | None, ESTIMATOR] = None,
    settings: Settings = None,
    seed: Seed = 0,
    service: Annotated[
        str | None, typer.Option(help="Which service, where an assay has several.")
    ] = None,
    name: AssayName = None,
    seed_set: SeedSetPath = None,
    count: Annotated[
        int, typer.Option("--count", min=1, help="Values, arms and contested rows to show.")
    ] = 10,
    picture: Annotated[
        Path | None, typer.Option(help="Picture of the first judge's bias: PNG, PDF or SVG.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how often judges prefer the right answer, where they are lenient or harsh, and more.

    Beside them: how accurate the service is where its referees agree, and the rows on which no two
    services do.

    Example: [bold]assay judges my.assay --service acme[/bold], or
    [bold]assay judges labelled.csv --pool pool.csv -a topic --score right --judge llm[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark, remarks, results
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.parse import parse_attributes
    from accuracy_assay.cli.settings import with_settings
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import is_table, read_table
    from accuracy_assay.reports.judge_picture import write_judge_picture
    from accuracy_assay.reports.terminal_judges import (
        contested_table,
        judge_tables,
        referees_table,
    )
    from accuracy_assay.session import opinions as of_session
    from accuracy_assay.study.judges.report import judge_report
    from accuracy_assay.study.judges.signal_strata import referee_report
    from accuracy_assay.study.read.text_tables import derive_values

    require_outputs({"picture": picture}, [rows, pool, seed_set])
    contested: pl.DataFrame | None = None
    if is_table(rows):
        if not attribute or not (judge or referee):
            raise InputError(
                "judges of a table must have --attribute, and --judge or --referee; got "
                f"{attribute or 'none'}, {judge or 'none'} and {referee or 'none'}."
            )
        find_working_folder()
        # Tables are read once, since the standard input cannot be read again.
        every = None if pool is None else read_table(pool, what="pool")
        made = derive_values(parse_attributes(attribute), read_table(rows), every)
        options: dict[str, Any] = {
            "y_true": y_true,
            "y_pred": y_pred,
            "agreement": agreement,
            "pool": made.pool,
            "signals": signal or (),
            "referees": referee or (),
            "answer_form": answer_form,
            "cluster": cluster,
            **with_settings({"estimator": estimator or "anova-gp"}, settings),
            "seed": seed,
        }
        found: JudgeReport | None = None
        with remarks().status("fitting"):
            given = (made.rows, made.attributes, score)
            if judge:
                found = judge_report(*given, judges=judge, **options)
            agreeing = referee_report(*given, **options) if referee else None
    else:
        for_rows = {
            "--attribute": attribute,
            "--score": score,
            "--y-true": y_true,
            "--y-pred": y_pred,
            "--judge": judge,
            "--signal": signal,
            "--referee": referee,
            "--answer-form": answer_form,
            "--cluster": cluster,
            "--estimator": estimator,
            "--set": settings,
        }
        if given_for_rows := [option for option, value in for_rows.items() if value]:
            raise InputError(
                "the judges of an assay must be those of its spec; got options that are for "
                f"labelled rows. Leave out {', '.join(given_for_rows)}."
            )
        with open_assay(rows, name, pool, seed_set) as assay, remarks().status("fitting"):
            found = of_session.judge_report(assay.session, service)
            agreeing = of_session.referee_table(assay.session, service)
            contested = of_session.contested_rows(assay.session)
    if picture is not None:
        if found is None:
            raise InputError("a picture must have a judge to show; got none with labels.")
        write_judge_picture(found, picture)
    if as_json:
        print_json(_as_dict(found, agreeing, contested, count))
        return
    out = results()
    for one in () if found is None else found.judges.get_column("judge").to_list():
        assert found is not None
        out.print(judge_tables(found, one, count))
    if found is None:
        out.print("no judge has judged every row, or there are no labels yet")
    if agreeing is not None:
        out.print(referees_table(agreeing))
    if contested is not None and contested.height:
        out.print(contested_table(contested, count))
    if picture is not None:
        remark(f"wrote {one_line(picture)}")


def _as_dict(
    found: JudgeReport | None,
    agreeing: pl.DataFrame | None,
    contested: pl.DataFrame | None,
    count: int,
) -> dict[str, Any]:
    """Return the report for programs; of contested rows how many, and the first ones."""
    tables = ("judges", "values", "arms")
    return {
        **{table: [] if found is None else getattr(found, table).to_dicts() for table in tables},
        "referees": [] if agreeing is None else agreeing.to_dicts(),
        "contested": 0 if contested is None else contested.height,
        "contested_rows": [] if contested is None else contested.head(count).to_dicts(),
    }
