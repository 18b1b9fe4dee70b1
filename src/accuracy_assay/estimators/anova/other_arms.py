"""What other calibrations of guessed attributes, or of annotators, would make of a fitted model.

Under another calibration labels observe other mixtures of cells, and the pool has other sizes. The
mode moves by a few steps that keep theta and the factor of the fit; the rate of a cell follows its
logit by the mean slope. If labels would have other scores, the logits move by their posterior
covariance times the difference, which is Newton's first step.

Notation: B other calibrations, T pool cells, A pool arms.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.estimators.anova.node import Node
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["doubt_of"]


def doubt_of(model: AnovaModel, mean: FloatArray, in_pool: IntArray) -> Doubt | None:
    """Return what others say of the listed arms, whose means are given, (A_listed,).

    ``in_pool`` are the positions of the pool's arms. None if attributes are exact or nobody knows.
    """
    support = model.support
    moved = model.rows.other_scores_on(support.cells)
    rates, sizes = _other_rates(model, moved), support.others
    if rates is None and sizes is None:
        return None
    n_others = len(rates) if rates is not None else len(sizes)  # type: ignore[arg-type]
    rates = np.zeros((n_others, support.cells.size)) if rates is None else rates
    sizes = np.repeat(support.size[None], n_others, axis=0) if sizes is None else sizes
    counts, arm, n_arms = (
        model.rows.on_cells(support.cells),
        support.arm_of_cell,
        support.arms.size,
    )
    n, y = (counts.n, counts.y) if support.is_pool else (0.0 * counts.n, 0.0 * counts.y)
    away = moved if support.is_pool and moved is not None else np.zeros((n_others, 1))
    shift, size = np.zeros((2, n_others, mean.size))
    for b in range(n_others):
        free = np.maximum(sizes[b] - n, 0.0)
        total = sum_by_group(arm, n + free, n_arms)
        known = y + away[b]
        right = sum_by_group(arm, known + free * (model.moments[0] + rates[b]), n_arms)
        is_there = total > 0.0
        other = np.where(is_there, right / np.where(is_there, total, 1.0), mean[in_pool])
        shift[b, in_pool] = np.clip(other, 0.0, 1.0) - mean[in_pool]
        size[b, in_pool] = sum_by_group(arm, sizes[b], n_arms)
    return Doubt(shift.astype(np.float32), size.astype(np.float32))


def _other_rates(model: AnovaModel, scores: FloatArray | None) -> FloatArray | None:
    """Return how far the rates of the pool's cells move under each other, (B, T).

    ``scores`` (B, T) is by how much others move the sums of scores of certain cells.
    """
    best, rows = model.nodes[0], model.rows
    if not isinstance(best, Node):
        return None
    if scores is not None:
        moved = best.times(scores.T / rows.dispersion)
    elif rows.P is not None and (rows.others or rows.other_y is not None):
        labels, *others = rows.mixtures()
        moved = best.respond(labels, others)
    else:
        return None
    return np.asarray(moved.T * (best.terms[:, 1] / best.logit_sd))
