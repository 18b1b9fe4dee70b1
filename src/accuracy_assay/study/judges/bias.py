"""Where a judge is lenient or harsh: its calibrated opinion of a slice against the accuracy there.

Notation: p(z) = P(right | opinion), learned from all labels (`metrics.opinion`). A slice is an
arm, or all rows with one value of an attribute. Its bias is the mean of p(z) over its pool rows
minus its accuracy on the surface: above zero the judge is lenient, below harsh.

Two things could make an honest judge look biased. The curve p(z) is learned from few labels, so
its variation, measured by leaving out a tenth of them at a time, widens the intervals. And one
lenient slice bends the curve for all others, so clearly biased slices are left out and the curve
is learned again, the clearest first, while it keeps half of the labels. This is done for arms, and
for the values of each attribute separately: else a judge that is lenient on long answers would
look lenient on every topic, since each has some.

A slice is clearly biased if its bias differs from zero given the number of slices: among those
called so, up to 10% may be false alarms (Benjamini and Hochberg, 1995, at 1 - level).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import NormalDist

import numpy as np
import polars as pl

from accuracy_assay.metrics.opinion import learn_reading
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Bias", "Grouping", "find_bias"]

_FOLDS = 10
"""Parts of the labels; one is left out at a time to see how much the curve varies."""
_MOST_LEFT_OUT = 0.5
"""Largest share of the labels that may be left out of the curve: beyond it nobody could say which
side is biased."""
_LEAST_SD = 1e-9  # a fully labelled pool has zero, which must not divide


@dataclass(frozen=True)
class Grouping:
    """Rows by slice: the slice of each pool row (n,) and of each labelled row (m,).

    A labelled row outside the pool may have none, -1.
    """

    pool: IntArray
    labelled: IntArray
    n_slices: int


@dataclass(frozen=True)
class Bias:
    """The bias of one judge over P slices, all arrays (P,).

    ``opinion`` is the mean calibrated opinion, ``lower`` and ``upper`` the interval of ``bias``.
    """

    opinion: FloatArray
    bias: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_clear: BoolArray

    @property
    def clarity(self) -> FloatArray:
        """Distance of each bias from zero, in half-widths."""
        reach = np.where(self.bias > 0.0, self.bias - self.lower, self.upper - self.bias)
        return np.abs(self.bias) / np.maximum(reach, _LEAST_SD)


def find_bias(
    pool: pl.Series,
    labelled: pl.Series,
    scores: FloatArray,
    slices: Grouping,
    accuracy: tuple[FloatArray, FloatArray, FloatArray],
    level: float,
    rng: np.random.Generator,
    n_compared: int | None = None,
) -> Bias:
    """Return the bias of a judge in every slice.

    Parameters
    ----------
    pool, labelled
        The judge's opinions of the pool's rows and of the labelled ones.
    scores : shape (m,)
        The score of each labelled row.
    slices
        The P slices, and which rows they have.
    accuracy
        Mean, lower and upper end of each slice's accuracy, each (P,).
    level
        Probability of the intervals.
    rng
        Cuts the labels into parts.
    n_compared
        Slices compared in all, P by default; more if rows are also divided in other ways.
    """
    n_all = n_compared or slices.n_slices
    fold = rng.permutation(scores.size) % _FOLDS

    def opinion(known: BoolArray) -> FloatArray:
        read = learn_reading(labelled.filter(pl.Series(known)), scores[known])(pool)
        return _mean_by(slices, read)

    left_out: list[int] = []
    while True:
        is_known = ~np.isin(slices.labelled, left_out)
        bias = _bias(opinion, is_known, fold, accuracy, level, n_all)
        clear = [int(k) for k in np.flatnonzero(bias.is_clear) if k not in left_out]
        if not clear:
            return bias
        clearest = max(clear, key=lambda k: bias.clarity[k])
        if np.isin(slices.labelled, [*left_out, clearest]).mean() > _MOST_LEFT_OUT:
            return bias
        left_out.append(clearest)


def _bias(
    opinion: Callable[[BoolArray], FloatArray],
    is_known: BoolArray,
    fold: IntArray,
    accuracy: tuple[FloatArray, FloatArray, FloatArray],
    level: float,
    n_compared: int,
) -> Bias:
    mean, lower, upper = accuracy
    said = opinion(is_known)
    folds = np.unique(fold[is_known]).tolist()
    left = [opinion(is_known & (fold != k)) for k in folds if len(folds) > 1]
    varied = np.stack(left or [said])
    # The variance of an estimate, by leaving out one of K parts at a time (Tukey's jackknife).
    variance = (len(varied) - 1.0) * varied.var(axis=0)
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    bias = said - mean
    above, below = (np.sqrt(part**2 + z**2 * variance) for part in (mean - lower, upper - mean))
    reach = np.maximum(np.where(bias > 0.0, below, above), _LEAST_SD)
    chance = np.asarray(
        [erfc(abs(b) / r * z / sqrt(2.0)) for b, r in zip(bias, reach, strict=True)]
    )
    return Bias(
        said, bias, bias - below, bias + above, _discoveries(chance, 1.0 - level, n_compared)
    )


def _discoveries(chance: FloatArray, rate: float, n_compared: int) -> BoolArray:
    """Return which p-values are discoveries, of which a share ``rate`` may be false."""
    order = np.argsort(chance, kind="stable")
    passed = np.flatnonzero(chance[order] <= rate * (np.arange(chance.size) + 1) / n_compared)
    stands = np.zeros(chance.size, dtype=bool)
    if passed.size:
        stands[order[: passed[-1] + 1]] = True
    return stands


def _mean_by(group: Grouping, values: FloatArray) -> FloatArray:
    """Return the mean over the pool rows of each slice; zero if it has none."""
    total = np.bincount(group.pool, weights=values, minlength=group.n_slices)
    size = np.bincount(group.pool, minlength=group.n_slices)
    return total / np.maximum(size, 1)
