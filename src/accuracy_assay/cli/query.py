"""``assay query``: what a surface says about some arms, or a client's own mix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import MetricName, ServiceName, SurfaceAddress, read_surface

if TYPE_CHECKING:
    from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["query"]


def query(
    surface: SurfaceAddress,
    where: Annotated[
        list[str] | None,
        typer.Argument(help="attribute=value; repeat an attribute for several values."),
    ] = None,
    mix: Annotated[
        Path | None,
        typer.Option(help="Table of attribute columns, one row per instance or with weights."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Attribute whose values to list, one row each; repeat."),
    ] = None,
    service: ServiceName = None,
    metric: MetricName = None,
    as_json: AsJson = False,
) -> None:
    """Ask a surface for the accuracy of some arms, under a mix, or by attribute.

    Example: [bold]assay query s.surface sex=Female age=35[/bold], or
    [bold]assay query s.surface --by sex[/bold]
    """
    from dataclasses import asdict

    from accuracy_assay.cli.console import print_json, remark, results
    from accuracy_assay.cli.parse import parse_conditions
    from accuracy_assay.study.compare.compare import answer

    loaded, _ = read_surface(surface, service, None, None, None, metric)
    for said in loaded.said_of_rows:
        remark(said)
    if by:
        _show_values(loaded, by, where, mix, as_json=as_json)
        return
    found = answer(loaded, parse_conditions(where or [], loaded.space), mix)
    if as_json:
        print_json(asdict(found) | {"label_trust": loaded.details.get("label_trust")})
    else:
        results().print(str(found))


def _show_values(
    surface: AccuracySurface,
    by: list[str],
    where: list[str] | None,
    mix: Path | None,
    *,
    as_json: bool,
) -> None:
    """Show the accuracy for each value of some attributes."""
    from dataclasses import asdict

    from accuracy_assay.cli.console import print_json, results, text_table
    from accuracy_assay.domain.averages import averages_by
    from accuracy_assay.errors import InputError

    if where or mix is not None:
        raise InputError(
            "query must have --by, or conditions, or a mix; got --by and another. --by always "
            "averages over the pool as it is."
        )
    names = list(dict.fromkeys(by))
    overall, table = surface.overall, averages_by(surface, names, surface.support)
    apart = [surface.difference(*names), surface.ratio(*names)] if table.height > 1 else []
    if as_json:
        found: dict[str, object] = {contrast.kind: asdict(contrast) for contrast in apart}
        found["label_trust"] = surface.details.get("label_trust")
        print_json({"overall": asdict(overall), "by": table.to_dicts(), **found})
        return
    rows = [
        [
            ", ".join(str(row[name]) for name in names),
            f"{row['mean']:.1%}",
            f"{row['lower']:.1%} to {row['upper']:.1%}",
            f"{row['n']:,.0f}",
            f"{row['support']:,.0f}",
        ]
        for row in table.iter_rows(named=True)
    ]
    interval = f"{surface.level:.0%} interval"
    columns = (", ".join(names), surface.measure, interval, "labels", "rows")
    results().print(text_table(columns, rows))
    results().print(f"overall {overall}")
    for contrast in apart:
        results().print(
            f"largest {contrast}" if contrast.kind == "difference" else f"smallest {contrast}"
        )
