"""From posteriors of differences to verdicts: may decide, may not, not enough labels.

Everything is judged on its own, at the confidence asked for. Slices are many, so they are judged
together (Mueller, Parmigiani, Robert and Rousseau, 2004): those that are certified are as many as
possible while the mean posterior probability that their difference is beyond the tolerance is at
most 1 - confidence. A slice is refused sooner than it is certified, since people then decide: if
it is likelier beyond the tolerance than within, and clearly differs. The refused ones are as many
as possible while the mean probability that the truth lies on the other side of zero is at most
1 - confidence.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from accuracy_assay.numerics.clustered_effects import Mixture
from accuracy_assay.reports.certificate import MAY, MAY_NOT, UNSURE, Decision
from accuracy_assay.runtime.arrays import BoolArray, FloatArray

__all__ = ["NEAR", "chance_within", "labels_needed", "verdict_alone", "verdicts_together"]

_MOST_DOUBT = 2.0
"""Most that one slice may be doubted, as a multiple of the mean: a mean may hide a coin toss."""
NEAR = 0.03
"""A difference of 3 points, the usual tolerance, is none that anybody would call a bias. Against
zero, an honest judge lost up to 10% of its slices in made worlds; against the tolerance of 10
points, both of two slices off by 30 were refused in 30% to 95% of draws."""
_LIKELY = 0.5
"""A slice that is likelier within the tolerance than beyond is not refused."""
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


def verdicts_together(within: FloatArray, near: FloatArray, confidence: float) -> list[Decision]:
    """Return the verdicts on slices that are judged together.

    Parameters
    ----------
    within
        Probability that each difference is within the tolerance, (Q,).
    near
        Probability that it is within `NEAR` or the tolerance, whichever is less, (Q,); of shares
        of decisions that differ, within the tolerance.
    confidence
        One minus the mean doubt that is allowed.

    Examples
    --------
    >>> within, near = np.array([[0.99, 0.94, 0.5, 0.2], [0.5, 0.3, 0.1, 0.001]])
    >>> verdicts_together(within, near, 0.95)
    ['may decide', 'may decide', 'not enough labels', 'may not']
    """
    may = _surest(1.0 - within, 1.0 - confidence)
    may_not = _surest(np.where(within < _LIKELY, near, 1.0), 1.0 - confidence)
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
