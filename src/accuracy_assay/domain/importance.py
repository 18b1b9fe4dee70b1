"""Which attributes matter: the share of the variance of accuracy that each of them explains.

Notation: arms of the pool with weights w, their shares of the pool's rows, and accuracies rho,
known by joint draws. Explained variances are those of weighted least-squares projections
(`numerics.variance_parts`):

    share of an attribute          Var(E[rho | a_k]) / Var(rho)
    share of a pair                Var(E[rho | a_j, a_k]) less that of the best sum of a function
                                   of a_j and one of a_k, over Var(rho)
    what is beyond the others      that of the best sum of functions of all attributes, less that
                                   of all others, over Var(rho)

A pool's attributes go together, so shares of attributes may overlap: two copies of one attribute
have the same share, and nothing beyond each other.

A draw's variance counts the posterior's noise as difference, that of the mean loses what was
shrunk away. Shares take the middle: the variance of the mean and half of what noise adds, which on
made worlds comes nearest to the truth from 300 labels on; with 100 it is as far below it as the
mean alone is above (`benchmarks/attributes_that_matter.py` prints all three).
Intervals reach from one end to the other: the lower end counts noise as none, so that it is zero
for what labels do not tell from nothing, and the upper end counts it whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.averages import ListedArms
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.numerics.variance_parts import VarianceParts, WeightedDraws
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Importance", "Importances", "rank_attributes", "told_share"]

_ABOUT_NONE = 0.005
"""Share of the variance below which the lower end of an interval counts as zero: half a percent
is what nobody acts on."""
_TOLD = 0.95
"""Share of an attribute's entropy that another must tell for it to be redundant, chosen by hand:
one row in a hundred may differ."""
_LEFT_BEYOND = 0.1
"""Share of what an attribute explains alone that must be left beyond the others; with less, they
explain it as well."""
_LEAST_VARIANCE = 1e-12
"""Variance of accuracy that counts as none: a millionth of an accuracy, squared."""


@dataclass(frozen=True, slots=True)
class Importance:
    """How much of the variance of accuracy an attribute or a pair explains.

    Parameters
    ----------
    names
        The attribute, or the two of a pair.
    share, lower, upper
        Its share of the variance, with an interval.
    spread
        Standard deviation of accuracy that it makes, in accuracy: 0.05 is five points.
    beyond
        Share that all attributes explain together, one by one, beyond the others; None for a
        pair.
    told_by, told
        Another attribute that comes before it and tells its value in the pool, and the share of
        its entropy that it tells; None where no attribute does.
    """

    names: tuple[str, ...]
    share: float
    lower: float
    upper: float
    spread: float
    beyond: float | None = None
    told_by: str | None = None
    told: float | None = None

    @property
    def name(self) -> str:
        """The attribute, or the two of a pair joined by ``x``."""
        return " x ".join(self.names)

    @property
    def is_told_from_none(self) -> bool:
        """Whether the interval leaves out that it explains nothing."""
        return self.lower > _ABOUT_NONE

    @property
    def is_redundant(self) -> bool:
        """Whether another attribute tells its value, or the others explain what it does."""
        if self.told_by is not None:
            return True
        is_left = self.beyond is None or self.beyond > _LEFT_BEYOND * self.share
        return self.is_told_from_none and not is_left

    @property
    def finding(self) -> str:
        """What that means, in words."""
        if self.told_by is not None:
            return f"redundant: {self.told_by} tells {self.told:.0%} of it"
        if self.is_redundant:
            return "redundant: the others explain it"
        return "matters" if self.is_told_from_none else "not told from none"


@dataclass(frozen=True, slots=True)
class Importances:
    """Attributes and pairs of attributes, each in the order of their shares.

    Parameters
    ----------
    attributes, pairs
        What each explains, the largest share first.
    together
        Share that all attributes explain one by one, as a sum of functions of each.
    sd
        Standard deviation of the arms' accuracy over the pool's rows.
    level
        Probability of the intervals.
    """

    attributes: tuple[Importance, ...]
    pairs: tuple[Importance, ...]
    together: float
    sd: float
    level: float

    def __iter__(self) -> Iterator[Importance]:
        return iter((*self.attributes, *self.pairs))

    def __len__(self) -> int:
        return len(self.attributes) + len(self.pairs)

    def to_frame(self) -> pl.DataFrame:
        """Return one row per attribute and pair, attributes first, the largest share first.

        Columns: ``attribute``, ``order`` (1, or 2 for a pair), ``share``, ``lower``, ``upper``,
        ``spread``, ``beyond`` and ``finding``.
        """
        return pl.DataFrame(
            [
                (i.name, len(i.names), i.share, i.lower, i.upper, i.spread, i.beyond, i.finding)
                for i in self
            ],
            schema={
                "attribute": pl.String,
                "order": pl.Int64,
                **dict.fromkeys(("share", "lower", "upper", "spread", "beyond"), pl.Float64),
                "finding": pl.String,
            },
            orient="row",
        )


def rank_attributes(of: ListedArms) -> Importances:
    """Rank attributes and pairs by the share of the variance of accuracy that they explain.

    Parameters
    ----------
    of
        The surface; every arm weighs as many rows as the pool has of it.

    Raises
    ------
    InputError
        If the pool has fewer than two arms.
    """
    listed = np.flatnonzero(of.support > 0.0)
    if listed.size < 2:
        raise InputError(
            "attributes must be ranked over at least two arms of the pool; got "
            f"{listed.size}. Give a pool in which attributes vary."
        )
    weight = of.support[listed] / of.support[listed].sum()
    known = WeightedDraws(weight, of.mean[listed], draws_of(of)[:, listed])
    codes = of.space.codes(of.arms[listed])
    names, shape = of.space.names, of.space.shape
    every = [codes[:, k] for k in range(len(names))]
    alone = [known.explained([code]) for code in every]
    together = known.explained(every)
    beyond = [together - known.explained(every[:k] + every[k + 1 :]) for k in range(len(names))]
    singles = [
        _importance((name,), alone[k], known.total, of.level, beyond[k])
        for k, name in enumerate(names)
    ]
    pairs = []
    for j, k in combinations(range(len(names)), 2):
        both = known.explained([every[j] * shape[k] + every[k]])
        more = both - known.explained([every[j], every[k]])
        pairs.append(_importance((names[j], names[k]), more, known.total, of.level))
    return Importances(
        _mark_told(_ordered(singles), dict(zip(names, every, strict=True)), weight),
        tuple(_ordered(pairs)),
        _share(together, known.total),
        float(np.sqrt(max(known.total.expected, 0.0))),
        of.level,
    )


def told_share(told: IntArray, telling: IntArray, weight: FloatArray) -> float:
    """Return the share of the entropy of one column's values that another column tells.

    Parameters
    ----------
    told, telling
        Codes of both columns, (n,).
    weight
        Weight of each place, (n,).

    Examples
    --------
    >>> code = np.array([0, 0, 1, 1])
    >>> told_share(code, np.array([3, 3, 5, 7]), np.ones(4))
    1.0
    """
    whole = _entropy(told, weight)
    if whole <= 0.0:
        return 1.0
    joint = _entropy(telling * (int(told.max()) + 1) + told, weight)
    return float(np.clip(1.0 - (joint - _entropy(telling, weight)) / whole, 0.0, 1.0))


def _importance(
    names: tuple[str, ...],
    part: VarianceParts,
    total: VarianceParts,
    level: float,
    beyond: VarianceParts | None = None,
) -> Importance:
    """Return a share with its interval."""
    tail = (1.0 - level) / 2.0
    share = _share(part, total)
    least = part.crossed / np.maximum(total.drawn, _LEAST_VARIANCE)
    whole = np.maximum(np.maximum(total.halfway, part.drawn), _LEAST_VARIANCE)
    lower = max(float(np.quantile(least, tail)), 0.0)
    upper = min(float(np.quantile(part.drawn / whole, 1.0 - tail)), 1.0)
    return Importance(
        names,
        share,
        min(lower, share),
        max(upper, share),
        float(np.sqrt(max(part.expected, 0.0))),
        None if beyond is None else _share(beyond, total),
    )


def _share(part: VarianceParts, total: VarianceParts) -> float:
    if total.expected <= _LEAST_VARIANCE:
        return 0.0
    return float(np.clip(part.expected / total.expected, 0.0, 1.0))


def _ordered(found: Sequence[Importance]) -> list[Importance]:
    return sorted(found, key=lambda importance: -importance.share)


def _mark_told(
    ranked: Sequence[Importance], codes: dict[str, IntArray], weight: FloatArray
) -> tuple[Importance, ...]:
    """Return the attributes with those marked whose value one before them tells."""
    marked: list[Importance] = []
    for importance in ranked:
        own = codes[importance.name]
        told = {
            other.name: told_share(own, codes[other.name], weight)
            for other in marked
            if other.told_by is None
        }
        best = max(told, key=told.__getitem__, default=None)
        if best is not None and told[best] >= _TOLD:
            importance = replace(importance, told_by=best, told=told[best])
        marked.append(importance)
    return tuple(marked)


def _entropy(codes: IntArray, weight: FloatArray) -> float:
    _, code = np.unique(codes, return_inverse=True)
    share = sum_by_group(code, weight, int(code.max()) + 1)
    share = share[share > 0.0] / share.sum()
    return float(-np.sum(share * np.log(share)))
