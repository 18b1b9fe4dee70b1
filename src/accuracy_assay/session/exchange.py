"""Tasks out to labelling tools, and their answers back in as requests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import polars as pl

from accuracy_assay.errors import ConflictError
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.files.texts import as_text, same_value
from accuracy_assay.protocols import LabelTask, Returned
from accuracy_assay.session.answers import AnswerRules, check_label
from accuracy_assay.session.requests import Skip, Tell
from accuracy_assay.session.service_problem import Predictions
from accuracy_assay.spec.model import Spec

__all__ = ["one_label_each", "requests_of", "shown_kinds", "tasks_of"]


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
                (name, *made[row["id"]]) for name, made in predictions.items() if row["id"] in made
            ),
            annotator,
        )
        for row in batch.iter_rows(named=True)
    ]


def shown_kinds(spec: Spec) -> list[tuple[str, str]]:
    """Return what an annotator is shown: kind and column."""
    return [(kind, column) for kind, column in spec.label.shown if column != "id"]


def requests_of(
    rules: AnswerRules, returned: Sequence[Returned], annotator: str, *, replace: bool
) -> list[Tell | Skip]:
    """Return the requests of returned answers, by annotator; all answers are checked first."""
    requests: list[Tell | Skip] = []
    _check_all(rules, returned)
    named = [dataclasses.replace(answer, id=rules.find_id(answer.id)) for answer in returned]
    for who, answers in _by_annotator(named, annotator).items():
        told = {r.id: r for r in answers if r.label is not None}
        if told:
            requests.append(
                Tell(
                    who,
                    tuple(told),
                    tuple(r.label for r in told.values()),
                    [r.attributes for r in told.values()],
                    tuple(r.seconds for r in told.values()),
                    replace,
                )
            )
        skipped = dict.fromkeys(r.id for r in answers if r.label is None and r.id not in told)
        if skipped:
            requests.append(Skip(who, tuple(skipped), "skipped in the labelling tool"))
    return requests


def _check_all(rules: AnswerRules, returned: Sequence[Returned]) -> None:
    """Raise an error that names every answer with an unknown instance or a bad label."""
    mistakes = Mistakes("answers")
    for answer in returned:
        with mistakes.noting():
            name = rules.find_id(answer.id)
            if answer.label is not None:
                check_label(rules, name, as_text(answer.label))
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
