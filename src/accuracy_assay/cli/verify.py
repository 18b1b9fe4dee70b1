"""``assay verify``: whether a store is what was written, and all of it."""

from __future__ import annotations

from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import StoreAddress

__all__ = ["verify"]


def verify(
    store: StoreAddress,
    accept_older: Annotated[
        bool,
        typer.Option(
            "--accept-older", help="Go on with this store, though newer events are known."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare every event with its checksum, and the end with what this user has seen of it.

    Says what is whole and what is not; exit code 1 if anything is wrong. Reading only, except with
    --accept-older.

    Example: [bold]assay verify my.assay[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import one_line, print_json, results
    from accuracy_assay.registry import open_store
    from accuracy_assay.storage.sql import SqlStore
    from accuracy_assay.storage.verify import verify_store

    home = open_store(store, is_saving=True)
    assert isinstance(home, SqlStore)
    try:
        found = verify_store(home)
        accepted = [a.name for a in found.assays if a.is_older] if accept_older else []
        for name in accepted:
            home.accept_older(name)
        if accepted:
            found = verify_store(home)
    finally:
        home.close()
    if as_json:
        print_json(
            {
                "is_whole": found.is_whole,
                "assays": [asdict(each) for each in found.assays],
                "problems": list(found.problems),
                "accepted": accepted,
            }
        )
    else:
        out = results()
        for each in found.assays:
            unchecked = f", {each.unchecked:,} of them without a checksum" * bool(each.unchecked)
            state = "whole" if each.problem is None else "not whole"
            out.print(
                f"{one_line(each.name)}: {state}; {each.labels:,} labels, {each.events:,} events "
                f"as they were written{unchecked}",
                soft_wrap=True,
            )
            if each.problem is not None:
                out.print(f"  {one_line(each.problem)}", soft_wrap=True)
        for problem in found.problems:
            out.print(f"file: {one_line(problem)}", soft_wrap=True)
        for name in accepted:
            out.print(f"{one_line(name)}: accepted as it is; what is newer is given up")
    if not found.is_whole:
        raise typer.Exit(1)
