"""Columns of the pool that might be attributes, judged by the labels of a session."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from accuracy_assay.files.tables import require_columns
from accuracy_assay.registry import build_estimator
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.study.attributes.offered import OfferedColumns, offer_columns
from accuracy_assay.study.attributes.propose import Proposals, judge_columns

__all__ = ["propose_columns"]


def propose_columns(seen: Snapshot, columns: Sequence[str] | None = None) -> Proposals:
    """Judge unused columns of the pool, all of them by default.

    Raises
    ------
    InputError
        If a column is unknown, labels are too few, or one has no prediction.
    """
    solved, spec = seen.problem.whole, seen.problem.spec
    frame = solved.rows.frame
    taken = {judge.column for judge in spec.judge if judge.column is not None}
    for service in spec.service:
        taken |= spec.columns_of(service).named_in(frame.columns)
    offered = offer_columns(frame, taken) if columns is None else OfferedColumns(tuple(columns))
    require_columns(frame, offered.names, what="pool")
    rows = sorted(seen.labels)
    return judge_columns(
        solved.problem.arms,
        np.asarray(rows, dtype=np.int64),
        solved.scores(rows, seen.labels, seen.predictions),
        offered.read(frame),
        build_estimator(spec.assay.estimator),
        known=solved.known_codes(rows, seen.labels),
        seed=spec.assay.seed,
        offered=offered,
    )
