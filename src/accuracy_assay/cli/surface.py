"""``assay surface``: from labelled rows or an assay to a surface, and where a service fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.options import (
    AGREEMENT,
    ATTRIBUTE,
    CALIBRATION,
    ESTIMATOR,
    AnswerForm,
    AsJson,
    Cluster,
    Device,
    EngineName,
    EvidencePatterns,
    FromLabel,
    Judges,
    Measure,
    Referees,
    Seed,
    Settings,
    Signals,
    Where,
)
from accuracy_assay.cli.session import AssayName, SeedSetPath, find_working_folder, open_assay

if TYPE_CHECKING:
    from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["surface"]


def surface(
    rows: Annotated[
        str,
        typer.Argument(
            help="Labelled rows: CSV, JSONL or Parquet, a folder of it or an address such as "
            "s3://bucket/rows; or the store of an assay."
        ),
    ],
    attribute: Annotated[list[str] | None, ATTRIBUTE] = None,
    score: Annotated[str | None, typer.Option(help="Column of the score, in [0, 1].")] = None,
    y_true: Annotated[str | None, typer.Option(help="Column of the truth.")] = None,
    y_pred: Annotated[str | None, typer.Option(help="Column of the prediction.")] = None,
    agreement: Annotated[str, AGREEMENT] = "equal",
    measure: Measure = None,
    where: Where = None,
    pool: Annotated[
        str | None,
        typer.Option(
            help="Table of all rows, the labelled ones among them; as large as it may be."
        ),
    ] = None,
    signal: Signals = None,
    referee: Referees = None,
    judge: Judges = None,
    answer_form: AnswerForm = False,
    weigh_signals: Annotated[
        bool,
        typer.Option(
            help="Show how much each signal, judge and referee helped, by leaving it out."
        ),
    ] = False,
    cluster: Cluster = None,
    evidence: EvidencePatterns = None,
    from_label: FromLabel = None,
    estimator: Annotated[str | None, ESTIMATOR] = None,
    calibration: Annotated[str | None, CALIBRATION] = None,
    settings: Settings = None,
    device: Device = "auto",
    seed: Seed = 0,
    engine: EngineName = "local",
    service: Annotated[
        str | None, typer.Option(help="Which service, where an assay has several.")
    ] = None,
    name: AssayName = None,
    seed_set: SeedSetPath = None,
    out: Annotated[Path | None, typer.Option(help="Surface file to write.")] = None,
    worst: Annotated[int, typer.Option(help="Most single arms to show.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Estimate an accuracy surface from labelled rows, or from the labels of an assay.

    Example: [bold]assay surface rows.csv --attribute sex --attribute age:30,60 --score correct
    --out s.surface[/bold], or [bold]assay surface my.assay --service google[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark, remarks, results
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.parse import parse_attributes, split_pairs
    from accuracy_assay.cli.settings import with_settings
    from accuracy_assay.cli.tables import frame_table
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.parquet_places import find_parquet
    from accuracy_assay.files.tables import is_table, read_table
    from accuracy_assay.reports.report import Report
    from accuracy_assay.reports.terminal import slices_table, summary, weak_table
    from accuracy_assay.study.estimate import estimate
    from accuracy_assay.study.judges.signal_report import signal_report

    require_outputs({"surface": out}, [rows, pool, seed_set])
    if not is_table(rows):
        for_rows = {
            "--attribute": attribute,
            "--score": score,
            "--y-true": y_true,
            "--y-pred": y_pred,
            "--signal": signal,
            "--referee": referee,
            "--judge": judge,
            "--answer-form": answer_form,
            "--weigh-signals": weigh_signals,
            "--cluster": cluster,
            "--evidence": evidence,
            "--from-label": from_label,
            "--estimator": estimator,
            "--calibration": calibration,
            "--set": settings,
            "--engine": engine != "local",
        }
        if given := [option for option, value in for_rows.items() if value]:
            raise InputError(
                "the surface of an assay must follow its spec; got options that are for labelled "
                f"rows. Leave out {', '.join(given)}."
            )
        table = None if pool is None else Path(pool)
        with open_assay(rows, name, table, seed_set) as assay, remarks().status("fitting"):
            title = assay.name
            if measure is None and where is None:
                fitted = assay.surface(service)
            else:
                fitted = assay.measure(measure, service, where=where)
    elif not attribute:
        raise InputError("a surface of labelled rows must have --attribute; got none.")
    else:
        title = _title(rows)
        find_working_folder()
        methods = {"estimator": estimator or "anova-gp", "calibration": calibration or "full"}
        options: dict[str, Any] = {
            "y_true": y_true,
            "y_pred": y_pred,
            "agreement": agreement,
            "measure": measure,
            "where": where,
            "pool": pool,
            "signals": signal or (),
            "referees": referee or (),
            "judges": judge or (),
            "answer_form": answer_form,
            "cluster": cluster,
            "evidence": dict(split_pairs(evidence or [], "evidence", "attribute=pattern")),
            "from_label": from_label or (),
            **with_settings(methods, settings),
            "seed": seed,
            "engine": engine,
        }
        # Once, since the standard input cannot be read again; Parquet streams.
        labelled = rows if find_parquet(rows) else read_table(rows)
        with remarks().status("fitting") as status:

            def show(share: float) -> None:
                status.update("fitting" if share >= 1.0 else f"counting: {share:.0%}")

            fitted = estimate(
                labelled, parse_attributes(attribute), score, **options, on_share=show
            )
            if weigh_signals:
                weighed = signal_report(labelled, parse_attributes(attribute), score, **options)
    if out is not None:
        fitted.save(out)
    if as_json:
        signals = {"signals": weighed.to_dicts()} if weigh_signals else {}
        print_json(_as_dict(fitted, worst) | signals)
        return
    report = Report(title, fitted)
    results().print(summary(report))
    if fitted.is_error:
        remark(
            f"{one_line(fitted.measure)} is a rate of errors: slices and arms are listed where it "
            "is lowest. Ask for the rate of what is right to see the worst."
        )
    results().print(slices_table(report))
    results().print(weak_table(report, worst))
    if weigh_signals:
        results().print(frame_table(weighed))
    if out is not None:
        remark(f"wrote {one_line(out)}")


def _title(rows: str) -> str:
    """Return what a table is called: its file, or the folder where a pattern names many."""
    path = Path(rows)
    return path.parent.name if "*" in path.name else path.stem


def _as_dict(surface: AccuracySurface, count: int) -> dict[str, Any]:
    """Return a surface for programs: the whole first, then weak slices and the worst arms."""
    from dataclasses import asdict

    return {
        "overall": asdict(surface.overall),
        "every_arm_alike": asdict(surface.average(surface.mass(mix="equal"))),
        "labels": surface.n_labels,
        "arms": int(surface.arms.size),
        "expected_macro_mse": surface.expected_macro_mse,
        "slices": surface.slices().to_frame().to_dicts(),
        "worst": surface.worst(count).to_dicts(),
    }
