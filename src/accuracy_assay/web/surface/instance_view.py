"""The instances behind some arms as plain values: what people and services answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.instances import Instance, list_instances
from accuracy_assay.web.surface.queries import InstancesQuery
from accuracy_assay.web.surface.selection import Selection, read_conditions
from accuracy_assay.web.surface.values import About, InstanceRow, Instances
from accuracy_assay.web.surface.views import numbers

__all__ = ["instances_view"]

_UNANSWERED = 2.0
"""Sorts after every score, which is at most 1."""


def instances_view(
    about: About, assay: Assay, surface: AccuracySurface | None, query: InstancesQuery
) -> Instances:
    """Return the instances in the selected arms: labelled ones first, those answered worst first.

    Without an answer of the chosen service, a labelled instance follows those that have one.
    """
    selection = Selection(read_conditions(assay.space, query.where))
    labelled_only = query.which == "labelled"
    snapshots = assay.session.parts().snapshots
    found = list_instances(snapshots, selection.where, labelled_only=labelled_only)
    if query.id is not None:
        found = [instance for instance in found if instance.id == query.id]
    found.sort(key=partial(_badness, service=about.service))
    shown = found[query.part]
    if query.services == "chosen":
        shown = [_of_service(instance, about.service) for instance in shown]
    average = None if surface is None else selection.average(surface)
    return Instances(
        about=about,
        asked=str(selection),
        average=numbers(average),
        found=len(found),
        labelled=sum(instance.label is not None for instance in found),
        offset=query.part.start,
        services=[about.service] if query.services == "chosen" else [],
        shown=_kinds(assay.spec.label.shown),
        instances=[InstanceRow.model_validate(instance) for instance in shown],
        remarks=[] if found else [_nothing(labelled_only)],
    )


def _kinds(shown: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the columns to show in their order; one that is shown twice has its first kind."""
    kinds: dict[str, str] = {}
    for kind, column in shown:
        if column != "id":
            kinds.setdefault(column, kind)
    return kinds


def _badness(instance: Instance, service: str) -> tuple[bool, float]:
    """Return a key that sorts labelled instances by the service's score, the others last."""
    said = instance.answers.get(service)
    return instance.label is None, _UNANSWERED if said is None else said.score


def _of_service(instance: Instance, service: str) -> Instance:
    kept = {name: said for name, said in instance.answers.items() if name == service}
    return replace(instance, answers=kept)


def _nothing(labelled_only: bool) -> str:
    if labelled_only:
        return "These arms have no labels; their estimate is borrowed from similar arms."
    return "These arms have no instances."
