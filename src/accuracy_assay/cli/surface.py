"""``assay surface``: from a labelled table to a surface file, and where the service fails."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson, Attributes, EstimatorName, Seed, Signals

__all__ = ["surface"]


def surface(
    rows: Annotated[Path, typer.Argument(help="Labelled rows: CSV, JSONL or Parquet.")],
    attribute: Attributes,
    score: Annotated[str | None, typer.Option(help="Column of the score, in [0, 1].")] = None,
    y_true: Annotated[str | None, typer.Option(help="Column of the truth.")] = None,
    y_pred: Annotated[str | None, typer.Option(help="Column of the prediction.")] = None,
    agreement: Annotated[
        str,
        typer.Option(help="How truth and prediction compare: equal, bleu, wer, module:function."),
    ] = "equal",
    pool: Annotated[Path | None, typer.Option(help="All rows, labelled ones among them.")] = None,
    signal: Signals = None,
    estimator: EstimatorName = None,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Surface file to write.")] = None,
    worst: Annotated[int, typer.Option(help="Number of arms to show.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Estimate an accuracy surface from labelled rows.

    Example: [bold]assay surface rows.csv --attribute sex --attribute age:30,60 --score correct
    --out s.surface[/bold]
    """
    from accuracy_assay.api.estimate import estimate
    from accuracy_assay.cli.attributes import parse_attributes
    from accuracy_assay.cli.console import print_json, remarks, results
    from accuracy_assay.cli.defaults import default_estimator
    from accuracy_assay.reports.report import Report
    from accuracy_assay.reports.terminal import summary, worst_table

    with remarks().status("fitting"):
        fitted = estimate(
            rows,
            parse_attributes(attribute),
            score,
            y_true=y_true,
            y_pred=y_pred,
            agreement=agreement,
            pool=pool,
            signals=signal,
            estimator=estimator or default_estimator(),
            seed=seed,
        )
    if out is not None:
        fitted.save(out)
    if as_json:
        print_json(fitted.worst(worst).to_dicts())
        return
    report = Report(rows.stem, fitted)
    results().print(summary(report))
    results().print(worst_table(report, worst))
    if out is not None:
        remarks().print(f"wrote {out}")
