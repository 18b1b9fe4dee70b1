"""The order of the first services: what is open, and which rows decide it."""

import numpy as np
import pytest

from accuracy_assay.metrics.top_order import deciding, open_difference, stakes


def test_what_is_sure_is_not_at_stake(rng: np.random.Generator) -> None:
    middle = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
    assert not stakes(middle + 0.001 * rng.standard_normal((500, 5))).any()


def test_the_order_of_the_last_is_not_at_stake(rng: np.random.Generator) -> None:
    middle = np.array([0.90, 0.90, 0.80, 0.50, 0.50])
    found = stakes(middle + 0.01 * rng.standard_normal((2_000, 5)), first=3)
    assert found[0, 1] == pytest.approx(1.0, abs=0.01)
    assert found[3, 4] == 0.0
    assert found == pytest.approx(found.T)


def test_a_row_that_all_answer_alike_decides_nothing(rng: np.random.Generator) -> None:
    at_stake = stakes(rng.random((200, 3)), first=1)
    codes = np.array([[4, 4, 4], [4, 4, 1], [0, 1, 2]])
    found = deciding(codes, at_stake)
    assert found[0] == 0.0
    assert found[2] >= found[1] > 0.0
    assert found[2] == pytest.approx(np.triu(at_stake).sum())


def test_services_that_are_ordered_for_sure_leave_nothing_open(rng: np.random.Generator) -> None:
    middle = np.array([0.9, 0.7, 0.5, 0.3, 0.1])
    assert open_difference(middle + 0.001 * rng.standard_normal((500, 5)), 0.9) == 0.0


def test_what_is_open_below_the_first_does_not_count(rng: np.random.Generator) -> None:
    middle = np.array([0.9, 0.7, 0.5, 0.30, 0.30])
    assert open_difference(middle + 0.01 * rng.standard_normal((500, 5)), 0.9) == 0.0


def test_two_services_as_good_as_alike_may_differ_by_their_interval(
    rng: np.random.Generator,
) -> None:
    draws = np.array([0.9, 0.8, 0.8, 0.1]) + 0.01 * rng.standard_normal((20_000, 4))
    # The end of a 90% interval of a difference of two normals; 20,000 draws know it to 2%.
    assert open_difference(draws, 0.9) == pytest.approx(1.645 * 0.01 * np.sqrt(2.0), rel=0.05)
