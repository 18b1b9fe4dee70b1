"""Sums by group number."""

import numpy as np
import pytest

from accuracy_assay.numerics.grouping import sum_by_group, sum_by_number


def test_each_group_gets_the_sum_of_its_entries_and_an_empty_one_zero() -> None:
    total = sum_by_group(np.array([2, 0, 2, 2]), [1.5, 4.0, 0.5, 1.0], 4)
    assert total.tolist() == [4.0, 0.0, 3.0, 0.0]
    assert total.dtype == np.float64


def test_truths_are_counted() -> None:
    values = np.array([True, False, True])
    assert sum_by_group(np.array([0, 0, 1]), values, 2).tolist() == [1.0, 1.0]


def test_without_entries_every_group_is_zero() -> None:
    assert sum_by_group(np.zeros(0, dtype=np.int64), [], 3).tolist() == [0.0] * 3


@pytest.mark.parametrize("spread", [1, 10**12])
def test_near_and_far_numbers_are_summed_to_the_same_bits(
    spread: int, rng: np.random.Generator
) -> None:
    numbers, values = 3 * rng.integers(0, 40, 5_000), rng.random(5_000)
    distinct, group = np.unique(numbers * spread, return_inverse=True)
    found, total = sum_by_number(numbers * spread, values)
    np.testing.assert_array_equal(found, distinct)
    np.testing.assert_array_equal(total, sum_by_group(group, values, distinct.size))


def test_a_number_counts_even_where_its_values_are_nothing() -> None:
    found, total = sum_by_number(np.array([1, 1, 0, 1]), [0.0, 0.0, 1.0, 0.0])
    assert (found.tolist(), total.tolist()) == ([0, 1], [1.0, 0.0])
    assert sum_by_number(np.zeros(0, dtype=np.int64), [])[0].size == 0
