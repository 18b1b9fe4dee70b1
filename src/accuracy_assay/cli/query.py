"""``assay query``: what a surface says about some arms, or about a client's own mix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson

__all__ = ["query"]


def query(
    surface: Annotated[Path, typer.Argument(help="Surface file.")],
    where: Annotated[
        list[str] | None, typer.Argument(help="attribute=value; repeat one for several values.")
    ] = None,
    mix: Annotated[
        Path | None,
        typer.Option(help="Table of attribute columns, one row per instance or with weights."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a surface for the accuracy of some arms or under a mix.

    Example: [bold]assay query s.surface sex=Female age=35[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import print_json, results
    from accuracy_assay.cli.parse import parse_conditions
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.study.compare import answer

    loaded = AccuracySurface.load(surface)
    found = answer(loaded, parse_conditions(where or [], loaded.space), mix)
    if as_json:
        print_json(asdict(found))
    else:
        results().print(str(found))
