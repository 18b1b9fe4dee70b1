"""The instances behind some arms: what was shown, what people answered, what services said.

With guessed attributes an instance is in several arms with some probability; it is listed under
the likely ones. Predictions are listed for labelled instances only, since an annotator who sees
one tends to agree with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.files.texts import as_texts
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.session.frames import shown_columns
from accuracy_assay.session.service_problem import Labels, score_answers
from accuracy_assay.session.snapshots import Snapshots

__all__ = ["Instance", "ServiceAnswer", "list_instances", "predictions_of"]

_LEAST_CHANCE = 0.05
"""Probability of being in the arms above which an instance is listed. With less, every arm would
list thousands of instances that are almost surely elsewhere."""


@dataclass(frozen=True)
class ServiceAnswer:
    """What a service said of a labelled instance, and how well it agrees with the label."""

    answer: str
    score: float


@dataclass(frozen=True)
class Instance:
    """One instance of some arms.

    Parameters
    ----------
    id
        Its id.
    chance
        Probability that it is in these arms; 1 where its attributes are known.
    shown
        The columns that annotators are shown, as texts.
    label
        What it is taken to be, None without a label.
    votes
        Answers by label; none for a label that came with the seed set.
    answers
        What each service said, of those that have answered; none without a label.
    """

    id: str
    chance: float
    shown: Mapping[str, str]
    label: str | None = None
    votes: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, ServiceAnswer] = field(default_factory=dict)


def list_instances(
    snapshots: Snapshots, where: Mapping[str, object], *, labelled_only: bool
) -> list[Instance]:
    """Return the instances in the arms with some values: labelled ones first, the surest first.

    Parameters
    ----------
    snapshots
        What is known of the assay.
    where
        Attribute values; all instances where there are none.
    labelled_only
        Whether instances without a label are left out.
    """
    labelled = _labelled(snapshots, where)
    return labelled if labelled_only else [*labelled, *_unlabelled(snapshots, where)]


def predictions_of(snapshots: Snapshots, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return what services predicted for instances, by instance and service."""
    known = snapshots.by_service()
    return {i: {name: made[i][0] for name, made in known.items() if i in made} for i in ids}


def _labelled(snapshots: Snapshots, where: Mapping[str, object]) -> list[Instance]:
    seen = snapshots.take(snapshots.spec.service[0])
    rows = sorted(seen.labels)
    index = np.asarray(rows, dtype=np.int64)
    arms = snapshots.plain_arms.labelled(index, seen.problem.known_codes(rows, seen.labels))
    found = [(rows[i], chance) for i, chance in _surest(arms, where, snapshots)]
    listed = [row for row, _ in found]
    said, shown = _answers(snapshots, seen.labels, listed), _shown(snapshots, listed)
    ids = snapshots.rows.ids
    with snapshots.journal.reading() as ledger:
        told = {row for row in listed if ids[row] in ledger.answers}
    return [
        Instance(
            ids[row],
            chance,
            texts,
            seen.labels[row].label,
            dict(seen.labels[row].votes) if row in told else {},
            said[row],
        )
        for (row, chance), texts in zip(found, shown, strict=True)
    ]


def _unlabelled(snapshots: Snapshots, where: Mapping[str, object]) -> list[Instance]:
    rows = snapshots.rows
    with snapshots.journal.reading() as ledger:
        is_free = [
            row not in rows.seed_labels and instance not in ledger.answers
            for row, instance in enumerate(rows.ids[: rows.n_pool])
        ]
    free = np.flatnonzero(is_free)
    found = _surest(snapshots.plain_arms.candidate.take(free), where, snapshots)
    listed = [int(free[i]) for i, _ in found]
    return [
        Instance(rows.ids[row], chance, texts)
        for row, (_, chance), texts in zip(listed, found, _shown(snapshots, listed), strict=True)
    ]


def _surest(
    arms: Affiliation, where: Mapping[str, object], snapshots: Snapshots
) -> list[tuple[int, float]]:
    """Return the rows that may well be in the arms, with their chances, the highest first."""
    is_meant = snapshots.rows.space.matches(arms.indices, where)
    chance = sum_by_group(arms.row_index, np.where(is_meant, arms.weights, 0.0), arms.n_rows)
    order = np.argsort(-chance, kind="stable")
    return [(int(i), min(float(chance[i]), 1.0)) for i in order if chance[i] >= _LEAST_CHANCE]


def _answers(
    snapshots: Snapshots, labels: Labels, rows: Sequence[int]
) -> dict[int, dict[str, ServiceAnswer]]:
    """Return what the services said of labelled rows, by row and service."""
    spec, ids = snapshots.spec, snapshots.rows.ids
    found: dict[int, dict[str, ServiceAnswer]] = {row: {} for row in rows}
    for name, known in snapshots.by_service().items():
        met = {row: known[ids[row]][0] for row in rows if ids[row] in known}
        truths = [labels[row].label for row in met]
        scores = score_answers(spec.label.agreement, truths, list(met.values())) if met else ()
        for (row, answer), score in zip(met.items(), scores, strict=True):
            found[row][name] = ServiceAnswer(answer, float(score))
    return found


def _shown(snapshots: Snapshots, rows: Sequence[int]) -> list[dict[str, str]]:
    columns = shown_columns(snapshots.spec)
    table = snapshots.rows.frame[list(rows)].select(columns)
    return [dict(zip(columns, as_texts(values), strict=True)) for values in table.rows()] or [
        {} for _ in rows
    ]
