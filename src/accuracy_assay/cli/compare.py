"""``assay compare``: which service is best for these arms or this mix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import AsJson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from accuracy_assay.study.compare import Place

__all__ = ["compare"]


def compare(
    surfaces: Annotated[list[Path], typer.Argument(help="Two or more surface files.")],
    where: Annotated[
        list[str] | None, typer.Option("--where", help="attribute=value; repeat.")
    ] = None,
    mix: Annotated[
        Path | None,
        typer.Option(help="Table of attribute columns, one row per instance or with weights."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare services for some arms, a mix, or the pool as it is; the best comes first.

    The difference to the best is judged as if the surfaces had been made independently, which is
    cautious when the same labels scored both.

    Example: [bold]assay compare google.surface ibm.surface --mix customers.csv[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import print_json, results
    from accuracy_assay.cli.parse import parse_conditions
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.study import compare as study

    loaded = {str(path): AccuracySurface.load(path) for path in surfaces}
    conditions = parse_conditions(where or [], next(iter(loaded.values())).space)
    places = study.compare(loaded, conditions, mix)
    if as_json:
        print_json([asdict(place) for place in places])
    else:
        results().print(_places_table(places))


def _places_table(places: Sequence[Place]) -> Table:
    from accuracy_assay.cli.tables import text_table

    level = places[0].estimate.level
    rows = []
    for place in places:
        e = place.estimate
        behind = f"{place.behind:.1%} ({place.behind_lower:.1%} to {place.behind_upper:.1%})"
        interval = f"{e.lower:.1%} to {e.upper:.1%}"
        is_best = place is places[0]
        rows.append(
            (place.name, f"{e.mean:.1%}", interval, f"{e.n:,.0f}", "" if is_best else behind)
        )
    columns = ("surface", "accuracy", f"{level:.0%} interval", "labels", "behind the best")
    return text_table(columns, rows)
