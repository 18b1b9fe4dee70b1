"""What the commands of a session share: the store, which assay in it, and where the pool lies."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from accuracy_assay.session.assay import Assay

__all__ = [
    "Annotator",
    "AssayName",
    "PoolPath",
    "SeedSetPath",
    "StoreAddress",
    "find_working_folder",
    "is_store",
    "open_assay",
]

StoreAddress = Annotated[
    str, typer.Argument(help="Store: a file such as my.assay, or a postgresql:// URL.")
]
AssayName = Annotated[
    str | None, typer.Option("--name", help="Which assay, where a store has several.")
]
PoolPath = Annotated[
    Path | None, typer.Option("--pool", help="Table of the pool, if it has moved.")
]
SeedSetPath = Annotated[
    Path | None, typer.Option("--seed-set", help="Table of the seed set, if it has moved.")
]
Annotator = Annotated[str, typer.Option("--annotator", help="Name of the annotator.")]

_DATABASE = b"SQLite format 3\0"
"""How the file of a store begins."""


def is_store(address: str) -> bool:
    """Return whether an address is that of a database, or a file that is one."""
    if "://" in address:
        return True
    path = Path(address)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def open_assay(
    store: str,
    name: str | None,
    pool: Path | None,
    seed_set: Path | None,
    accept: Collection[str] = (),
    *,
    is_long: bool = False,
) -> Assay:
    """Open an assay, to be used in a ``with`` block, which closes it.

    A command that is long at work reads the tables at its start, and does not see them change.
    """
    from accuracy_assay.cli.trust import require_trust
    from accuracy_assay.session.assay import Assay

    find_working_folder()
    assay = Assay.open(
        store, name, pool=pool, seed_set=seed_set, accept=accept, check=require_trust(store)
    )
    if is_long:
        assay.session.read_tables()
    return assay


def find_working_folder() -> None:
    """Let ``module:name`` mean a file of the folder in which the command runs.

    The folder comes last, so that it hides no installed module.
    """
    import os
    import sys

    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
