"""What an annotator is shown: never a prediction, never an attribute that gives the label away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.assay.affiliations import Affiliations
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.spec.model import Spec

__all__ = ["batch_frame", "shown_columns"]


def shown_columns(spec: Spec) -> list[str]:
    """Return the pool columns that the spec shows, each once."""
    named = [c for v in spec.label.show.values() for c in ([v] if isinstance(v, str) else v)]
    return list(dict.fromkeys(c for c in named if c != "id"))  # a batch has its own id


def batch_frame(
    spec: Spec, affiliations: Affiliations, ids: Sequence[str], reasons: Sequence[str]
) -> pl.DataFrame:
    """Return one row for each instance: id, what to show, arm and why."""
    rows = affiliations.rows
    index = np.asarray([rows.row_of[i] for i in ids], dtype=np.int64)
    texts = {"id": list(ids), "arm": _arms(spec, affiliations, index), "why": list(reasons)}
    made = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String))
    shown = rows.frame[index].select(shown_columns(spec))
    return pl.concat([made, shown], how="horizontal").select("id", *shown.columns, "arm", "why")


def _arms(spec: Spec, affiliations: Affiliations, index: IntArray) -> list[str]:
    """Return the most probable value of each attribute that the label does not reveal."""
    space = affiliations.rows.space
    visible = [k for k, a in enumerate(spec.attribute) if not a.from_label]
    codes = space.codes(affiliations.candidate.take(index).argmax())
    return [
        ", ".join(
            f"{space.attributes[k].name}={space.attributes[k].values[row[k]]}" for k in visible
        )
        for row in codes
    ]
