"""``assay card``: how accurate a model is and where it is weak, for its model card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.session import (
    AssayName,
    MetricName,
    PoolPath,
    SeedSetPath,
    ServiceName,
    SurfaceAddress,
    read_surface,
)

__all__ = ["card"]


def card(
    surface: SurfaceAddress,
    out: Annotated[
        Path | None, typer.Option(help="Markdown file to write (default: printed).")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Name of the model (default: that of the service).")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Kind of task, such as image-classification.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Name of the pool (default: the file's, or the assay's).")
    ] = None,
    service: ServiceName = None,
    metric: MetricName = None,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
) -> None:
    """Write a section for a model card, with metadata that the Hugging Face Hub reads.

    Example: [bold]assay card s.surface --out card.md --task image-classification[/bold]
    """
    from accuracy_assay.cli.console import one_line, remark
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.reports.card import render_card, write_card
    from accuracy_assay.reports.report import report_of

    require_outputs({"card": out}, [surface, pool, seed_set])
    report = report_of(*read_surface(surface, service, name, pool, seed_set, metric))
    if out is None:
        print(render_card(report, model=model, task=task, dataset=dataset), end="")
        return
    written = write_card(report, out, model=model, task=task, dataset=dataset)
    remark(f"wrote {one_line(written)}")
