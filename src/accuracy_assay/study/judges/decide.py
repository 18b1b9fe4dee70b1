"""From posteriors of differences to verdicts: may decide, may not, not enough labels.

Everything is judged on its own, at the confidence asked for. Slices are many, so they are judged
together: the slices that are certified are as many as possible while the mean posterior
probability that their difference is beyond the tolerance is at most 1 - confidence; the refused
ones as many as possible while the mean probability that it is within is at most that
(Mueller, Parmigiani, Robert and Rousseau, 2004).
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from accuracy_assay.numerics.clustered_effects import Mixture
from accuracy_assay.reports.certificate import MAY, MAY_NOT, UNSURE, Decision
from accuracy_assay.runtime.arrays import BoolArray, FloatArray

__all__ = ["chance_within", "labels_needed", "verdict_alone", "verdicts_together"]

_MOST_DOUBT = 2.0
"""Most that one slice may be doubted, as a multiple of the mean: a mean may hide a coin toss."""
_LEAST_DISTANCE = 1e-3
"""Distance from the tolerance, in accuracy, below which no number of labels would tell."""


def chance_within(posterior: Mixture, tolerance: float) -> FloatArray:
    """Return the probability that each difference is within the tolerance, (Q,)."""
    return posterior.below(tolerance) - posterior.below(-tolerance)


def verdict_alone(within: float, confidence: float) -> Decision:
    """Return the verdict on one slice, given the probability that it is within the tolerance.

    Examples
    --------
    >>> [verdict_alone(p, 0.95) for p in (0.97, 0.5, 0.01)]
    ['may decide', 'not enough labels', 'may not']
    """
    if within >= confidence:
        return MAY
    return MAY_NOT if 1.0 - within >= confidence else UNSURE


def verdicts_together(within: FloatArray, confidence: float) -> list[Decision]:
    """Return the verdicts on slices that are judged together.

    Examples
    --------
    >>> verdicts_together(np.array([0.99, 0.94, 0.5, 0.001]), 0.95)
    ['may decide', 'may decide', 'not enough labels', 'may not']
    """
    may = _surest(1.0 - within, 1.0 - confidence)
    may_not = _surest(within, 1.0 - confidence)
    return [
        MAY if yes else MAY_NOT if no else UNSURE for yes, no in zip(may, may_not, strict=True)
    ]


def labels_needed(
    mean: FloatArray,
    tolerance: float,
    confidence: float,
    row_variance: float,
    labels: FloatArray,
    rows: FloatArray | None,
) -> list[int | None]:
    """Return how many more labels in each slice would settle it, if its difference is the mean.

    With ``rows``, those of the slice, a label of every row settles it; without, rows are endless.
    """
    z = NormalDist().inv_cdf(confidence)
    found: list[int | None] = []
    for q, each in enumerate(mean.tolist()):
        distance = abs(tolerance - abs(each))
        most = None if rows is None else max(int(rows[q] - labels[q]), 0)
        if distance < _LEAST_DISTANCE:
            found.append(most)
            continue
        precision = (z / distance) ** 2 * row_variance
        needed = precision if rows is None else 1.0 / (1.0 / precision + 1.0 / rows[q])
        more = max(int(np.ceil(needed - labels[q])), 1)
        found.append(more if most is None else min(more, most))
    return found


def _surest(doubt: FloatArray, most: float) -> BoolArray:
    """Return the largest set, the least doubtful first, whose mean doubt is at most ``most``."""
    order = np.argsort(doubt, kind="stable")
    mean = np.cumsum(doubt[order]) / np.arange(1, doubt.size + 1)
    passed = np.flatnonzero((mean <= most) & (doubt[order] <= _MOST_DOUBT * most))
    chosen = np.zeros(doubt.size, dtype=bool)
    if passed.size:
        chosen[order[: passed[-1] + 1]] = True
    return chosen
