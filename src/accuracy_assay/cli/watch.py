"""``assay watch``: whether a service is still as good as it was, and where it got worse.

Exit codes as those of ``assay check``: 0 without an alarm, 1 with one, 3 with too few labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    AssayOptions,
    RowOptions,
    SignalOptions,
    refuse_for_assay,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson, AsMarkdown, Seed
from accuracy_assay.cli.session import MetricName, ServiceName

if TYPE_CHECKING:
    from accuracy_assay.study.watch.watched import Watch

__all__ = ["watch"]

_EXIT_CODES: Mapping[str, int] = {"no alarm": 0, "alarm": 1, "not enough labels": 3}


def watch(
    rows: Annotated[
        str, typer.Argument(help="Labelled rows; evaluation logs; or the store of an assay.")
    ],
    table: RowOptions,
    free: SignalOptions,
    session: AssayOptions,
    time: Annotated[
        str | None,
        typer.Option(
            help="Column that orders the rows: dates, numbers, versions; of an assay, by default "
            "the time of the label counts."
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(help="Column with the version of the service; of an assay, one of its pool."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="Last time of the reference; by default the first third of the labels."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Loss of accuracy that is no alarm; 2 points by default.")
    ] = 0.02,
    every: Annotated[
        int | None,
        typer.Option(
            help="Labels between two looks; by default ever more as labels grow in number."
        ),
    ] = None,
    false_alarm: Annotated[
        float, typer.Option(help="Probability that a service that lost nothing ever alarms.")
    ] = 0.05,
    order: Annotated[int, typer.Option(help="Most attributes that a slice names: 1 or 2.")] = 2,
    service: ServiceName = None,
    metric: MetricName = None,
    hint: Annotated[
        bool,
        typer.Option("--hint", help="Also show what a model of time says, without a guarantee."),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Watch file to write.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Picture of accuracy over time: PNG, PDF or SVG.")
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option(help="Address that an alarm is posted to, as JSON with a line of text."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Page of the surface as it is now, and of time, to write.")
    ] = None,
    surface: Annotated[
        Path | None, typer.Option(help="Surface as it is now to write, as a .surface file.")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Watch a service over time, whether it got worse since a baseline, and where.

    One may look after every label; a service that lost nothing raises an alarm, ever, in at most
    5% of such watches. Exits with 0 without an alarm, 1 with one, 3 with too few labels.

    Example: [bold]assay watch log.csv --time day --baseline 2026-06-01 -a topic --score
    right[/bold]
    """
    from accuracy_assay.cli.console import (
        frame_table,
        one_line,
        print_json,
        print_markdown,
        refuse_two_formats,
        remark,
        remarks,
        results,
    )
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.session import is_store
    from accuracy_assay.errors import InputError
    from accuracy_assay.reports.page import write_page
    from accuracy_assay.reports.report import report_of
    from accuracy_assay.runtime.webhook import post_json, require_web_address
    from accuracy_assay.study.watch.watch import watch as watch_rows
    from accuracy_assay.study.watch.words import watch_markdown

    refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
    if webhook is not None:
        require_web_address(webhook)
    require_outputs(
        {"watch": out, "picture": picture, "page": report, "surface": surface},
        [rows, table.pool, session.seed_set],
    )
    options: dict[str, Any] = {
        "version": version,
        "baseline": baseline,
        "tolerance": tolerance,
        "every": every,
        "false_alarm": false_alarm,
        "order": order,
    }
    if is_store(rows):
        refuse_for_assay("the watch of an assay", table, free, metric=metric)
        found = _of_assay(rows, table, session, service, time, options)
    else:
        refuse_for_table("a watch", session)
        if time is None:
            raise InputError("a watch of a table must have --time; got none. Name the column.")
        asked = read_rows(
            *(rows, table, free),
            what="a watch",
            score=table.one_score(),
            service=service,
            metric=metric,
        )
        with remarks().status("looking"):
            found = watch_rows(
                asked.rows, asked.columns, time=time, pool=table.pool, seed=seed, **options
            )
    if found is None:
        raise typer.Exit(_EXIT_CODES["not enough labels"])
    if out is not None:
        found.save(out)
        remark(f"wrote {one_line(out)}")
    if picture is not None:
        remark(f"wrote {one_line(found.picture(picture))}")
    if surface is not None:
        found.surface().save(surface)
        remark(f"wrote {one_line(surface)}")
    if report is not None:
        page = report_of(found.surface(), report.stem)
        write_page(replace(page, over_time=found.in_report()), report)
        remark(f"wrote {one_line(report)}")
    if as_json:
        print_json(found.to_dict() | ({"hints": found.hints().to_dicts()} if hint else {}))
    elif as_markdown:
        print_markdown(watch_markdown(found, f"assay watch {_short(rows)}"))
    else:
        results().print(str(found))
        if hint:
            results().print("Hint of a model of time, without a guarantee:")
            results().print(frame_table(found.hints()))
    if webhook is not None and found.verdict == "alarm":
        failed = post_json(webhook, {"text": found.headline, **found.to_dict()})
        remark(f"webhook failed: {failed}" if failed else "posted the alarm")
    raise typer.Exit(_EXIT_CODES[found.verdict])


def _of_assay(
    store: str,
    table: RowOptions,
    session: AssayOptions,
    service: str | None,
    time: str | None,
    options: Mapping[str, Any],
) -> Watch | None:
    """Return the watch of a session; None, and why, where no guarantee would hold."""
    from accuracy_assay.cli.console import remark, remarks
    from accuracy_assay.session.watching import NoGuaranteeError

    with session.open(store, table.pool_path) as assay, remarks().status("looking"):
        try:
            return assay.watch(service, time=time, **options)
        except NoGuaranteeError as error:
            remark(f"not enough labels: {error}")
            return None


def _short(address: str) -> str:
    """Return the name of a file or a store, without its folder or password."""
    return address.partition("?")[0].rpartition("/")[2]
