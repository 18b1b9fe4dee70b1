"""``assay card``: how accurate a model is and where it is weak, for its model card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.session import (
    AssayName,
    PoolPath,
    SeedSetPath,
    find_working_folder,
    is_store,
    open_assay,
)

__all__ = ["card"]


def card(
    surface: Annotated[str, typer.Argument(help="Surface file, or the store of an assay.")],
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
    service: Annotated[
        str | None, typer.Option(help="Which service, where an assay has several.")
    ] = None,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
) -> None:
    """Write a section for a model card, with metadata that the Hugging Face Hub reads.

    Example: [bold]assay card s.surface --out card.md --task image-classification[/bold]
    """
    from accuracy_assay.cli.console import one_line, remark, remarks
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.errors import InputError
    from accuracy_assay.reports.card import render_card, write_card
    from accuracy_assay.reports.report import report_of

    require_outputs({"card": out}, [surface, pool, seed_set])
    of_assays = {"--service": service, "--name": name, "--pool": pool, "--seed-set": seed_set}
    if is_store(surface):
        find_working_folder()
        with open_assay(surface, name, pool, seed_set) as assay, remarks().status("fitting"):
            report = report_of(assay.surface(service), assay.name)
    elif given := [option for option, value in of_assays.items() if value]:
        raise InputError(
            f"options of an assay must go with its store; got the surface {surface!r} and "
            f"{', '.join(given)}."
        )
    else:
        report = report_of(AccuracySurface.load(surface), Path(surface).stem)
    if out is None:
        print(render_card(report, model=model, task=task, dataset=dataset), end="")
        return
    written = write_card(report, out, model=model, task=task, dataset=dataset)
    remark(f"wrote {one_line(written)}")
