"""The instances behind some arms as plain values: what was shown, answered and said."""

from __future__ import annotations

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.instances import list_instances
from accuracy_assay.spec.model import Spec
from accuracy_assay.web.surface.question import Question
from accuracy_assay.web.surface.values import About, InstanceRow, Instances, Said
from accuracy_assay.web.surface.views import numbers

__all__ = ["instances_view"]


def instances_view(
    about: About,
    assay: Assay,
    surface: AccuracySurface | None,
    question: Question,
    *,
    labelled_only: bool = True,
    offset: int = 0,
    limit: int | None = None,
) -> Instances:
    """Return the instances in the arms that are asked for, labelled ones first.

    Parameters
    ----------
    about, assay, surface
        What the view is of; without a surface instances are listed all the same.
    question
        Its conditions say which arms.
    labelled_only
        Whether instances without a label are left out.
    offset, limit
        From which instance on, and how many at most; all by default.
    """
    snapshots = assay.session.parts().snapshots
    found = list_instances(snapshots, question.where, labelled_only=labelled_only)
    shown = found[offset:] if limit is None else found[offset : offset + limit]
    average = None if surface is None else Question(question.where).average(surface)
    return Instances(
        about=about,
        asked=str(question),
        average=None if average is None else numbers(average),
        found=len(found),
        labelled=sum(instance.label is not None for instance in found),
        offset=offset,
        shown=_kinds(assay.spec),
        instances=[
            InstanceRow(
                id=instance.id,
                chance=instance.chance,
                shown=dict(instance.shown),
                label=instance.label,
                votes=dict(instance.votes),
                answers={
                    name: Said(answer=said.answer, score=said.score)
                    for name, said in instance.answers.items()
                },
            )
            for instance in shown
        ],
        remarks=[] if found else [_nothing(labelled_only)],
    )


def _nothing(labelled_only: bool) -> str:
    if labelled_only:
        return "No labelled instance is in these arms; their estimate is borrowed from arms alike."
    return "No instance is in these arms."


def _kinds(spec: Spec) -> dict[str, str]:
    """Return how each shown column is shown."""
    named = [
        (column, kind)
        for kind, columns in spec.label.show.items()
        for column in ([columns] if isinstance(columns, str) else columns)
        if column != "id"
    ]
    return {column: str(kind) for column, kind in reversed(named)}
