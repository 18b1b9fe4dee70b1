"""``assay judges``: what judges and referees are worth, and where judges are lenient or harsh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.judge_certificate import (
    JudgeSettings,
    certificate_of,
    read_settings,
)
from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    RowOptions,
    SignalOptions,
    refuse_for_assay,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson, AsMarkdown
from accuracy_assay.cli.session import MetricName, ServiceName

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from accuracy_assay.reports.certificate import Certificate
    from accuracy_assay.reports.judge_report import JudgeReport

__all__ = ["judges"]

_ROWS_TO_LABEL = 200
"""Most rows of the file of rows to label: an afternoon of one person; the next certificate says
which come after."""


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
    certificate: Annotated[
        Path | None,
        typer.Option(help="JSON file to write: where the judge of a table may decide for people."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(help="Most that judge and people may differ; 0.03 by default."),
    ] = None,
    statement: Annotated[
        str | None,
        typer.Option(help="What is certified: level (the default) or decisions."),
    ] = None,
    by_service: Annotated[
        str | None, typer.Option(help="Column of the service that gave each answer.")
    ] = None,
    blind: Annotated[
        str | None,
        typer.Option(help="Column that is true where a label was given without the verdict."),
    ] = None,
    passes: Annotated[
        list[str] | None,
        typer.Option(help="Verdict of the judge that passes an answer; repeat."),
    ] = None,
    judge_settings: JudgeSettings = None,
    signed_off_by: Annotated[
        str | None, typer.Option(help="Who takes responsibility for the certificate.")
    ] = None,
    rows_to_label: Annotated[
        Path | None,
        typer.Option(help="CSV file to write: rows whose labels would settle most."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="HTML page to write: what the judge says against what people say."),
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="people=50, or judge=1: say what the judge saves; repeat."),
    ] = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Show how often judges prefer the right answer, and where they are lenient or harsh.

    Also shows how accurate the service is if its referees agree, and the rows on which no two
    services do.

    Example: [bold]assay judges my.assay --service acme[/bold], or
    [bold]assay judges labelled.csv --pool pool.csv -a topic --score right --judge llm[/bold]

    With --certificate: where a judge may decide in place of people, and where it may not:
    [bold]assay judges rows.csv -a topic --score right --judge llm --certificate llm.json[/bold]
    """
    from dataclasses import replace

    from accuracy_assay.cli.console import (
        one_line,
        print_json,
        refuse_two_formats,
        remark,
        remarks,
        results,
    )
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

    outputs = {"picture": picture, "certificate": certificate, "rows to label": rows_to_label}
    outputs["report"] = report
    require_outputs(outputs, [rows, table.pool, session.seed_set, judge_settings])
    wanted = {
        "certificate": certificate,
        "tolerance": tolerance,
        "statement": statement,
        "by_service": by_service,
        "blind": blind,
        "passes": passes,
        "judge_settings": judge_settings,
        "signed_off_by": signed_off_by,
        "rows_to_label": rows_to_label,
        "report": report,
        "price": price,
        "markdown": as_markdown,
    }
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
        if any(wanted.values()):
            refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
            _refuse_picture(picture)
            options = {**_options(wanted, fit.seed), "pool": table.pool}
            made = certificate_of(asked, service, by_service, **options)
            _show_certificate(made, wanted, count, as_json=as_json)
            return
        if not (asked.columns.judges or asked.columns.referees):
            raise InputError("judges of a table must have --judge or --referee; got neither.")
        every = None if table.pool is None else read_table(table.pool, what="pool")
        columns, labelled, every = derive_values(asked.columns, asked.rows, every)
        options = {**fit.methods(), "seed": fit.seed, "pool": every}
        found: JudgeReport | None = None
        with remarks().status("fitting"):
            if columns.judges:
                found = judge_report(labelled, columns, **options)
            is_refereed = bool(columns.referees)
            agreeing = referee_report(labelled, columns, **options) if is_refereed else None
    else:
        of_tables = {name: wanted[name] for name in ("by_service", "blind")}
        named = None
        if any(wanted.values()) and free.judge is not None and len(free.judge) == 1:
            named, free = free.judge[0], replace(free, judge=None)
        refuse_for_assay("the judges of an assay", table, free, fit, metric=metric, **of_tables)
        if any(wanted.values()):
            refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
            _refuse_picture(picture)
            with session.open(rows, table.pool_path) as assay, remarks().status("certifying"):
                made = assay.certify(named, service, **_options(wanted, fit.seed))
            _show_certificate(made, wanted, count, as_json=as_json)
            return
        with session.open(rows, table.pool_path) as assay, remarks().status("fitting"):
            found = opinions.judge_report(assay.session, service)
            agreeing = opinions.referee_table(assay.session, service)
            contested = opinions.contested_rows(assay.session)
    if picture is not None:
        if found is None:
            raise InputError("a picture must have a judge to show; got none with labels.")
        write_judge_picture(found, picture)
    if found is not None and found.missing:
        remark(found.missing)
    if as_json:
        print_json(_as_dict(found, agreeing, contested, count))
        return
    out = results()
    for one in () if found is None else found.judges.get_column("judge").to_list():
        assert found is not None
        out.print(judge_tables(found, one, count))
    if found is None and not free.referee:
        out.print("no judge has scored enough rows yet, or there are no labels")
    if agreeing is not None:
        out.print(referees_table(agreeing))
    if contested is not None and contested.height:
        out.print(contested_table(contested, count))
    if picture is not None:
        remark(f"wrote {one_line(picture)}")


def _options(wanted: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return what the options of a certificate say, as arguments of ``certify``."""
    given = {name: wanted[name] for name in ("tolerance", "statement", "blind", "passes")}
    return {
        **{name: value for name, value in given.items() if value is not None},
        "settings": read_settings(wanted["judge_settings"]),
        "signed_off_by": wanted["signed_off_by"],
        "seed": seed,
    }


def _show_certificate(
    found: Certificate, wanted: Mapping[str, Any], count: int, *, as_json: bool
) -> None:
    """Write what was asked for, and show the certificate."""
    from accuracy_assay.cli.console import one_line, print_json, print_markdown, remark, results
    from accuracy_assay.files.tables import write_csv
    from accuracy_assay.reports.certificate_file import certificate_json
    from accuracy_assay.reports.terminal_certificate import (
        certificate_markdown,
        certificate_table,
    )

    saved, written = _saved(found, wanted["price"]), []
    if wanted["certificate"] is not None:
        found.save(wanted["certificate"])
        written.append(wanted["certificate"])
    if wanted["rows_to_label"] is not None:
        write_csv(found.rows_to_label(_ROWS_TO_LABEL), wanted["rows_to_label"])
        written.append(wanted["rows_to_label"])
    if wanted["report"] is not None:
        written.append(found.report(wanted["report"], saved))
    if as_json:
        print_json({**certificate_json(found), **({} if saved is None else {"saves": saved})})
    elif wanted["markdown"]:
        print_markdown(certificate_markdown(found, count))
    else:
        results().print(certificate_table(found, count))
        if saved is not None:
            less = "less" if saved >= 0.0 else "more"
            every = "than labels of people for every row"
            results().print(f"costs {abs(saved):,.2f} {less} {every}")
    if written and not as_json:
        remark(f"wrote {', '.join(map(one_line, written))}")


def _saved(found: Certificate, price: list[str] | None) -> float | None:
    """Return what the judge saves at these prices; None without any."""
    from accuracy_assay.cli.parse import parse_prices
    from accuracy_assay.errors import InputError

    if not price:
        return None
    prices = parse_prices(price)
    if prices.keys() != {"people", found.judge}:
        raise InputError(
            f"--price must be given for people and for {found.judge}; got {', '.join(prices)}."
        )
    return found.saves(prices["people"], prices[found.judge])


def _refuse_picture(picture: Path | None) -> None:
    from accuracy_assay.errors import InputError

    if picture is not None:
        raise InputError("a picture must be of the bias; got --picture with a certificate.")


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
        "missing": "" if found is None else found.missing,
        "referees": [] if agreeing is None else agreeing.to_dicts(),
        "contested": 0 if contested is None else contested.height,
        "contested_rows": [] if contested is None else contested.head(count).to_dicts(),
    }
