"""The first labels cover the pool: where each next one goes while labels say too little to guide.

From nothing, or from a handful of labels, the posterior that an estimator leaves is mostly its
prior, and what it believes to be uncertain moves with every single label. Here labels count by
where they fall alone, not by what they say. The accuracies of arms have the covariance

    L + (A / K) sum over attributes of s_k + J exp(-W sum over attributes of (1 - s_k))
      + O [same arm]

in units of what sets arms apart (A + J + O = 1), and every label has the variance D. s_k is the
likeness of two arms along attribute k: [x_k = x'_k], or exp(-E d) for an ordered one whose ends
are at distance 1; K is the number of attributes. Greedy picks under it balance the values of every
attribute first, and their combinations later. Which rows of an arm are labelled is left to chance,
so that its signal strata come up as often as the pool has them: rare ones weigh little in an arm,
but that is where services err.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
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
    """Return what is known of the arms before any label: all alike, nearer ones more so."""
    support = posterior.support.without_signals()
    codes, attributes = support.space.codes(support.arms), support.space.attributes

    def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
        alone, apart = np.zeros((2, rows.size, columns.size))
        for k, attribute in enumerate(attributes):
            step = np.abs(codes[rows, k][:, None] - codes[columns, k][None, :])
            is_ordered = attribute.is_ordered and attribute.size > 2
            unit = _ORDERED_RATE / max(attribute.size - 1, 1)
            like = np.exp(-unit * step) if is_ordered else step == 0
            alone += like
            apart += 1.0 - like
        joint = _JOINT * np.exp(-_JOINT_RATE * apart)
        own = _OWN * (rows[:, None] == columns[None, :])
        return np.asarray(_LEVEL + _ALONE / len(attributes) * alone + joint + own)

    each = np.ones(support.arms.size)
    variance = (_LEVEL + _ALONE + _JOINT + _OWN) * each
    return CellPosterior(
        support, 0.5 * each, variance, _LABEL_VARIANCE * each, 0.0 * each, covariance
    )


def with_labelled(candidates: Candidates, posterior: CellPosterior) -> Candidates:
    """Return candidates over arms with the labels that the posterior has seen as pending ones."""
    times = np.rint(posterior.labelled).astype(np.int64)
    seen = Affiliation.exact(
        np.repeat(posterior.support.cells, times) // posterior.support.n_strata
    )
    return replace(candidates, pending=Affiliation.concatenate([candidates.pending, seen]))
