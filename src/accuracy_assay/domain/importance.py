"""Which attributes matter: the share of the variance of accuracy that each of them explains.

Notation: arms of the pool with weights w, their shares of the pool's rows, and accuracies rho,
known by joint draws. Explained variances are those of weighted least-squares projections
(`numerics.variance_parts`):

    share of an attribute          Var(E[rho | a_k]) / Var(rho)
    share of a pair                Var(E[rho | a_j, a_k]) minus that of the best sum of a function
                                   of a_j and one of a_k, over Var(rho)
    beyond the others              that of the best sum of functions of all attributes, minus that
                                   of all others, over Var(rho)

Attributes of a pool are correlated, so their shares may overlap: two copies of one attribute have
the same share, and nothing beyond each other.

The variance of a draw includes the posterior's noise; the variance of the mean lacks what was
shrunk away. Shares take the middle: the variance of the mean plus half of what noise adds. On
simulated worlds this is closest to the truth from 300 labels on; with 100 it is as far below the
truth as the mean alone is above (`benchmarks/attributes_that_matter.py` prints all three).
Intervals reach from one extreme to the other: the lower end excludes the noise, so it is zero if
labels show no effect; the upper end includes all of it.
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
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind
from accuracy_assay.numerics.dependence import determined_share
from accuracy_assay.numerics.variance_parts import VarianceParts, WeightedDraws
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Importance", "Importances", "rank_attributes"]

_ABOUT_ZERO = 0.005
"""A lower end below this counts as zero: nobody acts on half a percent of the variance."""
_DETERMINED = 0.95
"""An attribute is redundant if another determines this share of its entropy. Chosen by hand: one
row in a hundred may differ."""
_LEFT_BEYOND = 0.1
"""An attribute is redundant if less than this share of what it explains alone is beyond the
others."""
_LEAST_VARIANCE = 1e-12
"""Variance of accuracy that counts as zero: the square of one in a million."""


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
        Standard deviation of accuracy that it causes, in accuracy: 0.05 is five points.
    beyond
        Share that it explains beyond the sum of the others' effects; None for a pair.
    determined_by, determined
        An attribute ranked before it that determines its value in the pool, and the share of its
        entropy that it determines; None if there is none.
    """

    names: tuple[str, ...]
    share: float
    lower: float
    upper: float
    spread: float
    beyond: float | None = None
    determined_by: str | None = None
    determined: float | None = None

    @property
    def name(self) -> str:
        """The attribute, or the two of a pair joined by ``x``."""
        return " x ".join(self.names)

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.lower > _ABOUT_ZERO

    @property
    def is_redundant(self) -> bool:
        """Whether another attribute determines its value, or the others explain what it does."""
        if self.determined_by is not None:
            return True
        is_left = self.beyond is None or self.beyond > _LEFT_BEYOND * self.share
        return self.is_clear and not is_left

    @property
    def finding(self) -> str:
        """What that means, in words."""
        if self.determined_by is not None:
            return f"redundant: {self.determined_by} determines {self.determined:.0%} of it"
        if self.is_redundant:
            return "redundant: the others explain it"
        return "matters" if self.is_clear else "no clear effect"


@dataclass(frozen=True, slots=True)
class Importances:
    """Attributes and pairs of attributes, the largest shares first.

    Parameters
    ----------
    attributes, pairs
        What each explains.
    together
        Share that a sum of functions of each attribute explains.
    sd
        Standard deviation of the arms' accuracy over the pool's rows.
    level
        Probability of the intervals.
    frames
        What tables are returned as, as in `AccuracySurface`.
    """

    attributes: tuple[Importance, ...]
    pairs: tuple[Importance, ...]
    together: float
    sd: float
    level: float
    frames: FrameKind = "polars"

    def __iter__(self) -> Iterator[Importance]:
        return iter((*self.attributes, *self.pairs))

    def __len__(self) -> int:
        return len(self.attributes) + len(self.pairs)

    def to_frame(self) -> Frame:
        """Return one row per attribute, then one per pair, the largest shares first.

        Columns: ``attribute``, ``order`` (1, or 2 for a pair), ``share``, ``lower``, ``upper``,
        ``spread``, ``beyond`` and ``finding``.
        """
        table = pl.DataFrame(
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
        return as_kind(table, self.frames)


def rank_attributes(of: ListedArms) -> Importances:
    """Rank attributes and pairs by the share of the variance of accuracy that they explain.

    Parameters
    ----------
    of
        The surface; arms are weighted by their pool rows.

    Raises
    ------
    InputError
        If the pool has fewer than two arms.
    """
    listed = np.flatnonzero(of.support > 0.0)
    if listed.size < 2:
        raise InputError(
            f"attributes must be ranked over at least two arms of the pool; got {listed.size}. "
            "Give a pool in which attributes vary."
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
        _mark_determined(_ordered(singles), dict(zip(names, every, strict=True)), weight),
        tuple(_ordered(pairs)),
        _share(together, known.total),
        float(np.sqrt(max(known.total.expected, 0.0))),
        of.level,
    )


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


def _mark_determined(
    ranked: Sequence[Importance], codes: dict[str, IntArray], weight: FloatArray
) -> tuple[Importance, ...]:
    """Mark the attributes whose value one before them determines."""
    marked: list[Importance] = []
    for importance in ranked:
        own = codes[importance.name]
        share = {
            other.name: determined_share(own, codes[other.name], weight)
            for other in marked
            if other.determined_by is None
        }
        best = max(share, key=share.__getitem__, default=None)
        if best is not None and share[best] >= _DETERMINED:
            importance = replace(importance, determined_by=best, determined=share[best])
        marked.append(importance)
    return tuple(marked)
