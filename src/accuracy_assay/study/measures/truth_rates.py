"""Rates of rows that the truth chooses (recall, false positives), from shares of truths.

If the pool has the predictions, only the truth of its rows is unknown. So the share of rows of a
class C is estimated by arm *and* by whether C was predicted, and rates are ratios of the resulting
numbers of rows.

Notation: arm a has N_ap pool rows that were predicted C (p = 1) or not (p = 0), and a share d_ap
of them is of class C. Then it has

    P_a = N_a0 d_a0 + N_a1 d_a1   rows of class C,   recall_a = N_a1 d_a1 / P_a,

and with 1 - d for d the same holds for rows that are not of class C. The arm's rate is the ratio
of the expected numbers, so averages over arms, weighted by E[P_a], are the ratios of the expected
totals; draws are ratios of drawn numbers. Labels may have been chosen by signals: the rates are
right as long as the shares include them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["PREDICTED", "rates_of_truth"]

PREDICTED = Attribute("__assay_predicted", (False, True), kind="boolean")
"""Whether the class was predicted, the last attribute of a surface of shares."""

_KEPT_DETAILS = ("estimator", "target", "provenance")
"""Details that hold for the rates as for the shares."""
_FEWEST_ROWS = 1e-9
"""Fewest expected rows, so that no ratio is 0 / 0."""


def rates_of_truth(
    share: AccuracySurface, *, is_of_class: bool, is_predicted: bool
) -> AccuracySurface:
    """Return the rate at which rows were predicted C, or were not, by their truth.

    Parameters
    ----------
    share
        Shares of rows of class C, over attributes of which the last is `PREDICTED`.
    is_of_class
        Whether the rows whose truth is C qualify, or all others.
    is_predicted
        Whether the rate is of those predicted C, or of those not.
    """
    base, of_base = np.unique(share.arms // PREDICTED.size, return_inverse=True)
    is_hit = share.arms % PREDICTED.size == int(is_predicted)

    def by_arm(values: FloatArray) -> FloatArray:
        return sum_by_group(of_base, values, base.size)

    weight = _weights(share, of_base, by_arm)
    expected = weight * (share.mean if is_of_class else 1.0 - share.mean)
    drawn = np.clip(draws_of(share), 0.0, 1.0)
    drawn = weight * (drawn if is_of_class else 1.0 - drawn)
    rows = np.maximum(by_arm(expected), _FEWEST_ROWS)
    mean = by_arm(expected * is_hit) / rows
    draws = np.stack([by_arm(d * is_hit) / np.maximum(by_arm(d), _FEWEST_ROWS) for d in drawn])
    tail = (1.0 - share.level) / 2.0
    lower, upper = np.quantile(draws, [tail, 1.0 - tail], axis=0)
    labels = share.correct if is_of_class else share.n - share.correct
    labels = np.maximum(labels, 0.0)
    is_there = by_arm(share.support) > 0.0
    return AccuracySurface(
        AttributeSpace(share.space.attributes[:-1]),
        base,
        by_arm(labels),
        by_arm(labels * is_hit),
        np.where(is_there, by_arm(expected), 0.0),
        mean,
        draws.std(axis=0),
        np.minimum(lower, mean),
        np.maximum(upper, mean),
        share.level,
        draws.astype(np.float32),
        {key: share.details[key] for key in _KEPT_DETAILS if key in share.details},
        frames=share.frames,
    )


def _weights(
    share: AccuracySurface, of_base: IntArray, by_arm: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return the pool rows of each arm; an arm outside the pool has the pool's mix."""
    predicted = share.arms % PREDICTED.size
    mix = sum_by_group(predicted, share.support, PREDICTED.size) / share.support.sum()
    is_there = by_arm(share.support)[of_base] > 0.0
    return np.where(is_there, share.support, mix[predicted])
