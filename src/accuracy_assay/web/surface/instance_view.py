"""The instances behind some arms as plain values: what people and services answered."""

from __future__ import annotations

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.surface.selection import Selection
from accuracy_assay.web.surface.values import About, InstanceRow, Instances
from accuracy_assay.web.surface.views import WHOLE, numbers

__all__ = ["instances_view"]


def instances_view(
    about: About,
    assay: Assay,
    surface: AccuracySurface | None,
    selection: Selection,
    *,
    labelled_only: bool = True,
    part: slice = WHOLE,
) -> Instances:
    """Return the instances in the selected arms, labelled ones first.

    Parameters
    ----------
    about, assay, surface
        What the view is of; without a surface there is no average.
    selection
        Which arms; a mix is ignored.
    labelled_only
        Whether to leave out instances without a label.
    part
        Which of them to return; all by default.
    """
    found = assay.instances(selection.where, labelled_only=labelled_only)
    average = None if surface is None else Selection(selection.where).average(surface)
    return Instances(
        about=about,
        asked=str(selection),
        average=numbers(average),
        found=len(found),
        labelled=sum(instance.label is not None for instance in found),
        offset=part.start or 0,
        # A column that is shown twice has the kind that comes first.
        shown={c: kind for kind, c in reversed(assay.spec.label.shown) if c != "id"},
        instances=[InstanceRow.model_validate(instance) for instance in found[part]],
        remarks=[] if found else [_nothing(labelled_only)],
    )


def _nothing(labelled_only: bool) -> str:
    if labelled_only:
        return "These arms have no labels; their estimate is borrowed from similar arms."
    return "These arms have no instances."
