"""What commands share that take an assay or a surface: the store, the assay, its tables."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from accuracy_assay.domain.surface import AccuracySurface

if TYPE_CHECKING:
    from accuracy_assay.session.assay import Assay

__all__ = [
    "Annotator",
    "AssayName",
    "MetricName",
    "PoolPath",
    "SeedSetPath",
    "ServiceName",
    "StoreAddress",
    "SurfaceAddress",
    "find_working_folder",
    "is_store",
    "is_surface",
    "open_assay",
    "read_surface",
    "title_of",
]

StoreAddress = Annotated[
    str, typer.Argument(help="Store: a file such as my.assay, or a postgresql:// URL.")
]
AssayName = Annotated[
    str | None, typer.Option("--name", help="Which assay, if the store has several.")
]
PoolPath = Annotated[
    Path | None, typer.Option("--pool", help="Table of the pool, if it has moved.")
]
SeedSetPath = Annotated[
    Path | None, typer.Option("--seed-set", help="Table of the seed set, if it has moved.")
]
Annotator = Annotated[str, typer.Option("--annotator", help="Name of the annotator.")]

_DATABASE = b"SQLite format 3\0"
"""First bytes of the file of a store."""


SurfaceAddress = Annotated[
    str, typer.Argument(help="Surface file, the store of an assay, or evaluation logs.")
]
ServiceName = Annotated[
    str | None,
    typer.Option("--service", help="Which service, if the assay or the log has several."),
]
MetricName = Annotated[
    str | None, typer.Option("--metric", help="Which score of a log, if it has several.")
]


def is_store(address: str) -> bool:
    """Return whether an address is a database URL or a database file."""
    if "://" in address:
        return True
    path = Path(address)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def is_surface(address: str) -> bool:
    """Return whether a file can be a surface, which is a zip file."""
    from zipfile import is_zipfile

    return Path(address).is_file() and is_zipfile(address)


def open_assay(
    store: str,
    name: str | None,
    pool: Path | None,
    seed_set: Path | None,
    accept: Collection[str] = (),
    *,
    is_long: bool = False,
) -> Assay:
    """Open an assay, for a ``with`` block that closes it.

    A long-running command reads the tables at its start, and does not see them change.
    """
    from accuracy_assay.cli.trust import require_trust
    from accuracy_assay.errors import InputError
    from accuracy_assay.session.assay import Assay

    if not is_store(store) and is_surface(store):
        raise InputError(
            f"store must be that of an assay; got {store!r}, which is a surface: `assay look`, "
            "`query`, `slices`, `report` and `card` say what is in it."
        )
    find_working_folder()
    assay = Assay.open(
        store, name, pool=pool, seed_set=seed_set, accept=accept, check=require_trust(store)
    )
    if is_long:
        assay.session.read_tables()
    return assay


def find_working_folder() -> None:
    """Let ``module:name`` find a file in the current folder.

    The folder comes last in the path, so it hides no installed module.
    """
    import os
    import sys

    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def title_of(rows: str) -> str:
    """Return the name of a table or a log: its file, or the folder of a pattern."""
    path = Path(rows)
    return path.parent.name if "*" in path.name else path.stem


def read_surface(
    address: str,
    service: str | None,
    name: str | None,
    pool: Path | None,
    seed_set: Path | None,
    metric: str | None = None,
) -> tuple[AccuracySurface, str]:
    """Return a surface and its name: that of its file, of the assay, or of a service in a log.

    Raises
    ------
    InputError
        If options of an assay are given with a file, or a table or a log must be fitted first.
    """
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.cli.log_rows import find_log_at, surface_of_log
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import is_table
    from accuracy_assay.study.look.commands import command

    if is_store(address):
        with open_assay(address, name, pool, seed_set) as assay, remarks().status("fitting"):
            return assay.surface(service), assay.name
    log = find_log_at(address)
    of_service = {"--service": service, "--metric": metric} if log is None else {}
    options = {**of_service, "--name": name, "--pool": pool, "--seed-set": seed_set}
    if given := [option for option, value in options.items() if value]:
        raise InputError(
            f"options of an assay must go with its store; got the surface file {address!r} and "
            f"{', '.join(given)}."
        )
    fitting = command("assay", "surface", address, "--out", "s.surface", "--attribute", "COLUMN")
    advice = f"Make a surface first, and name that: {fitting}"
    if log is not None:
        return surface_of_log(log, service, metric, advice), title_of(address)
    if is_table(address):
        raise InputError(f"a surface must be a file of one; got the table {address!r}. {advice}.")
    return AccuracySurface.load(address), Path(address).stem
