"""``variance-reduction``: ask for the label that is expected to cut the most variance.

What counts is the weighted sum of the posterior variances of the arms' accuracies. One label
teaches about every cell that is correlated with its own, and in a finite pool it also settles one
row of its arm (``numerics.gp.variance_gain``). Picks are greedy: after each the covariances are
updated as if its label had been seen, so that a batch does not ask for the same thing twice. The
same is done first for labels that are on their way. Questions of different prices are weighed by
the cut per price. The very first labels cover the pool instead, since a variance that hardly a
label stands behind is the prior's (``exploration.space_filling``).

With several services one label scores them all, and their gains add up. An instance whose arm is
only guessed observes a mixture of cells. Of an estimator that leaves no joint posterior only the
arms' own deviations are known; arms are then independent, and a label teaches about its own alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.exploration.expected_gains import ExpectedGains
from accuracy_assay.exploration.goals import (
    Goal,
    compare_weights,
    mix_weights,
    threshold_weights,
    worst_weights,
)
from accuracy_assay.exploration.instance_kinds import InstanceKinds, every_row, merge_kinds
from accuracy_assay.exploration.space_filling import ROUNDING, before_labels, with_labelled
from accuracy_assay.numerics.gp.variance_gain import LabelGains
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.protocols import Candidates, Picks
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["VarianceReduction"]

_LEAST_WEIGHT = 1e-300  # divides weights that are all zero


@dataclass(frozen=True, slots=True)
class VarianceReduction:
    """Choose greedily by the expected cut of variance.

    Parameters
    ----------
    goal
        ``surface`` weighs arms equally, ``mix`` by a client's weights, ``worst`` by their
        probability of being among the worst, ``threshold`` by how undecided their side of an
        accuracy bar is, ``compare`` by how undecided it is which of two services is better.
    mix
        Weights by arm index, for ``mix``.
    bar
        The accuracy bar, for ``threshold``.
    worst
        How many arms count as the worst, for ``worst``.
    least_rows
        Arms with fewer pool rows have no weight.
    cover_labels
        Labels, with those on their way, up to which a batch covers the pool; where attributes are
        guessed it never does.
    random_share
        Share of picks that are made uniformly at random, for design-based checks.
    most_kinds
        Kinds of instances that are weighed against each other in full; where a pool has more, the
        most promising are.
    most_arms
        Arms whose variance counts, beside those of the kinds themselves; where a pool has more, a
        random part of them stands for all.
    """

    goal: Goal = "surface"
    mix: Mapping[int, float] | None = None
    bar: float | None = None
    worst: int = 50
    least_rows: float = float(LEAST_ACTIVE_ROWS)
    cover_labels: int = 50
    random_share: float = 0.0
    most_kinds: int = 1024
    most_arms: int = 8192

    def __post_init__(self) -> None:
        if self.goal not in get_args(Goal):
            raise UnknownNameError("goal", self.goal, get_args(Goal))
        if not 0.0 <= self.random_share <= 1.0:
            raise InputError(f"random_share must lie in [0, 1]; got {self.random_share}.")
        if min(self.worst, self.most_kinds, self.most_arms) < 1:
            raise InputError(
                "worst, most_kinds and most_arms must be at least 1; got "
                f"{self.worst}, {self.most_kinds}, {self.most_arms}."
            )
        if self.cover_labels < 0:
            raise InputError(f"cover_labels must be at least 0; got {self.cover_labels}.")

    @property
    def is_random(self) -> bool:
        """The surface guides the choice."""
        return False

    @property
    def is_counting(self) -> bool:
        """A candidate may stand for several instances."""
        return True

    def choose(
        self,
        surface: AccuracySurface,
        candidates: Candidates,
        n: int,
        rng: np.random.Generator,
    ) -> Picks:
        """Return the ``n`` candidates that are expected to cut the most variance per price."""
        return self.choose_shared([surface], [candidates], n, rng)

    def choose_shared(
        self,
        surfaces: Sequence[AccuracySurface],
        candidates: Sequence[Candidates],
        n: int,
        rng: np.random.Generator,
    ) -> Picks:
        """Return the best ``n`` candidates for several services at once.

        Parameters
        ----------
        surfaces, candidates
            One of each per service; the candidates are the same instances in the same order, over
            each service's own cells.
        """
        n_left = candidates[0].n_left
        total = int(n_left.sum())
        if total == 0 or n < 1:
            return Picks(np.zeros(0, dtype=np.int64), np.zeros(0), ())
        posteriors = [_posterior_of(surface) for surface in surfaces]
        weights = self._weights(surfaces, posteriors)
        candidates = [
            _over_its_cells(posterior, c)
            for posterior, c in zip(posteriors, candidates, strict=True)
        ]
        fewest = int(np.argmin([posterior.labelled.sum() for posterior in posteriors]))
        is_first = self._is_first(posteriors[fewest], candidates[fewest])
        if is_first:  # what a label says does not matter yet, so one service speaks for all
            seen, blind = posteriors[fewest], before_labels(posteriors[fewest])
            candidates = [with_labelled(_over_its_cells(blind, candidates[fewest]), seen)]
            posteriors, weights = [blind], [weights[fewest]]
        kinds = merge_kinds(candidates)
        expected = [
            ExpectedGains(posterior, weight, every_row(c).take(kinds.example))
            for posterior, weight, c in zip(posteriors, weights, candidates, strict=True)
        ]
        if kinds.example.size > self.most_kinds:
            promise = sum((e.promise() for e in expected), start=np.zeros(kinds.example.size))
            promise /= kinds.price
            if is_first:  # all alike: a part of them without order, and always the same
                promise *= np.random.default_rng(0).random(promise.size)
            promise[kinds.of_pending] = np.inf
            chosen = np.sort(np.argpartition(-promise, self.most_kinds - 1)[: self.most_kinds])
            kinds, expected = kinds.take(chosen), [e.take(chosen) for e in expected]
        gains = [e.of_some_arms(self.most_arms).gains() for e in expected]
        for kind in kinds.of_pending[kinds.of_pending >= 0]:
            for service in gains:
                service.take(int(kind))
        return self._pick(kinds, n_left, gains, min(n, total), rng, is_first=is_first)

    def _is_first(self, posterior: CellPosterior, candidates: Candidates) -> bool:
        """Return whether labels are so few that the next ones are to cover the pool."""
        n_labels = posterior.labelled.sum() + candidates.pending.n_rows
        return bool(n_labels < self.cover_labels and every_row(candidates).is_exact)

    def _pick(
        self,
        kinds: InstanceKinds,
        n_left: IntArray,
        services: Sequence[LabelGains],
        n: int,
        rng: np.random.Generator,
        *,
        is_first: bool,
    ) -> Picks:
        """Pick one instance at a time; equal ones are drawn at random, so chances are known."""
        kind_of, is_listed = kinds.of_instance, kinds.of_instance >= 0
        left = sum_by_group(kind_of[is_listed], n_left[is_listed], kinds.example.size)
        picks: list[tuple[int, float, str, float, int, bool]] = []
        for _ in range(n):
            gain = sum((s.gains() for s in services), start=np.zeros(left.size))
            worth = np.where(left > 0, gain / kinds.price, -1.0)
            best = int(np.argmax(worth))
            share = 1.0 if left[best] == 0 else self.random_share
            equals = [best]
            if is_first:
                least_worth = worth[best] - ROUNDING * abs(worth[best])
                equals = np.flatnonzero(worth >= least_worth).tolist()
                best = int(rng.choice(equals))
            is_random = bool(rng.random() < share)
            if is_random:
                (position, rank), reason = _draw(n_left > 0, n_left, rng), "at random"
            else:
                position, rank = _draw((n_left > 0) & (kind_of == best), n_left, rng)
                reason = f"cuts the expected variance by {gain[best]:.2g}"
                reason = "covers the pool" if is_first else reason
            kind = int(kind_of[position])
            chance = least = share / int(n_left.sum())
            if kind in equals and share < 1.0:
                chance += (1.0 - share) / len(equals) / int(left[kind])
            picks.append((position, chance, reason, least, rank, is_random))
            n_left[position] -= 1
            if kind >= 0:
                left[kind] -= 1
                for service in services:
                    service.take(kind)
        positions, chances, reasons, every, ranks, at_random = zip(*picks, strict=True)
        return Picks(
            np.asarray(positions),
            np.asarray(chances),
            tuple(reasons),
            np.asarray(every),
            np.asarray(ranks),
            np.asarray(at_random),
        )

    def _weights(
        self, surfaces: Sequence[AccuracySurface], posteriors: Sequence[CellPosterior]
    ) -> list[FloatArray]:
        found = []
        for surface, posterior in zip(surfaces, posteriors, strict=True):
            support = posterior.support
            if self.goal == "mix":
                weight = mix_weights(support, self.mix)
            elif self.goal == "worst":
                weight = worst_weights(surface, support, self.worst)
            elif self.goal == "threshold":
                weight = threshold_weights(surface, support, self.bar)
            elif self.goal == "compare":
                weight = compare_weights(surfaces, support)
            else:
                weight = np.ones(support.arms.size)
            is_large = support.arm_size >= self.least_rows
            weight = weight * is_large if is_large.any() else weight
            found.append(weight / max(float(weight.sum()), _LEAST_WEIGHT))
        return found


def _draw(is_meant: BoolArray, n_left: IntArray, rng: np.random.Generator) -> tuple[int, int]:
    """Draw one of the instances that some candidates stand for: candidate, and rank in it."""
    among = np.flatnonzero(is_meant)
    ends = np.cumsum(n_left[among])
    drawn = int(rng.integers(0, ends[-1]))
    place = int(np.searchsorted(ends, drawn, side="right"))
    return int(among[place]), drawn - int(ends[place] - n_left[among[place]])


def _posterior_of(surface: AccuracySurface) -> CellPosterior:
    if isinstance(surface.memory, HasPosterior):
        return surface.memory.posterior
    return CellPosterior.of_independent_arms(surface)


def _over_its_cells(posterior: CellPosterior, candidates: Candidates) -> Candidates:
    """Return the candidates over arms where the posterior knows of no strata."""
    is_same = posterior.support.n_strata == candidates.n_strata
    return candidates if is_same else candidates.over_arms()
