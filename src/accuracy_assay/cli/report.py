"""``assay report``: a surface file, or an assay, as a page that stands alone, or as a picture."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import (
    AssayName,
    PoolPath,
    SeedSetPath,
    is_store,
    open_assay,
)
from accuracy_assay.cli.shown_surface import ServiceName, SurfaceAddress, read_surface

if TYPE_CHECKING:
    from accuracy_assay.reports.report import Report

__all__ = ["report"]

_MOST_NAMED = 4
"""Files that a remark names: the page, the picture, and the first figure."""


def report(
    surface: SurfaceAddress,
    out: Annotated[Path | None, typer.Option(help="Page to write (default: beside it).")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Picture to write as well: PNG, PDF or SVG.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for each figure as PNG and PDF.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Calibration file to describe on the page as well.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Headline (default: the file's name).")] = None,
    service: ServiceName = None,
    instances: Annotated[
        int,
        typer.Option(min=0, help="Labelled instances of each weak slice and arm to show."),
    ] = 6,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Write a surface as an HTML page that needs no network.

    The page of an assay also shows labelled instances of the weak slices, and what judges and
    referees of the service say.

    Example: [bold]assay report s.surface --out s.html --picture s.png[/bold]
    """
    from accuracy_assay.calibration.fitted import FittedCalibration
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.cli.outputs import make_folder, require_outputs
    from accuracy_assay.errors import InputError
    from accuracy_assay.reports.figures import write_figures
    from accuracy_assay.reports.page import write_page
    from accuracy_assay.reports.picture import write_picture
    from accuracy_assay.reports.report import report_of

    if out is None and "://" in surface:
        raise InputError("the page of an assay in a database must have --out; got none.")
    page = out or Path(surface).with_suffix(".html")
    require_outputs({"page": page, "picture": picture}, [surface, calibration, pool, seed_set])
    if figures is not None:
        make_folder(figures, "folder of figures")
    if is_store(surface):
        shown = _of_assay(surface, service, name, pool, seed_set, title, instances)
    else:
        found, stem = read_surface(surface, service, name, pool, seed_set)
        shown = report_of(found, title or stem)
    if calibration is not None:
        shown = replace(shown, calibration=FittedCalibration.load(calibration).report)
    written = [write_page(shown, page)]
    if picture is not None:
        written.append(write_picture(shown, picture))
    if figures is not None:
        written += write_figures(shown, figures)
    if as_json:
        print_json({"overall": asdict(shown.surface.overall), "files": list(map(str, written))})
        return
    if len(written) > _MOST_NAMED:
        more = f", and {len(written) - _MOST_NAMED} more in {one_line(figures)}"
    else:
        more = ""
    remark(f"wrote {', '.join(map(one_line, written[:_MOST_NAMED]))}{more}")


def _of_assay(
    store: str,
    service: str | None,
    name: str | None,
    pool: Path | None,
    seed_set: Path | None,
    title: str | None,
    instances: int,
) -> Report:
    """Return the report of a service in an assay, with what others say of it."""
    from accuracy_assay.cli.cases import cases_of
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.reports.report import report_of
    from accuracy_assay.session.opinions import contested_rows, judge_report, referee_table

    with open_assay(store, name, pool, seed_set) as assay, remarks().status("fitting"):
        shown = report_of(assay.surface(service), title or assay.name)
        is_exact = not any(a.evidence or a.from_label for a in assay.spec.attribute)
        found = assay.spec.find_service(service).name
        return replace(
            shown,
            cases=cases_of(assay, found, shown, instances),
            judges=judge_report(assay.session, service) if is_exact else None,
            referees=referee_table(assay.session, service),
            contested=contested_rows(assay.session),
        )
