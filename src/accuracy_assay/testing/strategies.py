"""What every strategy keeps to, on thirty candidates over twelve arms in two strata."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.question import LABEL, QuestionType
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Candidates, Estimator, Picks, Strategy
from accuracy_assay.registry import build_estimator
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["StrategyLaws"]

_N_STRATA = 2
_N_CANDIDATES = 30
"""More than the 24 cells, so that some share a cell and one round may ask for all of them."""

_SPACE = AttributeSpace((Attribute("a", (0, 1, 2, 3)), Attribute("b", (0, 1, 2))))
_STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))
_SUPPORT = Support.count(_SPACE, _STRATA, np.arange(24), np.full(24, 5.0))

_every_pool = pytest.mark.parametrize("pool", ["exact", "guessed"])


class StrategyLaws(Laws):
    """Laws of a `Strategy`; derive from it and say how yours is made."""

    def make(self) -> Strategy:
        """Return the strategy, anew at each call."""
        raise NotImplementedError("say how the strategy is made")

    def made_for(self) -> Estimator:
        """Return the estimator whose surfaces the strategy expects; any by default."""
        return build_estimator("beta-independent")

    def surface(self) -> AccuracySurface:
        """Return the surface that guides the picks, fitted once for all laws."""
        return _surface_for(type(self))  # type: ignore[arg-type]  # a class is hashable

    def choose(self, options: Candidates, n: int, seed: int = 0) -> Picks:
        """Return what a fresh strategy chooses."""
        return self.make().choose(self.surface(), options, n, np.random.default_rng(seed))

    def test_a_strategy_follows_the_protocol(self) -> None:
        """It chooses, and says whether it does so at random."""
        strategy = self.make()
        assert missing_part(strategy, Strategy) is None
        assert isinstance(strategy.is_random, bool)

    @_every_pool
    @pytest.mark.parametrize("n", [1, 12, 30, 100])
    def test_as_many_are_chosen_as_asked_for_and_none_twice(self, pool: str, n: int) -> None:
        """Positions are those of candidates, as many as there are at most."""
        picks = self.choose(_candidates(pool), n)
        assert picks.positions.size == min(n, _N_CANDIDATES)
        assert np.unique(picks.positions).size == picks.positions.size
        assert picks.positions.min() >= 0
        assert picks.positions.max() < _N_CANDIDATES
        assert picks.positions.dtype == np.int64

    @_every_pool
    def test_every_pick_has_a_probability_and_a_reason(self, pool: str) -> None:
        """People are told why an instance was chosen."""
        picks = self.choose(_candidates(pool), 12)
        assert picks.probability.shape == picks.positions.shape
        assert (picks.probability > 0.0).all()
        assert (picks.probability <= 1.0).all()
        if picks.least is not None:
            assert picks.least.shape == picks.positions.shape
            assert (picks.least >= 0.0).all()
            assert (picks.least <= picks.probability).all()
        assert len(picks.reason) == 12
        assert all(picks.reason)

    def test_nothing_to_choose_from_gives_nothing(self) -> None:
        """An empty pool is no obstacle."""
        options = Candidates(np.zeros(0, np.int64), Affiliation.exact([]), _N_STRATA)
        assert self.choose(options, 5).positions.size == 0

    def test_asking_for_nothing_gives_nothing(self) -> None:
        """A batch of no labels is no obstacle."""
        assert self.choose(_candidates("exact"), 0).positions.size == 0

    @_every_pool
    def test_the_same_seed_gives_the_same_picks(self, pool: str) -> None:
        """All randomness comes from the generator."""
        first, second = (self.choose(_candidates(pool), 12, seed=3) for _ in range(2))
        assert first.positions.tolist() == second.positions.tolist()
        assert first.reason == second.reason

    def test_row_numbers_of_the_pool_do_not_matter(self) -> None:
        """Instances are chosen for what is known of them, not for where they stand."""
        options = _candidates("exact")
        renamed = replace(options, instances=options.instances[::-1].copy())
        picks = [self.choose(o, 12).positions.tolist() for o in (options, renamed)]
        assert picks[0] == picks[1]

    def test_choosing_changes_nothing_that_it_was_given(self) -> None:
        """Neither the candidates nor the surface change."""
        options, surface = _candidates("guessed"), self.surface()
        before = [a.copy() for a in (options.instances, options.affiliation.weights, surface.sd)]
        self.choose(options, 12)
        after = (options.instances, options.affiliation.weights, surface.sd)
        for old, new in zip(before, after, strict=True):
            np.testing.assert_array_equal(old, new)

    @_every_pool
    def test_questions_that_cost_the_same_are_chosen_as_if_they_had_no_price(
        self, pool: str
    ) -> None:
        """Only the ratio of prices can matter."""
        options = _candidates(pool)
        dear = replace(options, price=np.full(_N_CANDIDATES, 4.0))
        assert self.choose(dear, 12).positions.tolist() == (
            self.choose(options, 12).positions.tolist()
        )

    @_every_pool
    def test_questions_of_several_types_and_prices_are_no_obstacle(self, pool: str) -> None:
        """They are chosen from like any others."""
        which = np.arange(_N_CANDIDATES) % 2
        mixed = replace(
            _candidates(pool),
            price=np.where(which == 1, 0.25, 1.0),
            types=(LABEL, QuestionType("opinion", of="ann")),
            type_index=which,
        )
        positions = self.choose(mixed, 12).positions
        assert np.unique(positions).size == positions.size == 12

    def test_a_single_candidate_is_chosen(self) -> None:
        """What is left in the end is asked for."""
        assert self.choose(_candidates("exact", 1), 3).positions.tolist() == [0]

    @_every_pool
    def test_a_random_strategy_draws_the_same_whatever_the_batch(self, pool: str) -> None:
        """One generator draws the same instances in one batch of twelve and in two."""
        if not self.make().is_random:
            pytest.skip("what a guided strategy picks depends on the fits between batches")
        options, rng = _candidates(pool), np.random.default_rng(0)
        left, picked = np.arange(_N_CANDIDATES), []
        for n in (5, 7):
            part = replace(options, instances=left, affiliation=options.affiliation.take(left))
            picks = self.make().choose(self.surface(), part, n, rng)
            picked += left[picks.positions].tolist()
            left = np.setdiff1d(left, picked)
        assert picked == self.choose(options, 12).positions.tolist()

    def test_a_random_strategy_does_not_look_at_the_surface(self) -> None:
        """Where ``is_random`` is true, a surface turned around gives the same picks."""
        strategy, options, surface = self.make(), _candidates("exact"), self.surface()
        if not strategy.is_random:
            pytest.skip("the surface guides the choice")
        columns = {name: getattr(surface, name) for name in ("mean", "sd", "lower", "upper")}
        turned = replace(surface, **{name: c[::-1].copy() for name, c in columns.items()})
        picks = [
            strategy.choose(s, options, 12, np.random.default_rng(0)).positions.tolist()
            for s in (surface, turned)
        ]
        assert picks[0] == picks[1]


@cache
def _surface_for(laws: type[StrategyLaws]) -> AccuracySurface:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 24, 60)
    seen = Observations.from_instances(
        _SUPPORT, Affiliation.exact(cells), (rng.random(60) < 0.7).astype(float)
    )
    return laws().made_for().fit(seen, rng)


def _candidates(pool: str, n: int = _N_CANDIDATES) -> Candidates:
    rng = np.random.default_rng(4)
    cells = rng.integers(0, 24, n)
    if pool == "exact":
        rows = Affiliation.exact(cells)
    else:
        pairs = np.stack([cells, (cells + 2) % 24], axis=1).reshape(-1)
        first = rng.choice([0.6, 0.9], n)
        rows = Affiliation(np.arange(n + 1) * 2, pairs, np.stack([first, 1 - first], 1).ravel())
    return Candidates(1000 + np.arange(n), rows, _N_STRATA)
