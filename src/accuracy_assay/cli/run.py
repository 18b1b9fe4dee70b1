"""``assay run``: all that needs no person: services over the pool, a labelled file as answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson, Format
from accuracy_assay.cli.session import Annotator, AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["run"]


def run(
    store: StoreAddress,
    answers: Annotated[
        Path | None, typer.Option(help="File of labels, to answer what is asked.")
    ] = None,
    format: Format = None,
    annotator: Annotator = "file",
    service: Annotated[
        list[str] | None, typer.Option(help="Service to call; all by default; repeat.")
    ] = None,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Let services predict the pool, and replay a labelled file through the loop.

    A run that was killed goes on where it stopped; no call is paid for twice.

    Example: [bold]assay run my.assay --answers labels.csv[/bold]
    """
    from accuracy_assay.assay.replay import replay
    from accuracy_assay.cli.console import print_json, results, steps
    from accuracy_assay.cli.session import find_working_folder, open_assay
    from accuracy_assay.cli.status import service_table
    from accuracy_assay.registry import build_labeler

    find_working_folder()
    labels = {}
    if answers is not None:
        returned = build_labeler(format, answers).read(answers)
        labels = {r.id: r.label for r in returned if r.label is not None}
    with open_assay(store, name, pool, seed_set) as assay:
        for wanted in service or [s.name for s in assay.spec.service if s.column is None]:
            with steps(f"service {wanted}") as advance:

                def show(n: int, total: int, cost: float) -> None:
                    advance(n, total, f"cost {cost:.2f}")

                assay.predict(wanted, show)
        if labels:
            budget = assay.spec.assay.budget
            with steps("answers") as advance:
                replay(assay, labels, annotator, lambda n: advance(n, budget, ""))
        status = assay.status()
    if as_json:
        print_json(status.to_dict())
        return
    results().print(service_table(status))
    results().print(f"{status.labels} instances labelled, {status.asked} asked for")
