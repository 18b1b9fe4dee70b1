"""``assay judges``: what judges and referees are worth, and where judges are lenient or harsh."""

from __future__ import annotations

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
from accuracy_assay.cli.session import MetricName, ServiceName

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.reports.judge_report import JudgeReport

__all__ = ["judges"]


def judges(
    rows: Annotated[
        str,
        typer.Argument(help="Store of an assay; labelled rows; or evaluation logs."),
    ],
    table: RowOptions,
    free: SignalOptions,
    fit: FitOptions,
    session: AssayOptions,
    service: ServiceName = None,
    metric: MetricName = None,
    count: Annotated[
        int, typer.Option("--count", min=1, help="Most values, arms and contested rows to show.")
    ] = 10,
    picture: Annotated[
        Path | None, typer.Option(help="Picture of the first judge's bias: PNG, PDF or SVG.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how often judges prefer the right answer, and where they are lenient or harsh.

    Also shows how accurate the service is if its referees agree, and the rows on which no two
    services do.

    Example: [bold]assay judges my.assay --service acme[/bold], or
    [bold]assay judges labelled.csv --pool pool.csv -a topic --score right --judge llm[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark, remarks, results
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import read_table
    from accuracy_assay.reports.judge_picture import write_judge_picture
    from accuracy_assay.reports.terminal_judges import (
        contested_table,
        judge_tables,
        referees_table,
    )
    from accuracy_assay.session import opinions
    from accuracy_assay.study.judges.report import judge_report
    from accuracy_assay.study.judges.signal_strata import referee_report
    from accuracy_assay.study.read.open_rows import is_rows
    from accuracy_assay.study.read.texts import derive_values

    require_outputs({"picture": picture}, [rows, table.pool, session.seed_set])
    contested: pl.DataFrame | None = None
    if is_rows(rows):
        refuse_for_table("a report", session)
        asked = read_rows(
            *(rows, table, free),
            what="judges of a table",
            score=table.one_score(),
            service=service,
            metric=metric,
        )
        if not (asked.columns.judges or asked.columns.referees):
            raise InputError("judges of a table must have --judge or --referee; got neither.")
        every = None if table.pool is None else read_table(table.pool, what="pool")
        columns, labelled, every = derive_values(asked.columns, asked.rows, every)
        options: dict[str, Any] = {**fit.methods(), "seed": fit.seed, "pool": every}
        found: JudgeReport | None = None
        with remarks().status("fitting"):
            if columns.judges:
                found = judge_report(labelled, columns, **options)
            is_refereed = bool(columns.referees)
            agreeing = referee_report(labelled, columns, **options) if is_refereed else None
    else:
        refuse_for_assay("the judges of an assay", table, free, fit, metric=metric)
        with session.open(rows, table.pool_path) as assay, remarks().status("fitting"):
            found = opinions.judge_report(assay.session, service)
            agreeing = opinions.referee_table(assay.session, service)
            contested = opinions.contested_rows(assay.session)
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
    if found is None and not free.referee:
        out.print("no judge has judged every row yet, or there are no labels")
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
    """Return the report for programs, with the number of contested rows and the first ones."""
    tables = ("judges", "values", "arms")
    return {
        **{table: [] if found is None else getattr(found, table).to_dicts() for table in tables},
        "referees": [] if agreeing is None else agreeing.to_dicts(),
        "contested": 0 if contested is None else contested.height,
        "contested_rows": [] if contested is None else contested.head(count).to_dicts(),
    }
