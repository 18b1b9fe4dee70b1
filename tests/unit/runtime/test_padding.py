"""Padded sizes: few, and never wasteful where it counts."""

import numpy as np

from accuracy_assay.runtime.padding import pad_rows, padded_size


def test_a_padded_size_holds_the_rows_without_much_waste() -> None:
    for n in range(1, 40_000, 37):
        size = padded_size(n)
        assert n <= size
        assert size <= max(128, 2 * n if n <= 256 else 1.5 * n)
        assert padded_size(size) == size


def test_there_are_few_sizes() -> None:
    assert len({padded_size(n) for n in range(1, 8193)}) == 20


def test_added_rows_hold_the_filling_and_the_others_stay() -> None:
    padded = pad_rows(np.arange(6).reshape(3, 2), 5, fill=-1.0)
    assert padded.tolist() == [[0, 1], [2, 3], [4, 5], [-1, -1], [-1, -1]]
    assert pad_rows(np.ones(3), 3).tolist() == [1.0] * 3
