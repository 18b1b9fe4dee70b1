"""Tables of a session: what an annotator is shown, and the labels so far.

An annotator never sees a prediction, nor an attribute that gives the label away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.assay.ledger import Ledger
from accuracy_assay.assay.rows import AssayRows
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.arms import Arms

__all__ = ["batch_frame", "labels_frame", "shown_columns"]

_LABELS = {
    "id": pl.String,
    "label": pl.String,
    "answers": pl.Int64,
    "is_disputed": pl.Boolean,
    "votes": pl.String,
}


def shown_columns(spec: Spec) -> list[str]:
    """Return the pool columns that the spec shows, each once."""
    named = [c for v in spec.label.show.values() for c in ([v] if isinstance(v, str) else v)]
    return list(dict.fromkeys(c for c in named if c != "id"))  # a batch has its own id


def batch_frame(
    spec: Spec, rows: AssayRows, arms: Arms, ids: Sequence[str], reasons: Sequence[str]
) -> pl.DataFrame:
    """Return one row for each instance: id, what to show, arm and why."""
    index = np.asarray([rows.row_of[i] for i in ids], dtype=np.int64)
    texts = {"id": list(ids), "arm": _arms(spec, arms, index), "why": list(reasons)}
    made = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String))
    shown = rows.frame[index].select(shown_columns(spec))
    return pl.concat([made, shown], how="horizontal").select("id", *shown.columns, "arm", "why")


def labels_frame(ledger: Ledger) -> pl.DataFrame:
    """Return one row for each labelled instance, in the order of their first answers."""
    found = {instance: ledger.resolve(instance) for instance in ledger.answers}
    rows = [
        (
            instance,
            resolved.label,
            sum(resolved.votes.values()),
            resolved.is_disputed,
            ", ".join(f"{label}: {n}" for label, n in resolved.votes.items()),
        )
        for instance, resolved in found.items()
    ]
    return pl.DataFrame(rows, schema=_LABELS, orient="row")


def _arms(spec: Spec, arms: Arms, index: IntArray) -> list[str]:
    """Return the most probable value of each attribute that the label does not reveal."""
    space = arms.space
    visible = [k for k, a in enumerate(spec.attribute) if not a.from_label]
    codes = space.codes(arms.candidate.take(index).argmax())
    return [
        ", ".join(
            f"{space.attributes[k].name}={space.attributes[k].values[row[k]]}" for k in visible
        )
        for row in codes
    ]
