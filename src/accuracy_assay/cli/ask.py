"""``assay ask``: the instances most worth a label, for people or for another tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson, Device, Format
from accuracy_assay.cli.price_plan import PlanFile, bought
from accuracy_assay.cli.session import Annotator, AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["ask"]


def ask(
    store: StoreAddress,
    n: Annotated[
        int | None, typer.Argument(help="How many instances; a batch by default.")
    ] = None,
    annotator: Annotator = "anyone",
    pending: Annotated[
        bool,
        typer.Option(
            "--pending", help="Show what this annotator already holds; ask for nothing new."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Task file to write, for a labelling tool.")
    ] = None,
    format: Format = None,
    show_predictions: Annotated[
        bool,
        typer.Option("--show-predictions", help="Let annotators see the services' predictions."),
    ] = False,
    plan: PlanFile = None,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Ask which instances to label next.

    An instance is held for its annotator until it is answered or the lease expires.

    Example: [bold]assay ask my.assay 12 --annotator ann --out tasks.csv[/bold]
    """
    from accuracy_assay.cli.console import (
        frame_table,
        one_line,
        print_json,
        remark,
        remarks,
        results,
    )
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.registry import build_labeler

    if out is not None:
        build_labeler(format, out)
    with open_assay(store, name, pool, seed_set) as assay:
        tables = (assay.spec.pool.path, assay.spec.pool.seed_set)
        require_outputs({"file of tasks": out}, [store, pool, seed_set, plan, *tables])
        with remarks().status("choosing"):
            if pending:
                batch = assay.pending(annotator)
            else:
                among = None if plan is None else bought(plan, "people")[0]
                batch = assay.ask(n, annotator=annotator, among=among)
        if out is not None:
            assay.write_tasks(
                batch,
                out,
                format=format,
                show_predictions=show_predictions,
                annotator=None if annotator == "anyone" else annotator,
            )
        choices = assay.spec.label.choices
        end = None if batch.height or pending else assay.end(annotator)
    if as_json:
        print_json(batch.to_dicts())
    elif batch.height == 0:
        results().print(
            f"nothing to ask for: {end or ('nothing is held' if pending else 'none were wanted')}"
        )
    elif out is None:
        results().print(frame_table(batch))
        _say_what_to_type(store, batch.item(0, "id"), annotator, choices)
    if out is not None:
        remark(
            f"wrote {batch.height} tasks to {one_line(out)}; once answered: "
            f"assay tell {_quoted(store)} --file {_quoted(out)}"
        )


def _say_what_to_type(store: str, instance: str, annotator: str, choices: Sequence[str]) -> None:
    """Show the choices, and the commands that record answers."""
    from accuracy_assay.cli.console import one_line, remark

    who = "" if annotator == "anyone" else f" --annotator {_quoted(annotator)}"
    answer = _quoted(f"{instance}={choices[0] if choices else 'label'}")
    if choices:
        remark(f"choices: {', '.join(map(one_line, choices))}")
    remark(f"answer with: assay tell {_quoted(store)} {answer}{who}")
    remark(f"or one by one: assay label {_quoted(store)}{who}")


def _quoted(word: object) -> str:
    """Return a word quoted for a shell, without the password of a store."""
    import shlex

    from accuracy_assay.cli.console import one_line
    from accuracy_assay.runtime.secrets import hide_secrets

    return one_line(shlex.quote(hide_secrets(str(word))))
