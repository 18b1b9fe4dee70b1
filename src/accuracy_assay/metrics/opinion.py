"""What an opinion is worth: P(right | opinion), learned from labels, and how well it sorts.

Notation: n labelled rows with opinions z and scores c in [0, 1]; p(z) is the calibrated opinion, a
share that one reads like an accuracy. Scores that rise or fall with z are read by isotonic
regression, verdicts by the share of right answers among those that have it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.numerics.isotonic import isotonic_fit
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["Reading", "cross_read", "learn_reading", "preference"]

Reading = Callable[[pl.Series], FloatArray]
"""A function from opinions to calibrated ones."""

_FOLDS = 10
"""Parts of the labelled rows, so that no row is read by a curve that has seen it."""
_BORROWED_LABELS = 1.0
"""Labels of average accuracy lent to every verdict, so that a rare one is not certain."""


def learn_reading(opinions: pl.Series, scores: FloatArray) -> Reading:
    """Return P(right | opinion) as learned from labelled rows.

    Parameters
    ----------
    opinions
        Numbers are assumed to rise or fall with the score; all else are verdicts without order.
    scores : shape (n,)
        What the labels say of the same rows.
    """
    if not scores.size:
        raise InputError("opinions must have labels to learn from; got none.")
    if opinions.dtype.is_numeric():
        return _learn_curve(_numbers(opinions), scores)
    return _learn_shares(opinions, scores)


def cross_read(opinions: pl.Series, scores: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the calibrated opinion of each labelled row (n,), read without its own label."""
    fold = rng.permutation(scores.size) % min(_FOLDS, scores.size)
    read = np.full(scores.size, scores.mean())
    for k in range(int(fold.max()) + 1 if scores.size > 1 else 0):
        known = fold != k
        learned = learn_reading(opinions.filter(pl.Series(known)), scores[known])
        read[~known] = learned(opinions.filter(pl.Series(~known)))
    return read


def preference(read: FloatArray, scores: FloatArray) -> float | None:
    """Return how often a right answer has the better opinion than a wrong one; ties are halves.

    Answers that are right in part count as both, in part. None where all are right, or all wrong.

    Examples
    --------
    >>> preference(np.array([0.9, 0.8, 0.3]), np.array([1.0, 0.0, 0.0]))
    1.0
    """
    right, wrong = scores.sum(), (1.0 - scores).sum()
    if right <= 0.0 or wrong <= 0.0:
        return None
    values, group = np.unique(read, return_inverse=True)
    of_right = np.bincount(group, weights=scores, minlength=values.size)
    of_wrong = np.bincount(group, weights=1.0 - scores, minlength=values.size)
    below = np.cumsum(of_wrong) - of_wrong
    return float(of_right @ (below + 0.5 * of_wrong) / (right * wrong))


def _learn_curve(z: FloatArray, scores: FloatArray) -> Reading:
    is_falling = np.cov(_ranks(z), scores)[0, 1] < 0.0 if z.size > 1 else False
    sign = -1.0 if is_falling else 1.0
    places, heights = isotonic_fit(sign * z, scores)

    def read(opinions: pl.Series) -> FloatArray:
        return np.interp(sign * _numbers(opinions), places, heights)

    return read


def _learn_shares(verdicts: pl.Series, scores: FloatArray) -> Reading:
    mean = float(scores.mean())
    table = pl.DataFrame({"verdict": verdicts.cast(pl.String), "score": scores})
    lent = _BORROWED_LABELS
    shares = table.group_by("verdict").agg(
        ((pl.sum("score") + lent * mean) / (pl.len() + lent)).alias("share")
    )
    known = dict(shares.iter_rows())

    def read(opinions: pl.Series) -> FloatArray:
        said = opinions.cast(pl.String).to_list()
        return np.asarray([known.get(verdict, mean) for verdict in said], dtype=np.float64)

    return read


def _numbers(opinions: pl.Series) -> FloatArray:
    return opinions.to_numpy().astype(np.float64)


def _ranks(z: FloatArray) -> FloatArray:
    """Return the place of each number among the distinct ones, so that none lies far out."""
    return np.unique(z, return_inverse=True)[1].astype(np.float64)
