"""Ranks are counted in joint draws."""

import numpy as np
import pytest

from accuracy_assay.numerics.rank_probabilities import rank_probabilities


def test_every_number_has_one_rank_and_every_rank_one_number(rng: np.random.Generator) -> None:
    found = rank_probabilities(rng.standard_normal((500, 5)))
    assert found.sum(axis=0) == pytest.approx(1.0)
    assert found.sum(axis=1) == pytest.approx(1.0)


def test_a_number_that_is_always_the_largest_is_the_first(rng: np.random.Generator) -> None:
    draws = rng.standard_normal((500, 3))
    draws[:, 1] += 100.0
    assert rank_probabilities(draws)[1].tolist() == [1.0, 0.0, 0.0]


def test_equal_numbers_share_the_ranks() -> None:
    assert rank_probabilities(np.ones((1000, 2))).tolist() == [[0.5, 0.5], [0.5, 0.5]]
