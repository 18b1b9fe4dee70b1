"""``assay watch``: whether a service is still as good as it was, and where it got worse.

Exit codes as those of ``assay check``: 0 without an alarm, 1 with one, 3 with too few labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import RowOptions, SignalOptions
from accuracy_assay.cli.options import AsJson, AsMarkdown, Seed
from accuracy_assay.cli.session import MetricName, ServiceName

__all__ = ["watch"]

_EXIT_CODES: Mapping[str, int] = {"no alarm": 0, "alarm": 1, "not enough labels": 3}


def watch(
    rows: Annotated[str, typer.Argument(help="Labelled rows; or evaluation logs.")],
    table: RowOptions,
    free: SignalOptions,
    time: Annotated[
        str, typer.Option("--time", help="Column that orders the rows: dates, numbers, versions.")
    ],
    baseline: Annotated[
        str | None,
        typer.Option(help="Last time of the reference; by default the first third of the labels."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Loss of accuracy that is no alarm; 2 points by default.")
    ] = 0.02,
    every: Annotated[
        int | None, typer.Option(help="Labels between two looks; by default 1,000 looks at most.")
    ] = None,
    false_alarm: Annotated[
        float, typer.Option(help="Probability that a service that lost nothing ever alarms.")
    ] = 0.05,
    order: Annotated[int, typer.Option(help="Most attributes that a slice names: 1 or 2.")] = 2,
    service: ServiceName = None,
    metric: MetricName = None,
    out: Annotated[Path | None, typer.Option(help="Watch file to write.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Picture of accuracy over time: PNG, PDF or SVG.")
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
        one_line,
        print_json,
        print_markdown,
        refuse_two_formats,
        remark,
        remarks,
        results,
    )
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.study.watch.watch import watch as watch_rows
    from accuracy_assay.study.watch.words import watch_markdown

    refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
    require_outputs({"watch": out, "picture": picture}, [rows, table.pool])
    asked = read_rows(
        *(rows, table, free),
        what="a watch",
        score=table.one_score(),
        service=service,
        metric=metric,
    )
    with remarks().status("looking"):
        found = watch_rows(
            asked.rows,
            asked.columns,
            time=time,
            baseline=baseline,
            tolerance=tolerance,
            every=every,
            false_alarm=false_alarm,
            order=order,
            pool=table.pool,
            seed=seed,
        )
    if out is not None:
        found.save(out)
        remark(f"wrote {one_line(out)}")
    if picture is not None:
        remark(f"wrote {one_line(found.picture(picture))}")
    if as_json:
        print_json(found.to_dict())
    elif as_markdown:
        print_markdown(watch_markdown(found, f"assay watch {Path(rows).name}"))
    else:
        results().print(str(found))
    raise typer.Exit(_EXIT_CODES[found.verdict])
