"""Figures as files: PNG, PDF or SVG by the file's name, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.files.whole_file import require_writable, whole_file
from accuracy_assay.reports.fonts import draw_every_script

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["require_figure_place", "write_figure"]


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
    kind = _kind_of(target, what)
    draw_every_script(figure)
    with whole_file(target, what) as file:
        figure.savefig(file, format=kind, dpi=dpi, facecolor="white")
    return target


def require_figure_place(path: str | Path, what: str = "picture") -> None:
    """Raise the error that `write_figure` would, before the work that the figure shows."""
    _kind_of(Path(path), what)
    require_writable(path, what)


def _kind_of(target: Path, what: str) -> str:
    """Return the format that the ending names."""
    from matplotlib.backend_bases import FigureCanvasBase

    kind, known = target.suffix[1:].lower(), FigureCanvasBase.get_supported_filetypes()
    if kind not in known:
        raise UnknownNameError(f"ending of {what} {target.name!r}", kind, sorted(known))
    return kind
