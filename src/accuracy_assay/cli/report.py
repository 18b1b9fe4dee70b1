"""``assay report``: a surface file as a page that stands alone, or as a picture."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson

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
    as_json: AsJson = False,
) -> None:
    """Write a surface as an HTML page that needs no network.

    Example: [bold]assay report s.surface --out s.html --picture s.png[/bold]
    """
    from accuracy_assay.calibration.fitted import FittedCalibration
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.reports.page import write_page
    from accuracy_assay.reports.picture import write_picture
    from accuracy_assay.reports.report import report_of

    page = out or surface.with_suffix(".html")
    require_outputs({"page": page, "picture": picture}, [surface, calibration])
    loaded = AccuracySurface.load(surface)
    shown = report_of(loaded, title or surface.stem)
    if calibration is not None:
        shown = replace(shown, calibration=FittedCalibration.load(calibration).report)
    written = [write_page(shown, page)]
    if picture is not None:
        written.append(write_picture(shown, picture))
    if as_json:
        print_json({"overall": asdict(loaded.overall), "files": list(map(str, written))})
        return
    remark(f"wrote {', '.join(map(one_line, written))}")
