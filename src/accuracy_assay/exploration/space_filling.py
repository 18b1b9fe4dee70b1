"""The first labels cover the pool: where each next one goes while labels say too little to guide.

From nothing, or from a handful of labels, the posterior that an estimator leaves is mostly its
prior, and what it believes to be uncertain moves with every single label. Here labels count by
where they fall alone, not by what they say. The accuracies of cells have the covariance

    L + (A / K) sum over coordinates of s_k + J exp(-W sum over coordinates of (1 - s_k))
      + O [same arm]

in units of what sets arms apart (A + J + O = 1), and every label has the variance D. s_k is the
likeness of two cells along coordinate k, an attribute or a signal: [x_k = x'_k], or exp(-E d) for
an ordered one whose ends are at distance 1; K is the number of coordinates. Greedy picks under it
balance the values of every coordinate first, and their combinations later.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.protocols import Candidates
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["ROUNDING", "before_labels", "with_labelled"]

ROUNDING = 1e-6
"""Share of the best gain by which kinds of instances may fall short of it and still be equal: one
of the equals is drawn."""

# A, J, O: of what sets arms apart on real tasks, attributes alone explain a third to a half.
_ALONE, _JOINT, _OWN = 0.4, 0.4, 0.2
# L: before labels the common level of accuracy is known to twice the spread of arms around it.
_LEVEL = 4.0
# D: arms of real tasks differ by 0.02 to 0.035 in squared accuracy, and a coin has 0.1 to 0.2.
# With 6 in place of 10 labels chase single arms and are no better than random ones.
_LABEL_VARIANCE = 10.0
_JOINT_RATE = 0.45  # W: the prior's of ``numerics.gp.anova``
_ORDERED_RATE = 3.3  # E: the prior's there, where the ends are at distance 2


def before_labels(posterior: CellPosterior) -> CellPosterior:
    """Return what is known of the same cells before any label: all alike, nearer ones more so."""
    support = posterior.support
    every = np.arange(support.cells.size)
    codes, is_ordered, range_of = _coordinates(support)
    arm = support.arm_of_cell

    def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
        alone, apart = np.zeros((2, rows.size, columns.size))
        for k, ordered in enumerate(is_ordered):
            step = np.abs(codes[rows, k][:, None] - codes[columns, k][None, :])
            like = np.exp(-_ORDERED_RATE / range_of[k] * step) if ordered else step == 0
            alone += like
            apart += 1.0 - like
        same_arm = arm[rows][:, None] == arm[columns][None, :]
        joint = _JOINT * np.exp(-_JOINT_RATE * apart)
        return np.asarray(_LEVEL + _ALONE / len(is_ordered) * alone + joint + _OWN * same_arm)

    variance = np.full(every.size, _LEVEL + _ALONE + _JOINT + _OWN)
    label_variance = np.full(every.size, _LABEL_VARIANCE)
    rate, labelled = np.full(every.size, 0.5), np.zeros(every.size)
    return CellPosterior(support, rate, variance, label_variance, labelled, covariance)


def with_labelled(candidates: Candidates, posterior: CellPosterior) -> Candidates:
    """Return the candidates with the labels that the posterior has seen as pending ones."""
    times = np.rint(posterior.labelled).astype(np.int64)
    seen = Affiliation.exact(np.repeat(posterior.support.cells, times))
    return replace(candidates, pending=Affiliation.concatenate([candidates.pending, seen]))


def _coordinates(support: Support) -> tuple[IntArray, list[bool], list[int]]:
    """Return the codes of each cell, (T, K), which coordinates are ordered, and their ranges."""
    attributes = list(support.space.attributes)
    columns = [support.space.codes(support.cells // support.n_strata)]
    if support.strata is not None:
        attributes += support.strata.attributes
        columns.append(support.strata.codes(support.cells % support.n_strata))
    is_ordered = [a.is_ordered and a.size > 2 for a in attributes]
    return np.concatenate(columns, axis=1), is_ordered, [a.size - 1 for a in attributes]
