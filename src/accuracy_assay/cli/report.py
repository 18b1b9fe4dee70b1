"""``assay report``: a surface file or an assay as a page that stands alone, or as a picture.

The page of an assay embeds labelled instances of its weak slices and arms, with images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import (
    AssayName,
    MetricName,
    PoolPath,
    SeedSetPath,
    ServiceName,
    SurfaceAddress,
    is_store,
    open_assay,
    read_surface,
)

if TYPE_CHECKING:
    from accuracy_assay.reports.over_time import OverTime
    from accuracy_assay.reports.report import Case, Report
    from accuracy_assay.reports.services_board import ServicesBoard
    from accuracy_assay.session.assay import Assay
    from accuracy_assay.session.instances import Instance
    from accuracy_assay.spec.model import Spec

__all__ = ["cases_of", "report"]

_MOST_NAMED = 4
"""Most files that a remark names: the page, the picture, and the first figure."""
_MOST_SLICES = 15
"""Most slices, and most arms, whose instances a page shows: as many arms as it lists."""
_MOST_BYTES = 300_000
"""Most bytes of an image in a page: as much as everything else on it."""


def report(
    surface: SurfaceAddress,
    out: Annotated[
        Path | None, typer.Option(help="Page to write (default: next to the surface).")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Picture to write too: PNG, PDF or SVG.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for each figure as PNG and PDF.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Calibration file to describe on the page too.")
    ] = None,
    judge_certificate: Annotated[
        Path | None, typer.Option(help="Certificate of a judge to show on the page too.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Headline (default: the file's name).")] = None,
    service: ServiceName = None,
    metric: MetricName = None,
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
    from accuracy_assay.reports.certificate import Certificate
    from accuracy_assay.reports.figures import write_figures
    from accuracy_assay.reports.page import write_page
    from accuracy_assay.reports.picture import write_picture
    from accuracy_assay.reports.report import report_of
    from accuracy_assay.reports.verdict import verdict

    if out is None and ("://" in surface or "*" in surface):
        raise InputError("the page of a database or a pattern must have --out; got none.")
    page = out or Path(surface).with_suffix(".html")
    require_outputs(
        {"page": page, "picture": picture},
        [surface, calibration, judge_certificate, pool, seed_set],
    )
    if figures is not None:
        make_folder(figures, "folder of figures")
    if is_store(surface):
        shown = _of_assay(surface, service, name, pool, seed_set, title, instances)
    else:
        found, stem = read_surface(surface, service, name, pool, seed_set, metric)
        shown = report_of(found, title or stem)
    if calibration is not None:
        shown = replace(shown, calibration=FittedCalibration.load(calibration).report)
    if judge_certificate is not None:
        shown = replace(shown, certificate=Certificate.load(judge_certificate))
    written = [write_page(shown, page)]
    if picture is not None:
        written.append(write_picture(shown, picture))
    if figures is not None:
        written += write_figures(shown, figures)
    if as_json:
        files = list(map(str, written))
        overall = asdict(shown.surface.overall)
        print_json({"verdict": verdict(shown), "overall": overall, "files": files})
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
    """Return the report of a service in an assay, with what others say about it."""
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.cli.report import cases_of
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
            services=services_of(assay),
            over_time=over_time_of(assay, found),
        )


def over_time_of(assay: Assay, service: str) -> OverTime | None:
    """Return a service over time; None where nothing could be promised or shown."""
    from accuracy_assay.errors import InputError

    try:
        return assay.watch(service).in_report()
    except InputError:  # too few random labels, guessed attributes, or all at one moment
        return None


def services_of(assay: Assay) -> ServicesBoard | None:
    """Return all services of an assay side by side; None with one, or without labels of all."""
    from accuracy_assay.errors import InputError
    from accuracy_assay.reports.services_board import MOST_VALUES, ServicesBoard

    if len(assay.spec.service) < 2 or not assay.session.labelled_ids():
        return None
    try:
        found = assay.compare()
    except InputError:  # a service has not answered yet: the page is about another
        return None
    shown = [a.name for a in found.space.attributes if 1 < a.size <= MOST_VALUES]
    by = {name: found.by(name).to_dicts() for name in shown}
    return ServicesBoard(found.to_frame().to_dicts(), by)


def cases_of(
    assay: Assay, service: str, report: Report, count: int
) -> dict[str, tuple[Case, ...]]:
    """Return up to ``count`` labelled instances of each weak slice and arm, wrong ones first.

    Keys are the names of the slices. Instances with guessed attributes are listed in likely
    slices, the surest first.
    """
    from accuracy_assay.domain.slices import slice_name
    from accuracy_assay.reports.report import Case, wrong_first

    if count < 1:
        return {}
    surface = report.surface
    kinds = {column: kind for kind, column in assay.spec.label.shown if column != "id"}
    weak = surface.arms[report.weak_arms()[:_MOST_SLICES]]
    slices = [part.where for part in report.slices.found[:_MOST_SLICES]]
    slices += [surface.space.describe(int(arm)) for arm in weak]
    found: dict[str, tuple[Case, ...]] = {}
    for where in slices:
        known = [
            Case(each.id, each.label, said.answer, said.score)
            for each in _instances(assay, where)
            if each.label is not None and (said := each.answers.get(service)) is not None
        ]
        first = wrong_first(known, count)
        table = assay.session.show([case.id for case in first])
        rows = table.rows_by_key("id", named=True, unique=True)
        shown = tuple(_shown(case, rows[case.id], kinds, assay.spec) for case in first)
        found[slice_name(where)] = shown
    return {name: cases for name, cases in found.items() if cases}


def _instances(assay: Assay, where: Mapping[str, object]) -> list[Instance]:
    """Return the labelled instances of a slice; in a weak one, none may be right."""
    import warnings

    from accuracy_assay.domain.agreement import AgreementWarning
    from accuracy_assay.session.instances import list_instances

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        return list_instances(assay.session.parts().snapshots, where, labelled_only=True)


def _shown(case: Case, row: Mapping[str, Any], kinds: Mapping[str, str], spec: Spec) -> Case:
    """Return a case with its image and its texts."""
    from accuracy_assay.files.texts import as_text
    from accuracy_assay.reports.report import Case

    texts: dict[str, str] = {}
    picture = None
    for column, kind in kinds.items():
        value = row.get(column)
        if value is None:
            continue
        image = _image(value, spec) if kind == "image" and picture is None else None
        if image is not None:
            picture = image
        elif not isinstance(value, bytes):
            texts[column] = as_text(value)
    return Case(case.id, case.label, case.answer, case.score, texts, picture)


def _image(value: object, spec: Spec) -> tuple[str, bytes] | None:
    """Return an image and its media type, None if it is unreadable or too large."""
    from accuracy_assay.errors import InputError
    from accuracy_assay.web.label.media import is_media, media_folder, read_media

    if not is_media(value):
        return None
    try:
        content, kind = read_media(value, media_folder(spec.pool), "image")
    except InputError:
        return None
    return (kind, content) if kind.startswith("image/") and len(content) <= _MOST_BYTES else None
