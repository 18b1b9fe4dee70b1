"""Each law of a strategy is broken by a strategy that was made to break it, and only then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.uniform import Random
from accuracy_assay.protocols import Candidates, Picks
from accuracy_assay.testing import StrategyLaws

Change = Callable[[Picks, AccuracySurface, Candidates, int], Picks]


@dataclass(frozen=True)
class Bent:
    """A good strategy whose choices are changed afterwards."""

    change: Change
    is_random: Any = True

    def choose(
        self, surface: AccuracySurface, candidates: Candidates, n: int, rng: np.random.Generator
    ) -> Picks:
        return self.change(Random().choose(surface, candidates, n, rng), surface, candidates, n)


def twice(c: Picks, *_: Any) -> Picks:
    return replace(c, positions=np.zeros_like(c.positions))


def unreasoned(c: Picks, *_: Any) -> Picks:
    return replace(c, reason=("",) * len(c.reason))


def one_more(c: Picks, *_: Any) -> Picks:
    return replace(c, positions=np.append(c.positions, 0))


def by_chance(c: Picks, *_: Any) -> Picks:
    return replace(c, positions=np.random.default_rng().permutation(c.positions))


def by_row(c: Picks, s: Any, candidates: Candidates, n: int) -> Picks:
    return replace(c, positions=np.argsort(candidates.instances)[:n])


def greedy_writer(c: Picks, s: AccuracySurface, candidates: Candidates, n: int) -> Picks:
    instances = candidates.instances
    instances[:] = instances + 1
    return c


def by_surface(c: Picks, s: AccuracySurface, candidates: Candidates, n: int) -> Picks:
    return replace(c, positions=np.argsort(s.sd[np.arange(30) % s.sd.size], kind="stable")[:n])


@pytest.mark.parametrize(
    ("law", "change", "arguments"),
    [
        ("as_many_are_chosen_as_asked_for_and_none_twice", twice, ("exact", 12)),
        ("every_pick_has_a_probability_and_a_reason", unreasoned, ("guessed",)),
        ("nothing_to_choose_from_gives_nothing", one_more, ()),
        ("asking_for_nothing_gives_nothing", one_more, ()),
        ("the_same_seed_gives_the_same_picks", by_chance, ("exact",)),
        ("row_numbers_of_the_pool_do_not_matter", by_row, ()),
        ("choosing_changes_nothing_that_it_was_given", greedy_writer, ()),
        ("a_single_candidate_is_chosen", one_more, ()),
        ("a_random_strategy_does_not_look_at_the_surface", by_surface, ()),
    ],
)
def test_a_law_can_be_broken(law: str, change: Change, arguments: tuple[Any, ...]) -> None:
    class Broken(StrategyLaws):
        def make(self) -> Bent:
            return Bent(change)

    class Kept(StrategyLaws):
        def make(self) -> Random:
            return Random()

    getattr(Kept(), f"test_{law}")(*arguments)
    with pytest.raises(AssertionError):
        getattr(Broken(), f"test_{law}")(*arguments)


def test_a_strategy_must_say_whether_it_is_random() -> None:
    class Broken(StrategyLaws):
        def make(self) -> Bent:
            return Bent(lambda c, *_: c, is_random="perhaps")

    with pytest.raises(AssertionError):
        Broken().test_a_strategy_follows_the_protocol()
