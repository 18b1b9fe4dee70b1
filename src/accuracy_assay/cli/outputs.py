"""Where results go, checked before the work.

A fit may take minutes, and asking takes leases, so a missing folder is reported first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import require_writable

__all__ = ["make_folder", "require_outputs"]

_ENDINGS = {
    "surface": (".surface",),
    "board": (".board",),
    "watch": (".watch",),
    "calibration": (".calibration",),
    "page": (".html", ".htm"),
    "metrics": (".csv",),
    "table": (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet"),
    "spec": (".toml",),
    "results page": (".md",),
    "card": (".md",),
    "picture": (".png", ".pdf", ".svg"),
    "store": (".assay", ".db", ".sqlite"),
}
"""Endings by the content of a file. Other endings are fine, but not those of another kind."""


def require_outputs(
    outputs: dict[str, Path | None], inputs: Iterable[str | Path | None] = ()
) -> None:
    """Refuse a result that cannot be written where it should go.

    Parameters
    ----------
    outputs
        Paths by what will be written there; None for nothing.
    inputs
        Files that the command reads, which no result may replace.

    Raises
    ------
    InputError
        If a path is not writable, has the ending of another kind of file, or is an input or the
        path of another result.
    """
    taken = {os.path.realpath(path): "an input of this command" for path in inputs if path}
    for what, path in outputs.items():
        if path is None:
            continue
        _require_ending(path, what)
        if what == "picture":
            from accuracy_assay.reports.figure_file import require_figure_place

            require_figure_place(path)
        require_writable(path, what)
        real = os.path.realpath(path)
        if real in taken:
            raise InputError(
                f"{what} must go to a separate file; got {str(path)!r}, which is {taken[real]}."
            )
        taken[real] = f"the {what} of this command"


def make_folder(path: Path, what: str = "folder of results") -> None:
    """Make the folder of results now, rather than after the work."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{what} must exist or be creatable; got {str(path)!r}: {error.strerror}."
        ) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise InputError(f"{what} must be writable; got {str(path)!r}.")


def _require_ending(path: Path, what: str) -> None:
    ending, own = path.suffix.lower(), _ENDINGS.get(what, ())
    other = [kind for kind, endings in _ENDINGS.items() if ending in endings]
    if other and own and ending not in own:
        raise InputError(
            f"{what} must have an ending such as {own[0]}; got {path.name!r}, the ending of a "
            f"{other[0]}."
        )
