"""``assay import``: what `assay export` wrote, into a new assay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import PoolPath, SeedSetPath, StoreAddress

__all__ = ["import_"]


def import_(
    store: StoreAddress,
    file: Annotated[Path, typer.Argument(help="What assay export wrote.")],
    spec: Annotated[
        Path | None,
        typer.Option(help="Spec of the new assay; not needed for events, which hold it."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the new assay, where events hold it.")
    ] = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Take exported events, answers or labels into a new assay.

    Example: [bold]assay import copy.assay events.jsonl[/bold], or
    [bold]assay import new.assay answers.csv --spec assay.toml[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.cli.session import find_working_folder
    from accuracy_assay.cli.trust import trust
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import read_texts
    from accuracy_assay.registry import open_store
    from accuracy_assay.session.assay import Assay
    from accuracy_assay.session.export import import_answers, import_events

    find_working_folder()
    frame = read_texts(file, what="exported file")
    if "payload" in frame.columns:
        home = open_store(store, is_new=True)
        try:
            made = import_events(home, frame, name)
        finally:
            home.close()
        if as_json:
            print_json({"assay": made, "events": frame.height})
        else:
            remark(f"took {frame.height:,} events into assay {one_line(made)}")
        return
    if spec is None:
        raise InputError(
            "answers and labels must have a spec to make the new assay from; got none. "
            "Give --spec, or import events, which hold it."
        )
    with Assay.create(store, spec, pool=pool, seed_set=seed_set) as assay:
        trust(store, assay.spec)
        n_new = import_answers(assay, frame)
    if as_json:
        print_json({"assay": assay.name, "answers": n_new})
    else:
        remark(f"took {n_new:,} answers into assay {one_line(assay.name)}")
