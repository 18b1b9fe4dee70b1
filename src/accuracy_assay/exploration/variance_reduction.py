"""``variance-reduction``: ask for the label that is expected to cut the most variance.

What counts is the goal's: the weighted sum of the posterior variances of the arms' accuracies, and
the variance of the overall accuracy, each relative to what is left of it (``exploration.goals``,
``numerics.gp.variance_gain``). Labels for an average alone are drawn instead
(``exploration.drawing``). One label teaches about every
cell that is correlated with its own, and in a finite pool it also settles one row of its arm.
Picks are greedy: after each the covariances are updated as if its label had been seen, so that a
batch does not ask for the same thing twice. The same is done first for labels that are on their
way. Questions of different prices are weighed by the cut per price. The very first labels cover
the pool instead, since a variance that hardly a label stands behind is the prior's
(``exploration.space_filling``).

With several services one label scores them all, and their gains add up. An instance whose arm is
only guessed observes a mixture of cells. Of an estimator that leaves no joint posterior only the
arms' own deviations are known; arms are then independent, and a label teaches about its own alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS, Support
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.referees import is_contested
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.exploration.confirmations import Confirmations, best_confirmations
from accuracy_assay.exploration.drawing import draw_rows
from accuracy_assay.exploration.expected_gains import ExpectedGains
from accuracy_assay.exploration.goals import (
    Goal,
    Wanted,
    compare_weights,
    mix_weights,
    threshold_weights,
    worst_weights,
)
from accuracy_assay.exploration.instance_kinds import InstanceKinds, every_row, merge_kinds
from accuracy_assay.exploration.space_filling import ROUNDING, before_labels, with_labelled
from accuracy_assay.numerics.gp.variance_gain import RelativeGains
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.protocols import Candidates, Picks
from accuracy_assay.runtime.arrays import BoolArray, IntArray

__all__ = ["VarianceReduction"]


@dataclass(frozen=True, slots=True)
class VarianceReduction:
    """Choose greedily by the expected cut of variance.

    Parameters
    ----------
    goal
        ``overall``: the accuracy over the pool. ``surface``: each arm weighted equally, and the
        overall accuracy by ``overall_share``. ``mix``: the accuracy under a client's own mix.
        ``worst``: arms, by their probability of being among the worst. ``compare``: rows that
        services answer differently, where agreement is a signal, else arms by how undecided it
        is which service is better. ``now``: arms by ``staleness``. ``threshold``: arms by how
        undecided their side of an accuracy bar is.
    mix
        For ``mix``: a table as ``AccuracySurface.under`` takes it, or weights by arm index. For
        ``now``: the mix of the rows of now, by arm index; the pool's by default.
    staleness
        For ``now``: how many times its variance an arm counts for, by arm index; a session says
        how much larger the variance is once older labels are forgotten. One by default.
    bar
        The accuracy bar, for ``threshold``.
    worst
        How many arms count as the worst, for ``worst``; by default a tenth, and 50 at most.
    least_rows
        Arms with fewer pool rows have no weight.
    cover_labels
        Labels, with those on their way, up to which a batch covers the pool; where attributes are
        guessed it never does.
    random_share
        Share of picks that are made uniformly at random, for design-based checks.
    overall_share
        What the variance of the overall accuracy counts for beside that of the arms, for
        ``surface``; 0 leaves it out.
    most_kinds
        Kinds of instances that are weighed against each other in full; where a pool has more, the
        most promising are.
    most_arms
        Arms whose variance counts, beside those of the kinds themselves; where a pool has more, a
        random part of them stands for all.
    """

    goal: Goal = "surface"
    mix: Mapping[int, float] | str | Path | None = None
    staleness: Mapping[int, float] | None = None
    bar: float | None = None
    worst: int | None = None
    least_rows: float = float(LEAST_ACTIVE_ROWS)
    cover_labels: int = 50
    random_share: float = 0.0
    overall_share: float = 0.25
    most_kinds: int = 1024
    most_arms: int = 8192

    def __post_init__(self) -> None:
        if self.goal not in get_args(Goal):
            raise UnknownNameError("goal", self.goal, get_args(Goal))
        for name in ("random_share", "overall_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} must lie in [0, 1]; got {getattr(self, name)}.")
        if min(self.worst or 1, self.most_kinds, self.most_arms) < 1:
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
        wanted = self._wanted(surfaces, posteriors)
        candidates = [
            _over_its_cells(posterior, c)
            for posterior, c in zip(posteriors, candidates, strict=True)
        ]
        fewest = int(np.argmin([posterior.labelled.sum() for posterior in posteriors]))
        is_first = self._is_first(posteriors[fewest], candidates[fewest])
        if is_first:  # what a label says does not matter yet, so one service speaks for all
            seen, blind = posteriors[fewest], before_labels(posteriors[fewest])
            candidates = [with_labelled(_over_its_cells(blind, candidates[fewest]), seen)]
            posteriors, wanted = [blind], [wanted[fewest].before_labels(blind)]
        if all(goal.share == 1.0 for goal in wanted):
            spread = [
                ExpectedGains(p, goal.arms, c.affiliation, average=goal.average_of(p)).spread()
                for p, goal, c in zip(posteriors, wanted, candidates, strict=True)
            ]
            pull = np.sqrt(np.sum(np.square(spread), axis=0))
            if candidates[0].price is not None:
                pull = pull / np.sqrt(candidates[0].price)
            return draw_rows(pull, n_left, min(n, total), self.random_share, rng)
        kinds = merge_kinds(candidates)
        expected = [
            ExpectedGains(
                posterior,
                goal.arms,
                every_row(c).take(kinds.example),
                average=goal.average_of(posterior),
            )
            for posterior, goal, c in zip(posteriors, wanted, candidates, strict=True)
        ]
        if kinds.example.size > self.most_kinds:
            promise = np.zeros(kinds.example.size)
            for e, goal in zip(expected, wanted, strict=True):
                promise += e.promise(goal.share)
            promise /= kinds.price
            if is_first:  # all alike: a part of them without order, and always the same
                promise *= np.random.default_rng(0).random(promise.size)
            promise[kinds.of_pending] = np.inf
            chosen = np.sort(np.argpartition(-promise, self.most_kinds - 1)[: self.most_kinds])
            kinds, expected = kinds.take(chosen), [e.take(chosen) for e in expected]
        gains = [
            e.of_some_arms(self.most_arms).relative_gains(goal.total, goal.share)
            for e, goal in zip(expected, wanted, strict=True)
        ]
        confirming = _confirmations(surfaces[0], candidates[0], expected, wanted, kinds)
        for kind in kinds.of_pending[kinds.of_pending >= 0]:
            for service in gains:
                service.take(int(kind))
        return self._pick(
            kinds, n_left, gains, min(n, total), rng, is_first=is_first, confirming=confirming
        )

    def _is_first(self, posterior: CellPosterior, candidates: Candidates) -> bool:
        """Return whether labels are so few that the next ones are to cover the pool."""
        n_labels = posterior.labelled.sum() + candidates.pending.n_rows
        return bool(n_labels < self.cover_labels and every_row(candidates).is_exact)

    def _pick(
        self,
        kinds: InstanceKinds,
        n_left: IntArray,
        services: Sequence[RelativeGains],
        n: int,
        rng: np.random.Generator,
        *,
        is_first: bool,
        confirming: Confirmations | None = None,
    ) -> Picks:
        """Pick one instance at a time; equal ones are drawn at random, so chances are known."""
        factor, price = np.ones(kinds.price.size), kinds.price
        if confirming is not None:
            factor, price = confirming.factor, price + confirming.price
        confirm: list[tuple[int, ...]] = []
        kind_of, is_listed = kinds.of_instance, kinds.of_instance >= 0
        left = sum_by_group(kind_of[is_listed], n_left[is_listed], kinds.example.size)
        picks: list[tuple[int, float, str, float, int, bool]] = []
        for _ in range(n):
            gain = sum((s.gains() for s in services), start=np.zeros(left.size)) * factor
            worth = np.where(left > 0, gain / price, -1.0)
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
                reason = f"cuts the expected variance by {100.0 * gain[best] / len(services):.3g}%"
                reason = "covers the pool" if is_first else reason
            kind = int(kind_of[position])
            chance = least = share / int(n_left.sum())
            if kind in equals and share < 1.0:
                chance += (1.0 - share) / len(equals) / int(left[kind])
            picks.append((position, chance, reason, least, rank, is_random))
            if confirming is not None:
                confirm.append(confirming.attributes[kind] if kind >= 0 else ())
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
            tuple(confirm),
        )

    def _wanted(
        self, surfaces: Sequence[AccuracySurface], posteriors: Sequence[CellPosterior]
    ) -> list[Wanted]:
        """Return what the labels are for, as each service's posterior sees it."""
        supports = [posterior.support for posterior in posteriors]
        contested = [_contested(support) for support in supports] * (self.goal == "compare")
        differ = [cells for cells in contested if cells is not None]
        found = []
        for k, (surface, support) in enumerate(zip(surfaces, supports, strict=True)):
            how: dict[str, Any] = {"least_rows": self.least_rows}
            if self.goal == "overall":
                how["share"] = 1.0
            elif self.goal == "mix":
                how |= {"share": 1.0, "average": mix_weights(surface, support, self.mix)}
            elif self.goal == "worst":
                how["arms"] = worst_weights(surface, support, self.worst)
            elif self.goal == "threshold":
                how["arms"] = threshold_weights(surface, support, self.bar)
            elif self.goal == "compare" and posteriors[k].is_of_order:
                how["share"] = 1.0
            elif self.goal == "compare" and len(differ) == len(surfaces):
                how |= {"share": 1.0, "cells": contested[k]}
            elif self.goal == "compare" and len(surfaces) > 1:
                how["arms"] = compare_weights(surfaces, support)
            elif self.goal == "now" and self.staleness is not None:
                stale = [self.staleness.get(int(arm), 1.0) for arm in support.arms]
                how |= {"share": self.overall_share, "arms": np.asarray(stale)}
                if self.mix is not None:
                    how["average"] = mix_weights(surface, support, self.mix)
            else:  # also where the others to compare with have not answered yet
                how["share"] = self.overall_share
            found.append(Wanted.build(surface, support, **how))
        return found


def _confirmations(
    surface: AccuracySurface,
    candidates: Candidates,
    expected: Sequence[ExpectedGains],
    wanted: Sequence[Wanted],
    kinds: InstanceKinds,
) -> Confirmations | None:
    """Return what is best confirmed with each kind; None where nothing may be."""
    if candidates.confirm_price is None or expected[0].rows.is_exact:
        return None
    arms = expected[0].rows.indices // candidates.n_strata
    goals = [(goal.total, goal.share) for goal in wanted]
    codes = surface.space.codes(arms)
    return best_confirmations(expected, goals, codes, candidates.confirm_price, kinds.price)


def _contested(support: Support) -> BoolArray | None:
    """Return the cells whose rows services answer differently; None where none or nobody knows."""
    found = is_contested(support.strata, support.cells % support.n_strata)
    return found if found is not None and found.any() else None


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
    """Return the candidates over the cells of the posterior, which may know of fewer strata."""
    n_strata = posterior.support.n_strata
    return candidates if n_strata == candidates.n_strata else candidates.over_arms(n_strata)
