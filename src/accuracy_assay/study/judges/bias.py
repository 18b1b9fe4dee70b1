"""Where a judge is lenient or harsh: its calibrated opinion of a place against the accuracy there.

Notation: p(z) = P(right | opinion), learned from all labels alike (`metrics.opinion`). A place is
an arm, or all rows with one value of an attribute. Its bias is the mean of p(z) over the pool rows
there less the accuracy that the surface has for it: above zero the judge is lenient, below harsh.

Two things would make an honest judge look biased, and are dealt with. The curve p(z) is learned
from few labels: how much it varies is measured by leaving out a tenth of them at a time, and
widens the intervals. And one lenient place bends the curve for all others: places that are clear
are left out of it and it is learned again, the clearest first, while it keeps half of the labels.
That is done for arms, and for the values of each attribute apart: a judge that is lenient on long
answers would else look lenient on every topic, since each has some.

A place is clear where its bias differs from zero with many places looked at: among those that are
called so, at most one in ten is to be wrong (Benjamini and Hochberg, 1995, at 1 - level).
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
"""Parts of the labels of which one is left out at a time to see how much the curve varies."""
_MOST_LEFT_OUT = 0.5
"""Share of the labels that clear places may take out of the curve: past it nobody could say which
side is the biased one."""
_LEAST_SD = 1e-9  # where the pool is all labelled, which would divide by zero


@dataclass(frozen=True)
class Grouping:
    """Rows by place: the place of each pool row (n,) and of each labelled row (m,).

    A labelled row that is not of the pool may have none, -1.
    """

    pool: IntArray
    labelled: IntArray
    n_places: int


@dataclass(frozen=True)
class Bias:
    """The bias of one judge over P places, all arrays (P,).

    ``opinion`` is the mean calibrated opinion, ``lower`` and ``upper`` the interval of ``bias``.
    """

    opinion: FloatArray
    bias: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_clear: BoolArray

    @property
    def clarity(self) -> FloatArray:
        """Half-widths by which each bias lies from zero."""
        reach = np.where(self.bias > 0.0, self.bias - self.lower, self.upper - self.bias)
        return np.abs(self.bias) / np.maximum(reach, _LEAST_SD)


def find_bias(
    pool: pl.Series,
    labelled: pl.Series,
    scores: FloatArray,
    places: Grouping,
    accuracy: tuple[FloatArray, FloatArray, FloatArray],
    level: float,
    rng: np.random.Generator,
    n_looked_at: int | None = None,
) -> Bias:
    """Return the bias of a judge in every place.

    Parameters
    ----------
    pool, labelled
        The judge's opinions of the pool's rows and of the labelled ones.
    scores : shape (m,)
        What the labels say.
    places
        The P places, and which rows are there.
    accuracy
        Mean, lower and upper end of each place's accuracy, each (P,).
    level
        Probability of the intervals.
    rng
        Cuts the labels into parts.
    n_looked_at
        Places that are looked at in all, P by default; more where other ways to divide the rows
        are looked at too.
    """
    n_all = n_looked_at or places.n_places
    fold = rng.permutation(scores.size) % _FOLDS

    def opinion(known: BoolArray) -> FloatArray:
        read = learn_reading(labelled.filter(pl.Series(known)), scores[known])(pool)
        return _mean_by(places, read)

    left_out: list[int] = []
    while True:
        is_known = ~np.isin(places.labelled, left_out)
        bias = _bias(opinion, is_known, fold, accuracy, level, n_all)
        clear = [int(k) for k in np.flatnonzero(bias.is_clear) if k not in left_out]
        if not clear:
            return bias
        clearest = max(clear, key=lambda k: bias.clarity[k])
        if np.isin(places.labelled, [*left_out, clearest]).mean() > _MOST_LEFT_OUT:
            return bias
        left_out.append(clearest)


def _bias(
    opinion: Callable[[BoolArray], FloatArray],
    is_known: BoolArray,
    fold: IntArray,
    accuracy: tuple[FloatArray, FloatArray, FloatArray],
    level: float,
    n_looked_at: int,
) -> Bias:
    mean, lower, upper = accuracy
    said = opinion(is_known)
    folds = np.unique(fold[is_known]).tolist()
    left = [opinion(is_known & (fold != k)) for k in folds if len(folds) > 1]
    varied = np.stack(left or [said])
    # The variance of an estimate by leaving out one of K parts at a time (Tukey's jackknife).
    variance = (len(varied) - 1.0) * varied.var(axis=0)
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    bias = said - mean
    above, below = (np.sqrt(part**2 + z**2 * variance) for part in (mean - lower, upper - mean))
    reach = np.maximum(np.where(bias > 0.0, below, above), _LEAST_SD)
    chance = np.asarray(
        [erfc(abs(b) / r * z / sqrt(2.0)) for b, r in zip(bias, reach, strict=True)]
    )
    return Bias(
        said, bias, bias - below, bias + above, _discoveries(chance, 1.0 - level, n_looked_at)
    )


def _discoveries(chance: FloatArray, rate: float, n_looked_at: int) -> BoolArray:
    """Return which of several small chances stand, at most ``rate`` of them wrongly."""
    order = np.argsort(chance, kind="stable")
    passed = np.flatnonzero(chance[order] <= rate * (np.arange(chance.size) + 1) / n_looked_at)
    stands = np.zeros(chance.size, dtype=bool)
    if passed.size:
        stands[order[: passed[-1] + 1]] = True
    return stands


def _mean_by(group: Grouping, values: FloatArray) -> FloatArray:
    """Return the mean over the pool rows of each place; zero where there is none."""
    total = np.bincount(group.pool, weights=values, minlength=group.n_places)
    size = np.bincount(group.pool, minlength=group.n_places)
    return total / np.maximum(size, 1)
