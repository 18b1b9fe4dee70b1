"""``assay compare``: which service is best for these arms or this mix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson

__all__ = ["compare"]


def compare(
    surfaces: Annotated[list[Path], typer.Argument(help="Two or more surface files.")],
    where: Annotated[
        list[str] | None, typer.Option("--where", help="attribute=value; repeat.")
    ] = None,
    mix: Annotated[
        Path | None,
        typer.Option(help="Table of attribute columns, one row an instance or with weights."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare services for some arms, a mix, or the pool as it is; the best comes first.

    The difference to the best is judged as if the surfaces had been made independently, which is
    cautious when the same labels scored both.

    Example: [bold]assay compare google.surface ibm.surface --mix customers.csv[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.answer import answer
    from accuracy_assay.cli.console import print_json, results
    from accuracy_assay.cli.ranking import rank, ranking_table
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.errors import InputError

    if len(surfaces) < 2:
        raise InputError(f"surfaces must be two or more; got {[str(s) for s in surfaces]}.")
    found = {str(path): answer(AccuracySurface.load(path), where or [], mix) for path in surfaces}
    places = rank(found)
    if as_json:
        print_json([asdict(place) for place in places])
    else:
        results().print(ranking_table(places))
