"""``assay slices``: where a service is clearly weaker than the whole, one line each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import (
    AssayName,
    MetricName,
    PoolPath,
    SeedSetPath,
    ServiceName,
    SurfaceAddress,
    read_surface,
)

__all__ = ["slices"]


def slices(
    surface: SurfaceAddress,
    below: Annotated[
        float | None,
        typer.Option(help="Accuracy below which a slice is weak (default: overall minus margin)."),
    ] = None,
    margin: Annotated[
        float, typer.Option(help="How much weaker than the whole a slice must be.")
    ] = 0.05,
    order: Annotated[
        int | None,
        typer.Option(help="Most attributes that a slice names.", show_default="3, fewer if huge"),
    ] = None,
    fdr: Annotated[float, typer.Option(help="Share of false alarms to accept.")] = 0.1,
    least_rows: Annotated[float, typer.Option(help="Fewest pool rows of a slice.")] = 20.0,
    out: Annotated[Path | None, typer.Option(help="CSV file to write too.")] = None,
    service: ServiceName = None,
    metric: MetricName = None,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Show the parts of the attribute space that are clearly weaker than the whole.

    A slice names values of a few attributes; overlapping slices are merged, and those
    with the most wrong rows come first.

    Example: [bold]assay slices s.surface[/bold], or [bold]assay slices my.assay --below 0.7[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark, results
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.files.tables import write_csv
    from accuracy_assay.reports.report import report_of
    from accuracy_assay.reports.terminal import slices_table

    require_outputs({"table": out}, [surface, pool, seed_set])
    shown, title = read_surface(surface, service, name, pool, seed_set, metric)
    found = shown.slices(below, margin=margin, order=order, fdr=fdr, least_rows=least_rows)
    table = found.to_frame()
    if out is not None:
        write_csv(table, out)
    if as_json:
        said: dict[str, object] = {"bar": found.bar, "searched": found.searched, "fdr": found.fdr}
        said |= {"target": shown.target, "label_trust": shown.details.get("label_trust")}
        print_json({**said, "slices": table.to_dicts()})
        return
    results().print(slices_table(report_of(shown, title), found, count=None))
    results().print(f"Accuracies are {shown.about}.")
    for fact in shown.said_of_rows:
        remark(fact)
    if out is not None:
        remark(f"wrote {one_line(out)}")
