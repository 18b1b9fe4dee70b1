"""``assay import``: a file from `assay export`, into a new assay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import PoolPath, SeedSetPath, StoreAddress

__all__ = ["import_"]


def import_(
    store: StoreAddress,
    file: Annotated[Path, typer.Argument(help="File from assay export.")],
    spec: Annotated[
        Path | None,
        typer.Option(help="Spec of the new assay; events contain it already."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="New name for the assay, with events.")
    ] = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Import exported events, answers or labels into a new assay.

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
            remark(f"imported {frame.height:,} events into assay {one_line(made)}")
        return
    if spec is None:
        raise InputError(
            "answers and labels must have a spec for the new assay; got none. Give --spec, or "
            "import events, which contain it."
        )
    with Assay.create(store, spec, pool=pool, seed_set=seed_set) as assay:
        trust(store, assay.spec)
        n_new = import_answers(assay, frame)
    if as_json:
        print_json({"assay": assay.name, "answers": n_new})
    else:
        remark(f"imported {n_new:,} answers into assay {one_line(assay.name)}")
