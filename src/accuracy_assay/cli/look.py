"""``assay look``: what a file is, how accurate the service in it is, and where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import ServiceName, is_store, is_surface

if TYPE_CHECKING:
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.study.look.look import Look

__all__ = ["look"]


def look(
    what: Annotated[
        list[str],
        typer.Argument(
            help="A table, an evaluation log, a folder or a pattern of them; a surface file; or "
            "the store of an assay."
        ),
    ],
    service: ServiceName = None,
    metric: Annotated[
        str | None, typer.Option(help="Which score, if the service has several.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a file is, how accurate a service is, where it fails, and what to do next.

    Columns are guessed, and a few attributes that explain most are chosen.

    Example: [bold]assay look rows.csv[/bold], or [bold]assay look logs/[/bold]
    """
    from accuracy_assay.cli.console import print_json, remarks, results
    from accuracy_assay.study.look.look import look as study

    if (found := _finished(what, service)) is not None:
        surface, kind, commands = found
        if as_json:
            print_json(_surface_dict(surface, kind) | {"commands": commands})
        else:
            results().print(_surface_text(what[0], surface, kind, commands), soft_wrap=True)
        return
    with remarks().status("looking"):
        seen = study(what[0] if len(what) == 1 else list(what), service, metric)
    if as_json:
        print_json(_as_dict(seen))
    else:
        results().print(str(seen), soft_wrap=True)


def _finished(
    what: list[str], service: str | None
) -> tuple[AccuracySurface, str, dict[str, str]] | None:
    """Return the surface of a file or a store, its kind, and what to do next; None for rows."""
    from accuracy_assay.cli.session import read_surface
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.parquet_paths import is_folder
    from accuracy_assay.study.look.commands import command
    from accuracy_assay.study.look.unknown import has_parquet, unknown
    from accuracy_assay.study.read.open_rows import is_rows, readers_of

    address = what[0]
    if is_folder(address) and not (readers_of(address) or has_parquet(address)):
        raise InputError(unknown(address))
    if len(what) > 1 or is_rows(address):
        return None
    if not is_store(address) and not is_surface(address):
        raise InputError(unknown(address))
    several: dict[str, str] = {}
    if is_store(address):
        kind, service, several = _whose(address, service)
    else:
        kind = "a surface file"
    surface, _ = read_surface(address, service, None, None, None)
    whose = [] if service is None else ["--service", service]
    commands = several | {
        "All weak slices": command("assay", "slices", address, *whose),
        "A page to read and share": command("assay", "report", address, *whose),
    }
    return surface, kind, commands


def _whose(store: str, service: str | None) -> tuple[str, str | None, dict[str, str]]:
    """Return what a store is, the service to look at, and what to ask of several."""
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.study.look.commands import command

    with open_assay(store, None, None, None) as assay:
        names = [each.name for each in assay.spec.service]
        kind = f"the store of the assay {assay.name!r}"
    if len(names) == 1:
        return kind, service, {}
    looked = names[0] if service is None else service
    others = f"{kind}, service {looked} of {len(names)} (--service for another)"
    return others, looked, {"Which service is best": command("assay", "compare", store)}


def _surface_text(name: str, surface: AccuracySurface, kind: str, commands: dict[str, str]) -> str:
    from accuracy_assay.runtime.visible_text import visible_text
    from accuracy_assay.study.look.words import command_lines, surface_lines

    sizes = ", ".join(f"{a.name} ({len(a.values)})" for a in surface.space.attributes)
    overall = surface.overall
    return "\n".join(
        [
            f"{name}: {kind}, {surface.label_count}",
            f"  attributes  {sizes}",
            *(f"  {visible_text(said)}" for said in surface.said_of_rows),
            "",
            f"{surface.measure} {overall.about}: {overall.mean:.1%} ({surface.level:.0%} interval "
            f"{overall.lower:.1%} to {overall.upper:.1%}).",
            *surface_lines(surface),
            "",
            *command_lines(commands),
        ]
    )


def _surface_dict(surface: AccuracySurface, kind: str) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "kind": kind,
        "labels": surface.n_labels,
        "labels_worth": surface.label_count.worth,
        "label_trust": surface.details.get("label_trust"),
        "attributes": {a.name: len(a.values) for a in surface.space.attributes},
        "overall": asdict(surface.overall),
        "slices": surface.slices().to_frame().to_dicts(),
    }


def _as_dict(seen: Look) -> dict[str, Any]:
    """Return a look for programs."""
    from dataclasses import asdict

    roles = seen.roles
    found = {
        "kind": seen.kind,
        "rows": seen.rows.height,
        "services": [asdict(each) for each in seen.scores],
        "service": seen.service,
        "metric": seen.metric,
        "is_clustered": seen.is_clustered,
        "columns": {
            "id": roles.id,
            "truth": roles.truth,
            "predictions": roles.predictions,
            "scores": {name: dict(said.scores) for name, said in roles.services.items()},
            "attributes": {a.as_typed: a.size for a in roles.attributes},
            "judges": list(roles.judges),
            "evidence": dict(roles.evidence),
            "texts": list(roles.texts),
            "media": dict(roles.media),
            "times": list(roles.times),
            "cluster": roles.cluster,
            "annotator": roles.annotator,
            "gold": roles.gold,
            "weight": roles.weight,
            "left_out": dict(roles.left_out),
        },
        "attributes": list(seen.attributes),
        "label_trust": None if seen.trust is None else asdict(seen.trust),
        "commands": seen.commands,
    }
    if seen.surface is None:
        return found | {"overall": None, "slices": []}
    slices = seen.surface.slices().to_frame().head(3).to_dicts()
    return found | {"overall": asdict(seen.surface.overall), "slices": slices}
