"""The surface that a command is about: a file, or what an assay says of one of its services."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.session import is_store, open_assay

if TYPE_CHECKING:
    from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["ServiceName", "SurfaceAddress", "read_surface"]

SurfaceAddress = Annotated[str, typer.Argument(help="Surface file, or the store of an assay.")]
ServiceName = Annotated[
    str | None, typer.Option("--service", help="Which service, where an assay has several.")
]


def read_surface(
    address: str,
    service: str | None,
    name: str | None,
    pool: Path | None,
    seed_set: Path | None,
) -> tuple[AccuracySurface, str]:
    """Return a surface and what it is called: its file's name, or that of the assay.

    Raises
    ------
    InputError
        If options of an assay are given with a file.
    """
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.errors import InputError

    if is_store(address):
        with open_assay(address, name, pool, seed_set) as assay, remarks().status("fitting"):
            return assay.surface(service), assay.name
    options = {"--service": service, "--name": name, "--pool": pool, "--seed-set": seed_set}
    if given := [option for option, value in options.items() if value]:
        raise InputError(
            f"options of an assay must go with its store; got the surface {address!r} and "
            f"{', '.join(given)}."
        )
    return AccuracySurface.load(address), Path(address).stem
