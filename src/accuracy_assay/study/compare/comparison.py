"""Services side by side: which is best for what was asked, by how much, and how surely.

Notation: k services over the same A listed arms. The accuracy of each is that of its surface, and
the best is the one with the highest. What is behind, how likely a service is the best and its
ranks come from joint draws of these accuracies (``study.compare.differences``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface, Estimate
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.frame_kind import Frame, as_kind
from accuracy_assay.files.tables import Rows
from accuracy_assay.metrics.top_order import open_difference
from accuracy_assay.numerics.rank_probabilities import rank_probabilities
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.board_file import read_board, write_board
from accuracy_assay.study.compare.differences import (
    Answers,
    Difference,
    Differences,
    JointServices,
    SharedErrors,
)
from accuracy_assay.study.compare.leaderboard import board_text, rank_ends, unsettled
from accuracy_assay.study.compare.prices import check_prices

__all__ = ["Comparison", "Place"]


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
    weight
        The share of each listed arm in what was asked, shape (A,).
    prices
        What one answer of each service costs; empty if no price is known.
    shared
        What the same labels say about all services; None if surfaces have separate labels.
    seed
        Seed of the draws.

    Examples
    --------
    >>> from accuracy_assay import compare
    >>> rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
    >>> found = compare(rows, ["sex"], scores=["poor", "good"], estimator="beta-independent")
    >>> found.names, found[0].name, found.at(sex="F").difference("good", "poor").probability > 0.99
    (('poor', 'good'), 'good', True)
    """

    surfaces: Mapping[str, AccuracySurface]
    weight: FloatArray
    prices: Mapping[str, float] = field(default_factory=dict)
    shared: SharedErrors | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.surfaces) < 2:
            raise InputError(f"services must be two or more; got {list(self.surfaces)}.")
        check_prices(self.prices, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the services in the order given."""
        return tuple(self.surfaces)

    @property
    def is_paired(self) -> bool:
        """Whether the same labels scored all services, so that their errors go together."""
        return self.shared is not None

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
        found = dict(zip(self.names, self._estimates, strict=True))
        best = max(self.names, key=lambda name: found[name].mean)
        behind = {name: self.difference(best, name) for name in self.names}
        chance = dict(zip(self.names, self._rank_chances[:, 0].tolist(), strict=True))
        places = [
            Place(
                name,
                found[name],
                behind[name].mean,
                behind[name].lower,
                behind[name].upper,
                chance[name],
                self.prices.get(name),
            )
            for name in self.names
        ]
        return tuple(sorted(places, key=lambda p: (p.name != best, p.behind)))

    @cached_property
    def open_difference(self) -> float:
        """How far services may differ whose order is open, one of them among the first three.

        0 if the order of the first three is settled: each is better than whoever comes after it,
        with the probability of the intervals.
        """
        drawn = self._asked.draw(self._services.normals(len(self)))[:, 0]
        return open_difference(drawn, self._any.level)

    def difference(self, first: str, second: str) -> Difference:
        """Return how much more accurate one service is than another for what was asked."""
        if first == second:
            self._require(first)
            return Difference(0.0, 0.0, 0.0, 0.0, self._any.level, 0.5)
        pair = self.names.index(first), self.names.index(second)
        between = self.between(first, second)
        return between.told(self.weight[None], self._asked.of(pair))[0]

    def between(self, first: str, second: str) -> Differences:
        """Return how much more accurate one service is than another, arm by listed arm."""
        self._require(first)
        self._require(second)
        if first == second:
            raise InputError(f"two services must be compared; got {first!r} twice.")
        return Differences(self._services, self.names.index(first), self.names.index(second))

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

    def to_frame(self) -> Frame:
        """Return the board for what was asked, the best service first.

        Returns
        -------
        polars.DataFrame
            ``rank`` with its interval ``rank_lower`` and ``rank_upper``, ``service``, ``accuracy``
            with ``lower`` and ``upper``, points ``behind`` the best with ``behind_lower`` and
            ``behind_upper``, ``probability_best``, ``tied_with`` (services whose order to this one
            is not sure), with prices the ``price``, and ``labels``.
        """
        return as_kind(self._board, self._any.frames)

    def by(self, attribute: str) -> Frame:
        """Return the services side by side for every value of an attribute, within what was asked.

        Returns
        -------
        polars.DataFrame
            The attribute, ``rank``, ``service``, ``accuracy``, ``lower``, ``upper``, ``behind``
            the best there, and ``is_sure``: whether the best there is the best with the
            probability of the intervals.
        """
        values, weight = self._by_value(attribute)
        asked = self._services.over(weight)
        drawn = asked.draw(self._services.normals(len(self)))
        tables = []
        for q, value in enumerate(values):
            order = np.argsort(-asked.mean[q], kind="stable")
            best = order[0]
            is_sure = rank_probabilities(drawn[:, q])[best, 0] >= self._any.level
            numbers = {"accuracy": asked.mean, "lower": asked.lower, "upper": asked.upper}
            tables.append(
                pl.DataFrame(
                    {
                        attribute: [value] * order.size,
                        "rank": np.arange(1, order.size + 1),
                        "service": [self.names[s] for s in order],
                        **{name: of[q, order] for name, of in numbers.items()},
                        "behind": asked.mean[q, best] - asked.mean[q, order],
                        "is_sure": [bool(is_sure)] * order.size,
                    }
                )
            )
        return as_kind(pl.concat(tables), self._any.frames)

    def _by_value(self, attribute: str) -> tuple[list[str], FloatArray]:
        """Return the values of an attribute with rows in what was asked, and weights (Q, A)."""
        values, weights = [], []
        for value in self.space.attribute(attribute).values:
            is_there = self.space.matches(self._any.arms, {attribute: value})
            weight = np.where(is_there, self.weight, 0.0)
            if weight.any():
                values.append(str(value))
                weights.append(weight / weight.sum())
        return values, np.stack(weights)

    @cached_property
    def _board(self) -> pl.DataFrame:
        drawn = self._asked.draw(self._services.normals(len(self)))[:, 0]
        tied = unsettled(drawn, self._any.level)
        first, last = rank_ends(self._rank_chances, self._any.level)
        rows = []
        for rank, place in enumerate(self.places, start=1):
            i, e = self.names.index(place.name), place.estimate
            others = [other.name for other in self.places if tied[i, self.names.index(other.name)]]
            rows.append(
                {
                    "rank": rank,
                    "rank_lower": int(first[i]),
                    "rank_upper": int(last[i]),
                    "service": place.name,
                    "accuracy": e.mean,
                    "lower": e.lower,
                    "upper": e.upper,
                    "behind": place.behind,
                    "behind_lower": place.behind_lower,
                    "behind_upper": place.behind_upper,
                    "probability_best": place.probability_best,
                    "tied_with": others,
                    **({"price": place.price} if self.prices else {}),
                    "labels": e.n,
                }
            )
        return pl.DataFrame(rows, schema_overrides={"tied_with": pl.List(pl.String)})

    def __str__(self) -> str:
        return board_text(self._board, self[0].estimate.about)

    def save(self, path: str | Path) -> None:
        """Write the comparison to a file, to be asked again under any mix without a fit."""
        write_board(path, (dict(self.surfaces), dict(self.prices), self.shared, self.seed))

    @classmethod
    def load(cls, path: str | Path) -> Comparison:
        """Read a comparison that `save` wrote, over the pool as it is."""
        surfaces, prices, shared, seed = read_board(path)
        weight = next(iter(surfaces.values())).weights()
        return cls(surfaces, weight, prices, shared, seed)

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

    def choice(self, *, tolerance: float = 0.01, certainty: float = 0.9) -> Place:
        """Return the cheapest service that will do for what was asked; the best without prices.

        A service will do if, with a probability of at least ``certainty``, it is at most
        ``tolerance`` less accurate than the best. The best always will.

        Examples
        --------
        >>> from accuracy_assay import compare
        >>> rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
        >>> about = {"scores": ["poor", "good"], "prices": {"poor": 1.0, "good": 2.0}}
        >>> found = compare(rows, ["sex"], estimator="beta-independent", **about)
        >>> found.choice().name, found.choice(tolerance=0.7).name
        ('good', 'poor')
        """
        _check_wish(tolerance, certainty)
        drawn = self._asked.draw(self._services.normals(len(self)))[:, 0]
        best = self.places[0].name
        behind = drawn[:, [self.names.index(best)]] - drawn
        close = dict(zip(self.names, (behind <= tolerance).mean(axis=0), strict=True))
        will_do = [p for p in self.places if p.name == best or close[p.name] >= certainty]
        return min(will_do, key=lambda place: place.price or 0.0)  # of equals the most accurate

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
        check_prices(costs, self.names)
        _check_wish(tolerance, certainty)
        mean = np.stack([surface.mean for surface in self.surfaces.values()])
        best = np.asarray(mean.argmax(axis=0))
        arms = np.arange(best.size)
        behind = mean[best, arms] - mean
        chance, close = self._at_arms(best, tolerance)
        columns: dict[str, npt.ArrayLike] = {
            "best": np.asarray(self.names, dtype=object)[best],
            "accuracy": mean[best, arms],
            "probability": chance,
        }
        if costs:
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

    @cached_property
    def _services(self) -> JointServices:
        return JointServices(tuple(self.surfaces.values()), self.shared, self.seed)

    @cached_property
    def _estimates(self) -> list[Estimate]:
        """The accuracy of each service for what was asked."""
        return self._services.estimates(self.weight)

    @cached_property
    def _asked(self) -> Answers:
        """What all services say of what was asked, and how it goes together."""
        found = [[estimate] for estimate in self._estimates]
        return self._services.joined(self.weight[None], found, range(len(self)))

    @cached_property
    def _rank_chances(self) -> FloatArray:
        """Probability of each rank of each service for what was asked, shape (k, k)."""
        return rank_probabilities(self._asked.draw(self._services.normals(len(self)))[:, 0])

    def _at_arms(self, best: IntArray, tolerance: float) -> tuple[FloatArray, FloatArray]:
        """Return how likely the best of each arm is the best there, (A,), and each will do.

        The latter (k, A) is the probability of being at most ``tolerance`` behind that best.
        """
        chance, close = np.empty(best.shape), np.empty((len(self), best.size))
        for part, _, asked in self._services.arms():
            drawn = asked.draw(self._services.normals(len(self)))
            top = np.take_along_axis(drawn, best[part][None, :, None], axis=2)
            is_top = drawn >= drawn.max(axis=2, keepdims=True)
            of_best = np.take_along_axis(is_top, best[part][None, :, None], axis=2)[:, :, 0]
            chance[part] = (of_best / is_top.sum(axis=2)).mean(axis=0)
            close[:, part] = (top - drawn <= tolerance).mean(axis=0).T
        return chance, close

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


def _check_wish(tolerance: float, certainty: float) -> None:
    if not (tolerance >= 0.0 and 0.0 < certainty < 1.0):
        raise InputError(
            "tolerance must be at least 0 and certainty between 0 and 1; got "
            f"{tolerance} and {certainty}."
        )
