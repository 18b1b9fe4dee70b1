"""The instances behind some arms as plain values: what people and services answered."""

from __future__ import annotations

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.instances import list_instances
from accuracy_assay.web.surface.queries import InstancesQuery
from accuracy_assay.web.surface.selection import Selection, read_conditions
from accuracy_assay.web.surface.values import About, InstanceRow, Instances
from accuracy_assay.web.surface.views import numbers

__all__ = ["instances_view"]


def instances_view(
    about: About, assay: Assay, surface: AccuracySurface | None, query: InstancesQuery
) -> Instances:
    """Return the instances in the selected arms, labelled ones first."""
    selection = Selection(read_conditions(assay.space, query.where))
    labelled_only = query.which == "labelled"
    snapshots = assay.session.parts().snapshots
    found = list_instances(snapshots, selection.where, labelled_only=labelled_only)
    average = None if surface is None else selection.average(surface)
    return Instances(
        about=about,
        asked=str(selection),
        average=numbers(average),
        found=len(found),
        labelled=sum(instance.label is not None for instance in found),
        offset=query.part.start,
        # A column that is shown twice has the kind that comes first.
        shown={c: kind for kind, c in reversed(assay.spec.label.shown) if c != "id"},
        instances=[InstanceRow.model_validate(instance) for instance in found[query.part]],
        remarks=[] if found else [_nothing(labelled_only)],
    )


def _nothing(labelled_only: bool) -> str:
    if labelled_only:
        return "These arms have no labels; their estimate is borrowed from similar arms."
    return "These arms have no instances."
