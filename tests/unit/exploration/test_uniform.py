"""Random choice: without replacement, uniform, honest about its probability."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.uniform import Random
from accuracy_assay.protocols import Candidates

SPACE = AttributeSpace((Attribute("a", (0, 1)),))
SURFACE = AccuracySurface(SPACE, np.arange(2), *np.full((7, 2), 0.5))


def candidates(n: int) -> Candidates:
    return Candidates(np.arange(100, 100 + n), Affiliation.exact(np.zeros(n, dtype=np.int64)))


def test_picks_are_different_and_carry_their_probability(rng: np.random.Generator) -> None:
    choice = Random().choose(SURFACE, candidates(8), 4, rng)
    assert np.unique(choice.positions).size == 4
    assert choice.probability.tolist() == pytest.approx([1 / 8, 1 / 7, 1 / 6, 1 / 5])
    assert choice.least is not None
    assert choice.least.tolist() == choice.probability.tolist()
    assert choice.reason == ("at random",) * 4


def test_no_more_are_picked_than_there_are(rng: np.random.Generator) -> None:
    assert sorted(Random().choose(SURFACE, candidates(3), 10, rng).positions) == [0, 1, 2]
    assert Random().choose(SURFACE, candidates(0), 10, rng).positions.size == 0
    assert Random().choose(SURFACE, candidates(3), 0, rng).positions.size == 0


def test_every_candidate_is_as_likely(rng: np.random.Generator) -> None:
    rounds = 4000
    picks = [Random().choose(SURFACE, candidates(5), 2, rng).positions for _ in range(rounds)]
    share = np.bincount(np.concatenate(picks), minlength=5) / rounds
    standard_error = np.sqrt(0.4 * 0.6 / rounds)
    assert share == pytest.approx(0.4, abs=5 * standard_error)


def test_candidates_that_stand_for_many_are_drawn_as_the_many_are() -> None:
    count = np.array([3, 0, 4, 1])
    owner = np.repeat(np.arange(4), count)
    alike = Candidates(np.arange(4), Affiliation.exact(np.zeros(4, dtype=np.int64)), count=count)
    for seed in range(20):
        each = Random().choose(SURFACE, candidates(8), 8, np.random.default_rng(seed))
        choice = Random().choose(SURFACE, alike, 9, np.random.default_rng(seed))
        assert choice.positions.tolist() == owner[each.positions].tolist()
        assert choice.probability.tolist() == each.probability.tolist()
        assert choice.rank is not None
        rows = [np.flatnonzero(owner == i).tolist() for i in range(4)]
        named = [rows[i].pop(r) for i, r in zip(choice.positions, choice.rank, strict=True)]
        assert named == each.positions.tolist()
