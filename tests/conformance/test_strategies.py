"""What every strategy of the registry keeps to.

A new strategy is picked up by its line in the registry.
"""

from functools import cache

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Candidates, Choice, Strategy
from accuracy_assay.registry import STRATEGIES, build_estimator, build_strategy

N_STRATA = 2
SPACE = AttributeSpace((Attribute("a", (0, 1, 2, 3)), Attribute("b", (0, 1, 2))))
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))
SUPPORT = Support.count(SPACE, STRATA, np.arange(24), np.full(24, 5.0))

MADE_FOR = {"variance-reduction": "anova-gp"}
"""The estimator whose surfaces a strategy expects, where it is not just any."""

every_strategy = pytest.mark.parametrize("name", list(STRATEGIES))
every_pool = pytest.mark.parametrize("kind", ["exact", "guessed"])


@cache
def surface_for(name: str) -> AccuracySurface:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 24, 60)
    seen = Observations.from_instances(
        SUPPORT, Affiliation.exact(cells), (rng.random(60) < 0.7).astype(float)
    )
    estimator = MADE_FOR.get(name, "beta-independent")
    return build_estimator(estimator).fit(seen, rng)


def candidates(kind: str, n: int = 30) -> Candidates:
    rng = np.random.default_rng(4)
    cells = rng.integers(0, 24, n)
    if kind == "exact":
        rows = Affiliation.exact(cells)
    else:
        pairs = np.stack([cells, (cells + 2) % 24], axis=1).reshape(-1)
        first = rng.choice([0.6, 0.9], n)
        rows = Affiliation(np.arange(n + 1) * 2, pairs, np.stack([first, 1 - first], 1).ravel())
    return Candidates(1000 + np.arange(n), rows, N_STRATA)


def choose(name: str, options: Candidates, n: int, seed: int = 0) -> Choice:
    strategy = build_strategy(name)
    return strategy.choose(surface_for(name), options, n, np.random.default_rng(seed))


@every_strategy
def test_a_strategy_follows_the_protocol(name: str) -> None:
    assert isinstance(build_strategy(name), Strategy)


@every_strategy
@every_pool
@pytest.mark.parametrize("n", [1, 12, 30, 100])
def test_as_many_are_chosen_as_asked_for_and_none_twice(name: str, kind: str, n: int) -> None:
    choice = choose(name, candidates(kind), n)
    assert choice.positions.size == min(n, 30)
    assert np.unique(choice.positions).size == choice.positions.size
    assert choice.positions.min() >= 0
    assert choice.positions.max() < 30
    assert choice.positions.dtype == np.int64


@every_strategy
@every_pool
def test_every_pick_has_a_probability_and_a_reason(name: str, kind: str) -> None:
    choice = choose(name, candidates(kind), 12)
    assert choice.probability.shape == choice.positions.shape
    assert (choice.probability > 0.0).all()
    assert (choice.probability <= 1.0).all()
    assert len(choice.reason) == 12
    assert all(choice.reason)


@every_strategy
def test_nothing_to_choose_from_gives_nothing(name: str) -> None:
    options = Candidates(np.zeros(0, np.int64), Affiliation.exact([]), N_STRATA)
    assert choose(name, options, 5).positions.size == 0


@every_strategy
def test_asking_for_nothing_gives_nothing(name: str) -> None:
    assert choose(name, candidates("exact"), 0).positions.size == 0


@every_strategy
@every_pool
def test_the_same_seed_gives_the_same_picks(name: str, kind: str) -> None:
    first, second = (choose(name, candidates(kind), 12, seed=3) for _ in range(2))
    assert first.positions.tolist() == second.positions.tolist()
    assert first.reason == second.reason


@every_strategy
def test_row_numbers_of_the_pool_do_not_matter(name: str) -> None:
    options = candidates("exact")
    renamed = Candidates(options.instances[::-1].copy(), options.affiliation, N_STRATA)
    assert (
        choose(name, renamed, 12).positions.tolist()
        == choose(name, options, 12).positions.tolist()
    )


@every_strategy
def test_choosing_changes_nothing_that_it_was_given(name: str) -> None:
    options, surface = candidates("guessed"), surface_for(name)
    before = [a.copy() for a in (options.instances, options.affiliation.weights, surface.sd)]
    choose(name, options, 12)
    after = (options.instances, options.affiliation.weights, surface.sd)
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old, new)


@every_strategy
def test_a_single_candidate_is_chosen(name: str) -> None:
    assert choose(name, candidates("exact", 1), 3).positions.tolist() == [0]
