"""Tasks out to labelling tools, and their answers back in as events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from accuracy_assay.assay.answers import check_annotator, check_ids, told_event
from accuracy_assay.assay.frames import shown_columns
from accuracy_assay.assay.rows import AssayRows
from accuracy_assay.assay.service_problem import Predictions
from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import ConflictError
from accuracy_assay.protocols import LabelTask, Returned
from accuracy_assay.spec.model import Spec

__all__ = ["events_of", "tasks_of"]


def tasks_of(
    spec: Spec, batch: pl.DataFrame, predictions: Mapping[str, Predictions]
) -> list[LabelTask]:
    """Return a batch as tasks; ``predictions`` by service, none by default in every caller."""
    visible = set(shown_columns(spec))
    kinds = [
        (kind, column)
        for kind, columns in spec.label.show.items()
        for column in ([columns] if isinstance(columns, str) else columns)
        if column in visible
    ]
    return [
        LabelTask(
            row["id"],
            tuple((kind, column, row[column]) for kind, column in kinds),
            row["arm"],
            row["why"],
            tuple(
                (name, *told[row["id"]]) for name, told in predictions.items() if row["id"] in told
            ),
        )
        for row in batch.iter_rows(named=True)
    ]


def events_of(
    spec: Spec,
    rows: AssayRows,
    returned: Sequence[Returned],
    annotator: str,
    *,
    is_replacing: bool,
) -> list[Told | Skipped]:
    """Return the events of returned answers, one for each annotator; all are checked first."""
    events: list[Told | Skipped] = []
    for who, answers in _by_annotator(returned, annotator).items():
        told = {r.id: r for r in answers if r.label is not None}
        if told:
            events.append(
                told_event(
                    spec,
                    rows,
                    told,
                    [r.label for r in told.values()],
                    who,
                    [r.attributes for r in told.values()],
                    [r.seconds for r in told.values()],
                    is_replacing=is_replacing,
                )
            )
        skipped = dict.fromkeys(r.id for r in answers if r.label is None and r.id not in told)
        if skipped:
            names = check_ids(rows, skipped)
            events.append(Skipped(names, check_annotator(who), "skipped in the labelling tool"))
    return events


def _by_annotator(returned: Sequence[Returned], annotator: str) -> dict[str, list[Returned]]:
    """Group answers by who gave them; two different ones by the same person are a conflict."""
    groups: dict[str, list[Returned]] = {}
    seen: dict[tuple[str, str], str] = {}
    for answer in returned:
        who = answer.annotator or annotator
        groups.setdefault(who, []).append(answer)
        if answer.label is None:
            continue
        before = seen.setdefault((who, answer.id), answer.label)
        if before != answer.label:
            raise ConflictError(
                f"answers of {who!r} to instance {answer.id!r} must agree; got {before!r} and "
                f"{answer.label!r} in one file."
            )
    return groups
