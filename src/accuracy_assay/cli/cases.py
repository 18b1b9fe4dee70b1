"""Labelled instances of weak slices and arms for a report, with images: what a page can embed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accuracy_assay.domain.agreement import AgreementWarning
from accuracy_assay.domain.slices import slice_name
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_text
from accuracy_assay.reports.report import Case, Report, wrong_first
from accuracy_assay.web.label.media import is_media, media_folder, read_media

if TYPE_CHECKING:
    from accuracy_assay.session.assay import Assay
    from accuracy_assay.session.instances import Instance
    from accuracy_assay.spec.model import Spec

__all__ = ["cases_of"]

_MOST_PLACES = 15
"""Slices, and arms, whose instances a page has: as many arms as it lists."""
_MOST_BYTES = 300_000
"""Of an image inside a page: as much as all else on it."""


def cases_of(
    assay: Assay, service: str, report: Report, count: int
) -> dict[str, tuple[Case, ...]]:
    """Return up to ``count`` labelled instances of each weak slice and arm, wrong ones first.

    They are found by the name of the place. Instances of guessed attributes are listed where they
    may well be, the surest first.
    """
    if count < 1:
        return {}
    surface = report.surface
    kinds = {column: kind for kind, column in assay.spec.label.shown if column != "id"}
    weak = surface.arms[report.weak_arms()[:_MOST_PLACES]]
    places = [part.where for part in report.slices.found[:_MOST_PLACES]]
    places += [surface.space.describe(int(arm)) for arm in weak]
    found: dict[str, tuple[Case, ...]] = {}
    for where in places:
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
    """Return the labelled instances of a place; that not one is right is no surprise there."""
    from accuracy_assay.session.instances import list_instances

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        return list_instances(assay.session.parts().snapshots, where, labelled_only=True)


def _shown(case: Case, row: Mapping[str, Any], kinds: Mapping[str, str], spec: Spec) -> Case:
    """Return a case with its image and its texts; what is neither is named only."""
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
    """Return an image and its media type, or None where it cannot be read or is too large."""
    if not is_media(value):
        return None
    try:
        content, kind = read_media(value, media_folder(spec.pool), "image")
    except InputError:
        return None
    return (kind, content) if kind.startswith("image/") and len(content) <= _MOST_BYTES else None
