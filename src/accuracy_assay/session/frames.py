"""Tables of a session: what an annotator is shown, and the labels so far.

An annotator never sees a prediction, nor an attribute that gives the label away.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.files.texts import LIST_SIGN, as_text
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.ledger import Ledger, Resolved
from accuracy_assay.session.snapshots import Snapshots
from accuracy_assay.spec.model import LabelSection, Spec
from accuracy_assay.study.read.arms import Arms

__all__ = ["batch_frame", "labels_frame", "row_choices", "shown_columns"]

# Probability of its likeliest value below which an attribute is worth a second look. Chosen by
# hand: above it a confirmation says little that is new, and each costs an annotator some seconds.
_SURE = 0.9
_LABELS = {
    "id": pl.String,
    "label": pl.String,
    "answers": pl.Int64,
    "is_disputed": pl.Boolean,
    "votes": pl.String,
    "chance": pl.Float64,
    "at_random": pl.Boolean,
}


def shown_columns(spec: Spec) -> list[str]:
    """Return the pool columns that the spec shows, each once."""
    shown = [*(c for _, c in spec.label.shown), *spec.label.choices_from]
    return list(dict.fromkeys(c for c in shown if c != "id"))  # a batch has its own


def batch_frame(
    spec: Spec, snapshots: Snapshots, ids: Sequence[str], ledger: Ledger
) -> pl.DataFrame:
    """Return one row for each instance: id, what to show, arm and why.

    Where attributes are guessed there is also ``unsure``: those that an annotator had better
    confirm, divided by commas. Where confirmations have prices they are those that the instance
    was asked with.
    """
    reasons = [ledger.reasons.get(i, "") for i in ids]
    rows = snapshots.rows
    index = rows.numbers(ids)
    arms = rows.space.codes(snapshots.affiliation(index).argmax())
    texts = {"id": list(ids), "arm": _arms(spec, rows.space, arms), "why": list(reasons)}
    if any(a.evidence for a in spec.attribute):
        priced = spec.confirm_prices
        free = _unsure(spec, snapshots.arms, index, set(priced))
        asked = ledger.to_confirm if priced else {}
        texts["unsure"] = [
            ", ".join([*names, *asked.get(i, ())]) for i, names in zip(ids, free, strict=True)
        ]
    made = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String))
    shown = rows.take(index, shown_columns(spec))
    return pl.concat([made, shown], how="horizontal").select(
        "id", *shown.columns, *(name for name in texts if name != "id")
    )


def labels_frame(ledger: Ledger, labels: Mapping[str, Resolved] | None = None) -> pl.DataFrame:
    """Return one row for each labelled instance, in the order of their first answers.

    ``chance`` is the chance with which an instance was picked when it was asked for, null where
    it was not; ``at_random`` says whether it was drawn from all free instances alike. ``labels``
    are what instances are taken to be where that is not simply what most people answered.
    """
    known = {} if labels is None else labels
    found = {i: known[i] if i in known else ledger.resolve(i) for i in ledger.answers}
    rows = [
        (
            instance,
            resolved.label,
            sum(resolved.votes.values()),
            resolved.is_disputed,
            ", ".join(f"{label}: {n}" for label, n in resolved.votes.items()),
            ledger.chances[instance][0] or None,
            instance in ledger.at_random,
        )
        for instance, resolved in found.items()
    ]
    return pl.DataFrame(rows, schema=_LABELS, orient="row")


def row_choices(label: LabelSection, row: Mapping[str, Any]) -> list[str]:
    """Return the choices of one instance: what its columns hold, a list of them or one each.

    A column with a list, or a text such as ``a | b``, holds several.
    """
    found: list[str] = []
    for column in label.choices_from:
        value = row.get(column)
        if value is None:
            continue
        parts = value if isinstance(value, list) else as_text(value).split(LIST_SIGN)
        found += [text for part in parts if (text := as_text(part).strip())]
    return list(dict.fromkeys(found))


def _arms(spec: Spec, space: AttributeSpace, codes: IntArray) -> list[str]:
    """Return the most probable value of each attribute that the label does not reveal."""
    visible = [k for k, a in enumerate(spec.attribute) if not a.from_label]
    return [
        ", ".join(
            f"{space.attributes[k].name}={space.attributes[k].values[row[k]]}" for k in visible
        )
        for row in codes
    ]


def _unsure(spec: Spec, arms: Arms, index: IntArray, priced: Collection[str]) -> list[list[str]]:
    """Return the guessed attributes, without a price, of each instance that are not sure.

    Neither by the calibration, nor by the predictor itself, which a raw calibration takes at its
    word.
    """
    guessed = [k for k, a in enumerate(spec.attribute) if a.evidence and a.name not in priced]
    rows = arms.candidate.take(index)
    codes = arms.space.codes(rows.indices)
    top = np.zeros((index.size, len(guessed)))
    for column, k in enumerate(guessed):
        size = arms.space.attributes[k].size
        group = rows.row_index * size + codes[:, k]
        share = sum_by_group(group, rows.weights, index.size * size).reshape(-1, size)
        said = np.max(arms.evidence.columns[k][index], axis=1, initial=0.0)
        top[:, column] = np.minimum(share.max(axis=1, initial=0.0), said)
    names = [spec.attribute[k].name for k in guessed]
    return [[n for n, p in zip(names, row, strict=True) if p < _SURE] for row in top]
