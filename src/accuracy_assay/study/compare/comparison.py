"""Services side by side: which is best for what was asked, by how much, and how surely.

Notation: k services over the same A listed arms. Every two of them have a difference of accuracies
(``study.compare.differences``), d_ij = m_i - m_j. The best is the one that no other beats, with
the largest min_j d_ij; ``behind`` is its difference to another. The accuracies shown agree with
these differences: that of the best is the mean of m_i + d_best,i, weighted by 1 / s_i^2.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import overload

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface, Estimate
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.frame_kind import Frame, as_kind
from accuracy_assay.files.tables import Rows
from accuracy_assay.numerics.rank_probabilities import rank_probabilities
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.differences import Difference, Differences

__all__ = ["Comparison", "Place"]

_LEAST_VARIANCE = 1e-12
"""Smallest variance of an accuracy: a known one has zero, which must not divide; it then
decides."""


@dataclass(frozen=True, slots=True)
class Place:
    """One service's place in a comparison.

    Parameters
    ----------
    name
        Name of the service.
    estimate
        Its accuracy for what was asked.
    behind, behind_lower, behind_upper
        How far it is behind the best service, with the interval at the level of ``estimate``; all
        zero for the best.
    probability_best
        Probability that it is the best of all.
    price
        What one answer costs, if prices were given.
    """

    name: str
    estimate: Estimate
    behind: float
    behind_lower: float
    behind_upper: float
    probability_best: float
    price: float | None = None


@dataclass(frozen=True, eq=False)
class Comparison(Sequence[Place]):
    """Services in order, the best first; a sequence of `Place`.

    Parameters
    ----------
    surfaces
        Surfaces by the name of their service, all over the same listed arms.
    pairs
        The differences of every two services, by their names in the order of ``surfaces``.
    weight
        The share of each listed arm in what was asked, shape (A,).
    prices
        What one answer of each service costs; empty if no price is known.
    is_paired
        Whether the same labels scored all services, so that differences have their own intervals.
    seed
        Seed of the draws for ranks.

    Examples
    --------
    >>> from accuracy_assay import compare
    >>> rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
    >>> found = compare(rows, ["sex"], scores=["poor", "good"], estimator="beta-independent")
    >>> found.names, found[0].name, found.at(sex="F").difference("good", "poor").probability > 0.99
    (('poor', 'good'), 'good', True)
    """

    surfaces: Mapping[str, AccuracySurface]
    pairs: Mapping[tuple[str, str], Differences]
    weight: FloatArray
    prices: Mapping[str, float] = field(default_factory=dict)
    is_paired: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.surfaces) < 2:
            raise InputError(f"services must be two or more; got {list(self.surfaces)}.")
        self._check_prices(self.prices)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the services in the order given."""
        return tuple(self.surfaces)

    @property
    def space(self) -> AttributeSpace:
        """The attributes that all surfaces have."""
        return self._any.space

    def at(self, **where: object) -> Comparison:
        """Return the comparison for the arms with the given attribute values."""
        return self.asked(where)

    def under(self, mix: Rows) -> Comparison:
        """Return the comparison under a client's own attribute mix."""
        return self.asked(mix=mix)

    def asked(
        self, where: Mapping[str, object] | None = None, mix: Rows | None = None
    ) -> Comparison:
        """Return the comparison for attribute values, a mix, or the pool as it is."""
        return dataclasses.replace(self, weight=self._any.weights(where, mix))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The places for what was asked, the best first."""
        between = self._pairwise(lambda d: np.array([d.over(self.weight).mean]))
        best = int(_unbeaten(between)[0])
        found = [surface.average(self.weight) for surface in self.surfaces.values()]
        mean, sd = (np.array([[getattr(e, f)] for e in found]) for f in ("mean", "sd"))
        top = float(_level(mean, sd, between[best])[0])
        behind = [self.difference(self.names[best], name) for name in self.names]
        places = [
            Place(
                name,
                _moved(found[i], top - behind[i].mean),
                behind[i].mean,
                behind[i].lower,
                behind[i].upper,
                float(self._rank_chances[i, 0]),
                self.prices.get(name),
            )
            for i, name in enumerate(self.names)
        ]
        return tuple(sorted(places, key=lambda p: (p.name != self.names[best], p.behind)))

    def difference(self, first: str, second: str) -> Difference:
        """Return how much more accurate one service is than another for what was asked."""
        if first == second:
            self._require(first)
            return Difference(0.0, 0.0, 0.0, 0.0, self._any.level, 0.5)
        return self.between(first, second).over(self.weight)

    def between(self, first: str, second: str) -> Differences:
        """Return how much more accurate one service is than another, arm by listed arm."""
        self._require(first)
        self._require(second)
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        if first == second:
            raise InputError(f"two services must be compared; got {first!r} twice.")
        return self.pairs[second, first].reverse()

    def better(self, first: str, second: str) -> Frame:
        """Return how much more accurate one service is than another in each arm of the pool.

        Returns
        -------
        polars.DataFrame
            The attributes, then ``difference`` with its interval ``lower`` and ``upper``,
            ``probability`` (that the first is the better one), ``labels`` and ``rows``.
        """
        between = self.between(first, second)
        lower, upper = between.interval
        numbers = {"difference": between.mean, "lower": lower, "upper": upper}
        return self._arm_frame({**numbers, "probability": between.probability})

    @property
    def ranks(self) -> Frame:
        """The probability of each rank of each service for what was asked, best first.

        Columns ``service``, ``expected_rank``, then ``rank_1``, ``rank_2`` and so on.
        """
        chance = self._rank_chances
        expected = chance @ np.arange(1.0, len(self.names) + 1.0)
        order = np.argsort(expected, kind="stable")
        columns = {f"rank_{r + 1}": chance[order, r] for r in range(len(self.names))}
        names = [self.names[i] for i in order]
        table = pl.DataFrame({"service": names, "expected_rank": expected[order], **columns})
        return as_kind(table, self._any.frames)

    def best_per_arm(
        self,
        prices: Mapping[str, float] | None = None,
        *,
        tolerance: float = 0.01,
        certainty: float = 0.9,
    ) -> Frame:
        """Return the best service of each arm, and with prices the cheapest that will do.

        A service will do if, with a probability of at least ``certainty``, it is at most
        ``tolerance`` less accurate than the best. The best always will.

        Parameters
        ----------
        prices
            What one answer of each service costs; by default the prices of the comparison.
        tolerance
            Accuracy that you are ready to give up: 0.01 is one percentage point.
        certainty
            How sure you want to be that no more is given up.

        Returns
        -------
        polars.DataFrame
            The attributes, then ``best``, its expected ``accuracy``, the ``probability`` that it
            is the best, and with prices ``choice``, its ``price`` and how far it is ``behind``;
            last ``labels`` and ``rows``.

        Raises
        ------
        InputError
            If some services have a price and others do not, or an argument is out of range.
        """
        costs = self.prices if prices is None else prices
        self._check_prices(costs)
        if not (tolerance >= 0.0 and 0.0 < certainty < 1.0):
            raise InputError(
                "tolerance must be at least 0 and certainty between 0 and 1; got "
                f"{tolerance} and {certainty}."
            )
        mean = self._pairwise(lambda d: d.mean)
        best = _unbeaten(mean)
        arms = np.arange(best.size)
        behind = mean[best, :, arms].T
        own_mean, own_sd = (
            np.stack([getattr(s, f) for s in self.surfaces.values()]) for f in ("mean", "sd")
        )
        columns: dict[str, npt.ArrayLike] = {
            "best": np.asarray(self.names, dtype=object)[best],
            "accuracy": np.clip(_level(own_mean, own_sd, behind), 0.0, 1.0),
            "probability": self._arm_rank_chances[arms, best, 0],
        }
        if costs:
            close = self._pairwise(lambda d: d.at_most(tolerance))[best, :, arms].T
            will_do = (close >= certainty) | (np.arange(len(self))[:, None] == best)
            price = np.array([[costs[name]] for name in self.names])
            # The cheapest; if equally cheap, the most accurate.
            chosen = np.lexsort((behind, np.where(will_do, price, np.inf)), axis=0)[0]
            columns |= {
                "choice": np.asarray(self.names, dtype=object)[chosen],
                "price": price[chosen, 0],
                "behind": behind[chosen, arms],
            }
        return self._arm_frame(columns)

    @overload
    def __getitem__(self, index: int) -> Place: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Place, ...]: ...

    def __getitem__(self, index: int | slice) -> Place | tuple[Place, ...]:
        return self.places[index]

    def __len__(self) -> int:
        return len(self.surfaces)

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    @property
    def _any(self) -> AccuracySurface:
        """One of the surfaces, for what all share: arms, pool rows, labels."""
        return next(iter(self.surfaces.values()))

    def _require(self, name: str) -> None:
        if name not in self.surfaces:
            raise UnknownNameError("service", name, self.names)

    def _pairwise(self, read: Callable[[Differences], FloatArray]) -> FloatArray:
        """Return one number per pair and question, shape (k, k, n); zero on the diagonal."""
        found = {
            (i, j): read(self.between(self.names[i], self.names[j]))
            for i, j in permutations(range(len(self)), 2)
        }
        table = np.zeros((len(self), len(self), found[0, 1].size))
        for pair, values in found.items():
            table[pair] = values
        return table

    @cached_property
    def _rank_chances(self) -> FloatArray:
        """Probability of each rank of each service for what was asked, shape (k, k)."""
        asked = {
            pair: self.between(*pair).over(self.weight) for pair in permutations(self.names, 2)
        }
        tables = np.zeros((3, 1, len(self), len(self)))
        for (first, second), d in asked.items():
            i, j = self.names.index(first), self.names.index(second)
            tables[:, 0, i, j] = d.mean, d.sd, d.probability
        mean, sd, chance = tables
        rng = np.random.default_rng([self.seed, 1])
        return np.asarray(rank_probabilities(mean, sd, chance, rng)[0])

    @cached_property
    def _arm_rank_chances(self) -> FloatArray:
        """The same in each listed arm, shape (A, k, k)."""
        reads: tuple[Callable[[Differences], FloatArray], ...] = (
            lambda d: d.mean,
            lambda d: d.sd,
            lambda d: d.probability,
        )
        mean, sd, chance = (self._pairwise(read).transpose(2, 0, 1) for read in reads)
        return rank_probabilities(mean, sd, chance, np.random.default_rng([self.seed, 2]))

    def _check_prices(self, prices: Mapping[str, float]) -> None:
        for name, price in prices.items():
            self._require(name)
            if not 0.0 <= price < math.inf:
                raise InputError(f"price of {name!r} must be at least 0; got {price}.")
        missing = [name for name in self.names if name not in prices]
        if prices and missing:
            raise InputError(
                f"prices must be given for all services or none; got none for {missing}. A free "
                "service has the price 0."
            )

    def _arm_frame(self, columns: Mapping[str, npt.ArrayLike]) -> Frame:
        """Return columns over the listed arms as a table of the arms in the pool."""
        every = {**columns, "labels": self._any.n, "rows": self._any.support}
        taken = [name for name in self._any.space.names if name in every]
        if taken:
            raise InputError(
                f"attribute names must differ from the columns {list(every)}; got {taken[0]!r}. "
                "Rename that column."
            )
        in_pool = np.flatnonzero(self._any.support > 0.0)
        table = self._any.space.frame(self._any.arms[in_pool]).with_columns(
            pl.Series(name, np.asarray(values)[in_pool].tolist()) for name, values in every.items()
        )
        return as_kind(table, self._any.frames)


def _unbeaten(between: FloatArray) -> IntArray:
    """Return the service that no other beats, or that is beaten least, per question (n,)."""
    k = between.shape[0]
    others = np.where(np.eye(k, dtype=bool)[:, :, None], np.inf, between)
    return np.asarray(others.min(axis=1).argmax(axis=0))


def _level(mean: FloatArray, sd: FloatArray, behind: FloatArray) -> FloatArray:
    """Return the accuracy of the best service (n,) from those of all services, (k, n) each."""
    certain = 1.0 / np.maximum(sd**2, _LEAST_VARIANCE)
    return np.asarray((certain * (mean + behind)).sum(axis=0) / certain.sum(axis=0))


def _moved(estimate: Estimate, mean: float) -> Estimate:
    """Return the estimate with another mean; its interval moves with it."""
    middle = min(max(mean, 0.0), 1.0)
    by = middle - estimate.mean
    lower = min(max(estimate.lower + by, 0.0), middle)
    upper = max(min(estimate.upper + by, 1.0), middle)
    return dataclasses.replace(estimate, mean=middle, lower=lower, upper=upper)
