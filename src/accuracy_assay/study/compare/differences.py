"""How much more accurate services are than one another, from the surfaces that are shown.

Notation: k services with surfaces over the same A listed arms. A question is an average with
weights (A,); each service's answer to it is that of its surface, with mean m, deviation s and an
interval. The services' answers are joined by a copula (``numerics.intervals.coupled``) with the
correlations of their errors: those that shared labels give (``study.compare.shared_labels``), or
none if surfaces have separate labels. So a difference d = m - m' is that of the two means, its
variance is s^2 + s'^2 - 2 r s s', and probabilities and ranks come from the same draws. Where rows
say how far two services can differ at all, the interval ends there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from accuracy_assay.domain.averages import Estimate, averages
from accuracy_assay.domain.sized_arms import reshared
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.intervals.coupled import couple, normal_draws
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.number_text import points_text
from accuracy_assay.study.compare.rate_draws import draw_arms

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Answers", "Difference", "Differences", "JointServices", "SharedErrors"]

_DRAWS = 4096
"""Joint draws: a tail of 5% is 4.6 to 5.4%, a probability of one half is off by 0.8%."""
_AT_ONCE = 2**21
"""Numbers drawn at a time. Bounds memory: 16 MB, a few times over."""


class SharedErrors(Protocol):
    """How the errors of services go together that the same labels scored."""

    def correlation(
        self, weight: FloatArray, variance: FloatArray, services: Sequence[int]
    ) -> FloatArray:
        """Return the correlations of averages with weights (Q, A) of m services, (Q, m, m).

        ``variance`` (Q, m) is that of each average.
        """
        ...

    def bounds(
        self, weight: FloatArray, first: int, second: int
    ) -> tuple[FloatArray, FloatArray] | None:
        """Return the least and the largest difference that rows allow, None if they do not."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more accurate one service is than another for what was asked.

    Parameters
    ----------
    mean, sd, lower, upper
        The difference of their accuracies with its central interval.
    level
        Probability of the interval.
    probability
        Probability that the first service is better.
    """

    mean: float
    sd: float
    lower: float
    upper: float
    level: float
    probability: float

    def __str__(self) -> str:
        ends = (self.mean, self.lower, self.upper)
        mean, lower, upper = (points_text(value, is_signed=True) for value in ends)
        return (
            f"{mean} points ({self.level:.0%} interval {lower} to {upper}; better with a "
            f"probability of {self.probability:.0%})"
        )


@dataclass(frozen=True, eq=False)
class Answers:
    """What the surfaces of some services say of Q questions, (Q, k) each."""

    mean: FloatArray
    sd: FloatArray
    lower: FloatArray
    upper: FloatArray
    correlation: FloatArray
    level: float

    def of(self, services: Sequence[int]) -> Answers:
        """Return what some of the services say."""
        at = list(services)
        return Answers(
            self.mean[:, at],
            self.sd[:, at],
            self.lower[:, at],
            self.upper[:, at],
            self.correlation[:, at][:, :, at],
            self.level,
        )

    def draw(self, normals: FloatArray) -> FloatArray:
        """Return joint draws, (S, Q, k), from independent normal ones, (S, k) or (S, Q, k)."""
        ends = (self.lower, self.upper)
        return couple(self.mean, self.sd, ends, self.level, self.correlation, normals)


@dataclass(frozen=True, eq=False)
class JointServices:
    """Surfaces of services over the same arms, and the labels that they share.

    ``shared`` is None if every surface has labels of its own. ``seed`` is that of all draws.
    """

    surfaces: tuple[AccuracySurface, ...]
    shared: SharedErrors | None = None
    seed: int = 0

    def over(self, weight: FloatArray, services: Sequence[int] | None = None) -> Answers:
        """Return what services say of averages with weights (Q, A), by default all of them."""
        at = list(range(len(self.surfaces)) if services is None else services)
        every = np.arange(weight.shape[1])
        found = [
            averages(self.surfaces[k], [every] * len(weight), self._own_weights(weight, k))
            for k in at
        ]
        return self.joined(weight, found, at)

    def estimates(self, weight: FloatArray) -> list[Estimate]:
        """Return what each service says of one average, with weights (A,)."""
        return [
            surface.average(self._own_weights(weight[None], k)[0])
            for k, surface in enumerate(self.surfaces)
        ]

    def _own_weights(self, weight: FloatArray, service: int) -> list[FloatArray]:
        """Return weights (Q, A) by a service's own sizes, where these are estimated."""
        support, own = self.surfaces[0].support, self.surfaces[service].support
        return [reshared(row, support, own) for row in weight]

    def joined(
        self, weight: FloatArray, found: Sequence[Sequence[Estimate]], services: Sequence[int]
    ) -> Answers:
        """Return the same, given the averages of each service."""
        numbers = (
            np.array([[getattr(e, name) for e in each] for each in found]).T
            for name in ("mean", "sd", "lower", "upper")
        )
        return self._joined(weight, list(services), *numbers)

    def arms(
        self, services: Sequence[int] | None = None
    ) -> Iterator[tuple[slice, FloatArray, Answers]]:
        """Yield parts of the listed arms: where they are, their weights, what services say."""
        at = list(range(len(self.surfaces)) if services is None else services)
        n_arms = self.surfaces[0].arms.size
        at_once = max(_AT_ONCE // max(_DRAWS * len(at), n_arms), 1)
        for start in range(0, n_arms, at_once):
            part = slice(start, min(start + at_once, n_arms))
            weight = np.zeros((part.stop - start, n_arms))
            weight[np.arange(part.stop - start), np.arange(start, part.stop)] = 1.0
            numbers = (
                np.stack([getattr(self.surfaces[k], name)[part] for k in at], axis=1)
                for name in ("mean", "sd", "lower", "upper")
            )
            yield part, weight, self._joined(weight, at, *numbers)

    def normals(self, k: int) -> FloatArray:
        """Return independent normal draws for k services, (S, k)."""
        return normal_draws(_DRAWS, k, self.seed)

    def _joined(
        self,
        weight: FloatArray,
        at: list[int],
        mean: FloatArray,
        sd: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> Answers:
        correlation = np.broadcast_to(np.eye(len(at)), (weight.shape[0], len(at), len(at)))
        if self.shared is not None:
            correlation = self.shared.correlation(weight, sd**2, at)
        return Answers(mean, sd, lower, upper, correlation, self.surfaces[0].level)


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of two services: the accuracy of ``first`` minus that of ``second``.

    ``probability`` is that of the first being better; a tie counts half. Arrays over the listed
    arms have shape (A,).
    """

    services: JointServices
    first: int
    second: int

    @property
    def level(self) -> float:
        """Probability of the intervals."""
        return self.services.surfaces[0].level

    @property
    def mean(self) -> FloatArray:
        """Expected differences, (A,)."""
        first, second = (self.services.surfaces[k].mean for k in self._pair)
        return np.asarray(first - second)

    @property
    def sd(self) -> FloatArray:
        """Standard deviations, (A,)."""
        return self._of_arms[0]

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends, (A,) each."""
        return self._of_arms[1], self._of_arms[2]

    @property
    def probability(self) -> FloatArray:
        """Probability that the first service is better, (A,)."""
        return self._of_arms[3]

    def over(self, weight: FloatArray) -> Difference:
        """Return the difference of an average of the arms with weights that sum to one, (A,)."""
        return self.over_each(weight[None])[0]

    def over_each(self, weight: FloatArray) -> list[Difference]:
        """Return the differences of several averages, one per row of ``weight`` (Q, A)."""
        return self.told(weight, self.services.over(weight, self._pair))

    def told(self, weight: FloatArray, asked: Answers) -> list[Difference]:
        """Return the same, given what the two surfaces say of the averages."""
        mean = asked.mean[:, 0] - asked.mean[:, 1]
        columns = np.stack([mean, *self._summary(weight, asked)]).T.tolist()
        return [Difference(m, s, low, high, self.level, p) for m, s, low, high, p in columns]

    def draw(self, weight: csr_array) -> tuple[FloatArray, FloatArray]:
        """Return means (Q,) and joint draws (S, Q) of averages with weights, sparse (Q, A).

        Averages of one service vary together as in the draws of its surface.
        """
        asked = self.services.over(weight.toarray(), self._pair)
        rng = np.random.default_rng([self.services.seed, 1])
        # ``draw_arms`` shuffles: surfaces made with one seed would share their randomness.
        made = [(weight @ draw_arms(self.services.surfaces[k], rng).T).T for k in self._pair]
        n_draws = max(draws.shape[0] for draws in made)
        each = [np.resize(_standard(draws), (n_draws, draws.shape[1])) for draws in made]
        drawn = asked.draw(np.stack(each, axis=2))
        return asked.mean[:, 0] - asked.mean[:, 1], drawn[:, :, 0] - drawn[:, :, 1]

    def reverse(self) -> Differences:
        """Return the differences of the second service to the first."""
        return Differences(self.services, self.second, self.first)

    @property
    def _pair(self) -> tuple[int, int]:
        return self.first, self.second

    @cached_property
    def _of_arms(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Deviation, both ends and probability of each listed arm, (A,) each."""
        found = np.empty((4, self.mean.size))
        for part, weight, asked in self.services.arms(self._pair):
            found[:, part] = self._summary(weight, asked)
        return found[0], found[1], found[2], found[3]

    def _summary(self, weight: FloatArray, asked: Answers) -> FloatArray:
        """Return deviation, both ends and probability of questions, (4, Q)."""
        draws = asked.draw(self.services.normals(2))
        apart = draws[:, :, 0] - draws[:, :, 1]
        mean, (s, t) = asked.mean[:, 0] - asked.mean[:, 1], asked.sd.T
        sd = np.sqrt(np.maximum(s**2 + t**2 - 2.0 * asked.correlation[:, 0, 1] * s * t, 0.0))
        tail = (1.0 - self.level) / 2.0
        lower, upper = np.quantile(apart, [tail, 1.0 - tail], axis=0)
        least, most = np.full(mean.shape, -1.0), np.ones(mean.shape)
        shared = self.services.shared
        limits = None if shared is None else shared.bounds(weight, *self._pair)
        if limits is not None:
            least, most = limits
        lower = np.minimum(np.clip(lower, least, most), mean)
        upper = np.maximum(np.clip(upper, least, most), mean)
        apart = np.clip(apart, least, most)
        return np.stack([sd, lower, upper, (0.5 + 0.5 * np.sign(apart)).mean(axis=0)])


def _standard(draws: FloatArray) -> FloatArray:
    """Return draws (S, Q) with means of zero and deviations of one."""
    away, spread = draws - draws.mean(axis=0), draws.std(axis=0)
    return np.asarray(away / np.where(spread > 0.0, spread, 1.0))
