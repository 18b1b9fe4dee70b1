"""``assay import``: a file from `assay export`, into a new assay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import PoolPath, SeedSetPath, StoreAddress

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.session.assay import Assay

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

    An import that was interrupted can be repeated: it goes on where it stopped.

    Example: [bold]assay import copy.assay events.jsonl[/bold], or
    [bold]assay import new.assay answers.csv --spec assay.toml[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.cli.session import find_working_folder
    from accuracy_assay.cli.trust import trust
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import read_texts
    from accuracy_assay.registry import open_store
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
    with _new_or_begun(store, spec, frame, pool, seed_set) as assay:
        trust(store, assay.spec)
        n_new = import_answers(assay, frame)
    if as_json:
        print_json({"assay": assay.name, "answers": n_new})
    else:
        remark(f"imported {n_new:,} answers into assay {one_line(assay.name)}")


def _new_or_begun(
    store: str, spec: Path, frame: pl.DataFrame, pool: Path | None, seed_set: Path | None
) -> Assay:
    """Return a new assay, or the one that an import of the same file has begun."""
    from accuracy_assay.errors import AssayError
    from accuracy_assay.session.assay import Assay
    from accuracy_assay.session.export import is_begun_import
    from accuracy_assay.spec.read import read_spec

    try:
        return Assay.create(store, spec, pool=pool, seed_set=seed_set)
    except AssayError as error:
        wanted = read_spec(spec)
        try:
            begun = Assay.open(store, wanted.assay.name, pool=pool, seed_set=seed_set)
        except AssayError:
            raise error from None
        if begun.spec == wanted and is_begun_import(begun, frame):
            return begun
        begun.close()
        raise
