"""Tasks out to labelling tools, and their answers back in as events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import ConflictError
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.files.texts import as_text, same_value
from accuracy_assay.protocols import LabelTask, Returned
from accuracy_assay.session.answers import check_annotator, check_ids, check_label, told_event
from accuracy_assay.session.frames import shown_columns
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import Predictions
from accuracy_assay.spec.model import Spec

__all__ = ["events_of", "one_label_each", "shown_kinds", "tasks_of"]


def tasks_of(
    spec: Spec,
    batch: pl.DataFrame,
    predictions: Mapping[str, Predictions],
    annotator: str | None = None,
) -> list[LabelTask]:
    """Return a batch as tasks; ``predictions`` by service, none by default in every caller."""
    kinds = shown_kinds(spec)
    return [
        LabelTask(
            row["id"],
            tuple((kind, column, row[column]) for kind, column in kinds),
            row["arm"],
            row["why"],
            tuple(
                (name, *told[row["id"]]) for name, told in predictions.items() if row["id"] in told
            ),
            annotator,
        )
        for row in batch.iter_rows(named=True)
    ]


def shown_kinds(spec: Spec) -> list[tuple[str, str]]:
    """Return what an annotator is shown: kind and column."""
    visible = set(shown_columns(spec))
    return [
        (kind, column)
        for kind, columns in spec.label.show.items()
        for column in ([columns] if isinstance(columns, str) else columns)
        if column in visible
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
    _check_all(spec, rows, returned)
    named = [replace(answer, id=rows.find_id(answer.id)) for answer in returned]
    for who, answers in _by_annotator(named, annotator).items():
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


def _check_all(spec: Spec, rows: AssayRows, returned: Sequence[Returned]) -> None:
    """Raise an error that names every answer with an unknown instance or a label that is none."""
    mistakes = Mistakes("answers")
    for answer in returned:
        with mistakes.noting():
            name = rows.find_id(answer.id)
            if answer.label is not None:
                check_label(spec, rows, name, as_text(answer.label))
    mistakes.raise_any()


def _by_annotator(returned: Sequence[Returned], annotator: str) -> dict[str, list[Returned]]:
    """Group answers by who gave them; two different ones by the same person are a conflict."""
    groups: dict[str, list[Returned]] = {}
    for answer in returned:
        groups.setdefault(answer.annotator or annotator, []).append(answer)
    mistakes = Mistakes("answers")
    for who, answers in groups.items():
        with mistakes.noting():
            one_label_each(answers, f"answers of {who!r}")
    mistakes.raise_any()
    return groups


def one_label_each(returned: Sequence[Returned], what: str) -> dict[str, str]:
    """Return the label of each answered instance; labels that contradict each other are refused.

    Raises
    ------
    ConflictError
        If one instance has two labels that differ; the message names both.
    """
    labels: dict[str, str] = {}
    mistakes = Mistakes("answers")
    for answer in returned:
        if answer.label is None:
            continue
        before = labels.setdefault(answer.id, answer.label)
        with mistakes.noting():
            if not same_value(before, answer.label):
                raise ConflictError(
                    f"{what} to instance {answer.id!r} must agree; got {before!r} and "
                    f"{answer.label!r} in one file."
                )
    mistakes.raise_any()
    return labels
