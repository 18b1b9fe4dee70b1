"""``assay report``: a surface file as a page that stands alone, or as a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["report"]


def report(
    surface: Annotated[Path, typer.Argument(help="Surface file.")],
    out: Annotated[Path | None, typer.Option(help="Page to write (default: beside it).")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Picture to write as well: PNG, PDF or SVG.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Calibration file to describe on the page as well.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Headline (default: the file's name).")] = None,
) -> None:
    """Write a surface as an HTML page that needs no network.

    Example: [bold]assay report s.surface --out s.html --picture s.png[/bold]
    """
    from accuracy_assay.calibration.fitted import FittedCalibration
    from accuracy_assay.cli.console import one_line, remark
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.reports.page import write_page
    from accuracy_assay.reports.picture import write_picture
    from accuracy_assay.reports.report import Report

    page = out or surface.with_suffix(".html")
    require_outputs({"page": page, "picture": picture}, [surface, calibration])
    loaded = AccuracySurface.load(surface)
    facts = {name: str(value) for name, value in loaded.details.items() if _is_plain(value)}
    shown = Report(title or surface.stem, loaded, facts=facts)
    if calibration is not None:
        shown = replace(shown, calibration=FittedCalibration.load(calibration).report)
    written = [write_page(shown, page)]
    if picture is not None:
        written.append(write_picture(shown, picture))
    remark(f"wrote {', '.join(map(one_line, written))}")


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
