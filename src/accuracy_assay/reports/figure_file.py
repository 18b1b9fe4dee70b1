"""Figures as files: PNG, PDF or SVG by the file's name, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.files.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_figure"]


def write_figure(figure: Figure, path: str | Path, *, dpi: int, what: str = "picture") -> Path:
    """Write a matplotlib figure and return its path; the ending chooses the format.

    Raises
    ------
    UnknownNameError
        If matplotlib knows no format with that ending.
    InputError
        If no file can be at that path.
    """
    target = Path(path)
    kind = target.suffix[1:].lower()
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise UnknownNameError(f"ending of {what} {target.name!r}", kind, sorted(known))
    with whole_file(target, what) as file:
        figure.savefig(file, format=kind, dpi=dpi, facecolor="white")
    return target
