"""The design-based check of a session: from who was drawn with what chance to an accuracy."""

from __future__ import annotations

import numpy as np

from accuracy_assay.metrics.design_check import DesignCheck, design_check
from accuracy_assay.session.snapshots import Snapshot

__all__ = ["check_by_design"]


def check_by_design(seen: Snapshot, level: float) -> DesignCheck | None:
    """Return the overall accuracy by the chances of the labels, or None where they do not tell it.

    A label of the seed set is a row that was known before the first draw.
    """
    problem = seen.problem
    rows = problem.rows
    chance = {row: (0.0, 0.0) for row in rows.seed_labels if row < rows.n_pool}
    for instance, chances in seen.chances.items():
        if rows.row_of[instance] < rows.n_pool:
            chance.setdefault(rows.row_of[instance], chances)
    order = list(chance)
    labelled = [row for row in order if row in seen.labels]
    if not any(least for _, least in chance.values()) or not labelled:
        return None
    found = problem.scores(labelled, seen.labels, seen.predictions)
    score = dict(zip(labelled, found.tolist(), strict=True))
    scores = np.asarray([score.get(row, np.nan) for row in order])
    chances, least = np.asarray([chance[row] for row in order]).T
    is_pool = problem.problem.support.is_pool
    return design_check(scores, chances, least, rows.n_pool, level=level, is_pool=is_pool)
