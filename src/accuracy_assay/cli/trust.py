"""Ask before an assay from elsewhere imports code or sends secrets, once per machine.

Agreements are kept in ``accuracy-assay/trusted.json`` under XDG_CONFIG_HOME or ``~/.config``. An
assay created on this machine is trusted. ``assay --trust COMMAND`` agrees without a question.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accuracy_assay.spec.model import Spec

__all__ = ["IS_AGREED", "is_trusted", "require_trust", "trust"]

IS_AGREED: ContextVar[bool] = ContextVar("is_agreed", default=False)
"""Whether the command was called with ``--trust``."""


def require_trust(store: str) -> Callable[[Spec], None]:
    """Return a check of the spec in a store; it asks, or raises an error without a terminal."""

    def check(spec: Spec) -> None:
        import typer

        from accuracy_assay.cli.console import remarks
        from accuracy_assay.errors import InputError
        from accuracy_assay.spec.reach import spec_reach

        reach = spec_reach(spec)
        if is_trusted(store, reach):
            return
        if IS_AGREED.get():
            trust(store, spec)
            return
        if not sys.stdin.isatty():
            raise InputError(
                f"an assay must be trusted before it may act; got one that {'; '.join(reach)}. If "
                "you know where it comes from, agree once: assay --trust COMMAND ..."
            )
        remarks().print("This assay was not made on this machine. To open it:", markup=False)
        for line in reach:
            remarks().print(f"  {line}", markup=False)
        if not typer.confirm("Do you trust it?", err=True):
            raise typer.Exit(1)
        trust(store, spec)

    return check


def is_trusted(store: str, reach: tuple[str, ...]) -> bool:
    """Return whether a spec with this reach needs no trust, or has it."""
    return not reach or _mark(store, reach) in _trusted()


def trust(store: str, spec: Spec) -> None:
    """Remember that the spec in a store is trusted."""
    from accuracy_assay.files.whole_file import write_whole
    from accuracy_assay.spec.reach import spec_reach

    reach = spec_reach(spec)
    if reach:
        path = _file()
        path.parent.mkdir(parents=True, exist_ok=True)
        marks = sorted({*_trusted(), _mark(store, reach)})
        write_whole(path, json.dumps(marks, indent=1), "list of trusted assays")


def _mark(store: str, reach: tuple[str, ...]) -> str:
    from accuracy_assay.runtime.secrets import without_password

    address = without_password(store) if "://" in store else str(Path(store).absolute())
    return hashlib.sha256("\n".join((address, *reach)).encode("utf-8", "replace")).hexdigest()


def _trusted() -> set[str]:
    try:
        return set(json.loads(_file().read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return set()


def _file() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "accuracy-assay" / "trusted.json"
