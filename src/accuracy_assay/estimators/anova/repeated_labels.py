"""Labels of clusters that each lie within one cell, such as the repeats of an item.

The rate of rows like these is the mean over the clusters that there may be, so a cluster is one
observation of it, and its rows are worth less than as many independent ones: n labels count as

    n / (1 + (n - 1) r)

with r the correlation of two scores of one cluster (Kish, 1965; for rates Rao and Scott, 1992),
estimated by analysis of variance within cells (Ridout, Demetrio and Firth, 1999). Nothing is
assumed of how clusters differ, and as many of them as there are items cost no more than cells.

Notation: I clusters, each within one of the cells without clusters, with n, y, y_sq (I,).
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["as_independent"]

_LEAST_COMPARED = 20
"""Fewest clusters beyond one per cell, and fewest rows beyond one per cluster. With fewer clusters
r is hardly known, and the process integrates over what it may be; with fewer rows a cluster counts
as one label, which costs few."""


def as_independent(observations: Observations, pool: Support) -> Observations | None:
    """Return the labels as fewer independent ones over ``pool``, which has no clusters.

    None if a cluster lies in several cells, or clusters are too few.
    """
    support, rows = observations.support, observations.affiliation
    if not rows.is_exact:
        return None
    cluster = rows.indices % support.n_clusters
    if np.unique(cluster).size < cluster.size:
        return None
    cell = rows.indices // support.n_clusters
    n = observations.count
    r = _correlation(cell, n, observations.score, observations.score_sq)
    if r is None:
        return None
    worth = 1.0 / (1.0 + np.maximum(n - 1.0, 0.0) * r)
    read = observations.other_scores
    return Observations.exact(
        pool,
        cell,
        worth * n,
        worth * observations.score,
        worth * observations.score_sq,
        observations.prior_strength,
        None if read is None else worth * read,
    )


def _correlation(cell: IntArray, n: FloatArray, y: FloatArray, y_sq: FloatArray) -> float | None:
    """Return r; None if too little is known of it."""
    _, of = np.unique(cell, return_inverse=True)
    n_cells, n_rows, n_clusters = int(of.max()) + 1, float(n.sum()), n.size
    if n_clusters - n_cells < _LEAST_COMPARED:
        return None
    if n_rows - n_clusters < _LEAST_COMPARED:
        return 1.0
    of_cell = sum_by_group(of, n, n_cells)
    mean = sum_by_group(of, y, n_cells) / of_cell
    between = float((n * (y / n - mean[of]) ** 2).sum()) / (n_clusters - n_cells)
    within = float((y_sq - y**2 / n).sum()) / (n_rows - n_clusters)
    squares = sum_by_group(of, n**2, n_cells)
    typical = (n_rows - float((squares / of_cell).sum())) / (n_clusters - n_cells)
    shared = max(between - within, 0.0) / typical
    return shared / (shared + within) if shared + within > 0.0 else 0.0
