"""Sums by group number."""

import numpy as np

from accuracy_assay.numerics.grouping import sum_by_group


def test_each_group_gets_the_sum_of_its_entries_and_an_empty_one_zero() -> None:
    total = sum_by_group(np.array([2, 0, 2, 2]), [1.5, 4.0, 0.5, 1.0], 4)
    assert total.tolist() == [4.0, 0.0, 3.0, 0.0]
    assert total.dtype == np.float64


def test_truths_are_counted() -> None:
    values = np.array([True, False, True])
    assert sum_by_group(np.array([0, 0, 1]), values, 2).tolist() == [1.0, 1.0]


def test_without_entries_every_group_is_zero() -> None:
    assert sum_by_group(np.zeros(0, dtype=np.int64), [], 3).tolist() == [0.0] * 3
