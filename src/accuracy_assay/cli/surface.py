"""``assay surface``: from labelled rows or an assay to a surface, and where a service fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    GuessOptions,
    RowOptions,
    SignalOptions,
    refuse_for_assay,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson, AsMarkdown, Device, EngineName, Measure, Where
from accuracy_assay.cli.session import MetricName, ServiceName, title_of

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["surface", "surface_values"]


def surface(
    rows: Annotated[
        str,
        typer.Argument(
            help="Labelled rows: CSV, JSONL or Parquet, a folder of Parquet or an address such as "
            "s3://bucket/rows; evaluation logs: a file, a folder or a pattern; or the store of an "
            "assay."
        ),
    ],
    table: RowOptions,
    free: SignalOptions,
    guesses: GuessOptions,
    fit: FitOptions,
    session: AssayOptions,
    measure: Measure = None,
    where: Where = None,
    weigh_signals: Annotated[
        bool,
        typer.Option(
            help="Show how much each signal, judge and referee helped, by leaving it out."
        ),
    ] = False,
    device: Device = "auto",
    engine: EngineName = "local",
    service: ServiceName = None,
    metric: MetricName = None,
    out: Annotated[Path | None, typer.Option(help="Surface file to write.")] = None,
    worst: Annotated[int, typer.Option(help="Most single arms to show.")] = 20,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Estimate an accuracy surface from labelled rows, or from the labels of an assay.

    Example: [bold]assay surface rows.csv --attribute sex --attribute age:30,60 --score correct
    --out s.surface[/bold], or [bold]assay surface my.assay --service google[/bold]
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
    from accuracy_assay.reports.markdown import surface_markdown
    from accuracy_assay.reports.report import Report
    from accuracy_assay.reports.terminal import slices_table, summary, weak_table
    from accuracy_assay.study.read.open_rows import is_rows

    refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
    require_outputs({"surface": out}, [rows, table.pool, session.seed_set])
    weighed: pl.DataFrame | None = None
    if is_rows(rows):
        title = title_of(rows)
        refuse_for_table("a surface", session)
        asked = read_rows(
            rows,
            *(table, free, guesses),
            what="a surface of labelled rows",
            score=table.one_score(),
            service=service,
            metric=metric,
        )
        methods = fit.methods(calibration=guesses.calibration or "full")
        options = {**methods, "seed": fit.seed, "engine": engine, "measure": measure}
        options |= {"where": where, "pool": table.pool}
        fitted, weighed = _of_rows(asked.rows, asked.columns, options, is_weighed=weigh_signals)
    else:
        is_elsewhere = engine != "local"
        refuse_for_assay(
            "the surface of an assay",
            *(table, free, guesses, fit),
            weigh_signals=weigh_signals,
            engine=is_elsewhere,
            metric=metric,
        )
        with session.open(rows, table.pool_path) as assay, remarks().status("fitting"):
            title = assay.name
            if measure is None and where is None:
                fitted = assay.surface(service)
            else:
                fitted = assay.measure(measure, service, where=where)
    if out is not None:
        fitted.save(out)
    if as_json:
        signals = {} if weighed is None else {"signals": weighed.to_dicts()}
        print_json(surface_values(fitted, worst) | signals)
        return
    report = Report(title, fitted)
    if as_markdown:
        print_markdown(surface_markdown(report))
        return
    results().print(summary(report))
    if fitted.is_error:
        remark(
            f"{one_line(fitted.measure)} is an error rate: lower is better, and weak slices and "
            "arms lie above the rest"
        )
    results().print(slices_table(report))
    results().print(weak_table(report, worst))
    if weighed is not None:
        results().print(frame_table(weighed))
    if out is not None:
        remark(f"wrote {one_line(out)}")


def _of_rows(
    labelled: pl.DataFrame | str, columns: Columns, options: dict[str, Any], *, is_weighed: bool
) -> tuple[AccuracySurface, pl.DataFrame | None]:
    """Return the surface of labelled rows, and how much each signal helped, if asked."""
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.study.estimate import estimate
    from accuracy_assay.study.judges.signal_report import signal_report

    with remarks().status("fitting") as status:

        def show(share: float) -> None:
            status.update("fitting" if share >= 1.0 else f"counting: {share:.0%}")

        fitted = estimate(labelled, columns, **options, on_share=show)
        return fitted, signal_report(labelled, columns, **options) if is_weighed else None


def surface_values(surface: AccuracySurface, count: int) -> dict[str, Any]:
    """Return a surface for programs: the whole first, then weak slices and the worst arms."""
    from dataclasses import asdict

    from accuracy_assay.reports.report import Report
    from accuracy_assay.reports.verdict import verdict

    other = surface.other_overall
    return {
        "verdict": verdict(Report("", surface)),
        "overall": asdict(surface.overall),
        "target": surface.target,
        "other_overall": None if other is None else asdict(other),
        "every_arm_alike": asdict(surface.average(surface.mass(mix="equal"))),
        "labels": surface.n_labels,
        "labels_worth": surface.label_count.worth,
        "missing_prediction": surface.details.get("missing_prediction"),
        "label_trust": surface.details.get("label_trust"),
        "judge_share": surface.details.get("judge_share"),
        "part_judged": surface.details.get("part_judged"),
        "arms": int(surface.arms.size),
        "expected_macro_mse": surface.expected_macro_mse,
        "slices": surface.slices().to_frame().to_dicts(),
        "worst": surface.worst(count).to_dicts(),
    }
