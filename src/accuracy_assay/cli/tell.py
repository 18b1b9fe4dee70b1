"""``assay tell``: record answers, typed or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson, Format
from accuracy_assay.cli.quick_tell import told_line
from accuracy_assay.cli.session import Annotator, AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["tell"]


def tell(
    store: StoreAddress,
    answers: Annotated[
        list[str] | None, typer.Argument(help="Answers as id=label, such as x17=cat.")
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option(help="File of answers: CSV, JSONL, Label Studio; repeat.")
    ] = None,
    format: Format = None,
    annotator: Annotator = "anyone",
    confirm: Annotated[
        list[str] | None,
        typer.Option(help="Attribute value that the annotator confirms, attribute=value; repeat."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Change earlier answers.")] = False,
    skip: Annotated[
        list[str] | None, typer.Option(help="Instance to skip without an answer; repeat.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last answer back.")] = False,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Record answers; when the command ends, they are on disk. Recording them twice does no harm.

    Example: [bold]assay tell my.assay x17=cat x23=dog --annotator ann[/bold]
    """
    from accuracy_assay.cli.console import print_json, remark, results
    from accuracy_assay.cli.parse import split_pairs
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.domain.person_names import one_name
    from accuracy_assay.errors import InputError

    if (kept := one_name(annotator)) != annotator and kept:
        remark(f"annotator {annotator!r} is {kept!r}: names are one in any Unicode form")
    if not (answers or file or skip or undo):
        raise InputError("tell must have answers (id=label), --file, --skip or --undo; got none.")
    typed = split_pairs(answers or [], "an answer", "id=label", is_last_equals_sign=True)
    confirmed = split_pairs(confirm or [], "a confirmation", "attribute=value")
    with open_assay(store, name, pool, seed_set) as assay:
        undone = assay.undo(annotator) if undo else ()
        if skip:
            assay.skip(skip, annotator)
        n_new = 0
        if typed:
            n_new += assay.tell(
                [i for i, _ in typed],
                [label for _, label in typed],
                annotator,
                confirmed_attributes=[dict(confirmed)] * len(typed),
                replace=replace,
            )
        for path in file or []:
            n_new += assay.tell_file(path, format=format, annotator=annotator, replace=replace)
        status = assay.status()
    if as_json:
        print_json({"new": n_new, "undone": undone, "labels": status.labels})
        return
    for instance in undone:
        results().print(f"took back the answer to {instance}")
    results().print(told_line(n_new, status.labels, status.spent, status.budget), soft_wrap=True)
