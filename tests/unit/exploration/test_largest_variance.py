"""The most uncertain arms first, one instance each."""

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.largest_variance import LargestVariance
from accuracy_assay.protocols import Candidates

SPACE = AttributeSpace((Attribute("a", (0, 1, 2, 3)),))


def surface(sd: list[float]) -> AccuracySurface:
    half = np.full(4, 0.5)
    return AccuracySurface(SPACE, np.arange(4), half, half, half, half, np.array(sd), half, half)


def exact(arms: list[int]) -> Candidates:
    return Candidates(np.arange(len(arms)), Affiliation.exact(arms))


def test_arms_are_visited_by_decreasing_variance(rng: np.random.Generator) -> None:
    choice = LargestVariance().choose(surface([0.1, 0.4, 0.2, 0.3]), exact([0, 1, 2, 3]), 3, rng)
    assert choice.positions.tolist() == [1, 3, 2]
    assert choice.probability.tolist() == [1.0] * 3
    assert choice.reason[0] == "arm 1 has the largest variance"


def test_an_arm_is_visited_once_before_any_is_visited_twice(rng: np.random.Generator) -> None:
    choice = LargestVariance().choose(surface([0.4, 0.1, 0.1, 0.1]), exact([0, 0, 0, 1]), 4, rng)
    assert [int(p == 3) for p in choice.positions] == [0, 1, 0, 0]
    assert sorted(choice.positions) == [0, 1, 2, 3]


def test_an_arm_with_labels_on_their_way_waits_for_the_others(rng: np.random.Generator) -> None:
    pending = Affiliation.exact([0, 0, 1])
    options = Candidates(np.arange(6), Affiliation.exact([0, 0, 1, 2, 2, 2]), pending=pending)
    choice = LargestVariance().choose(surface([0.9, 0.5, 0.3, 0.1]), options, 5, rng)
    arms = [int(options.affiliation.indices[p]) for p in choice.positions]
    assert arms == [2, 1, 2, 0, 2]


def test_arms_without_candidates_are_passed_over(rng: np.random.Generator) -> None:
    choice = LargestVariance().choose(surface([0.9, 0.1, 0.2, 0.3]), exact([1, 2]), 2, rng)
    assert choice.positions.tolist() == [1, 0]


def test_the_surest_instance_of_an_arm_is_chosen_and_none_twice(rng: np.random.Generator) -> None:
    rows = Affiliation(
        np.array([0, 2, 4, 5]),
        np.array([0, 1, 0, 1, 1]),
        np.array([0.6, 0.4, 0.9, 0.1, 1.0]),
    )
    options = Candidates(np.arange(3), rows)
    choice = LargestVariance().choose(surface([0.4, 0.3, 0.1, 0.1]), options, 3, rng)
    assert choice.positions.tolist() == [1, 2, 0]


def test_strata_of_an_arm_count_as_that_arm(rng: np.random.Generator) -> None:
    options = Candidates(np.arange(2), Affiliation.exact([1, 6]), n_strata=2)
    choice = LargestVariance().choose(surface([0.1, 0.1, 0.1, 0.9]), options, 1, rng)
    assert choice.positions.tolist() == [1]


def test_equal_instances_are_drawn_at_random(rng: np.random.Generator) -> None:
    first = {
        int(LargestVariance().choose(surface([1.0] * 4), exact([0] * 5), 1, rng).positions[0])
        for _ in range(100)
    }
    assert first == {0, 1, 2, 3, 4}


def test_nothing_to_choose_from_or_to_choose_gives_nothing(rng: np.random.Generator) -> None:
    for options, n in ((exact([]), 3), (exact([1]), 0)):
        assert LargestVariance().choose(surface([0.1] * 4), options, n, rng).positions.size == 0
