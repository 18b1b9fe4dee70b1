"""Rows that are computed when they are read."""

import numpy as np

from accuracy_assay.exploration.likely_rows import LikelyRows
from accuracy_assay.runtime.arrays import FloatArray, IntArray


class Counted:
    """A matrix that notes which rows were computed together."""

    def __init__(self, matrix: FloatArray) -> None:
        self.matrix, self.asked = matrix, list[list[int]]()

    def __call__(self, rows: IntArray) -> FloatArray:
        self.asked.append(rows.tolist())
        return self.matrix[rows]


def test_every_row_is_that_of_the_matrix(rng: np.random.Generator) -> None:
    matrix = rng.normal(size=(9, 9))
    rows = LikelyRows(Counted(matrix), likely=np.array([7, 0, 4]), n_rows=9)
    for number in range(9):
        np.testing.assert_array_equal(rows[number], matrix[number])


def test_likely_rows_are_computed_once_and_the_others_only_if_one_is_asked_for(
    rng: np.random.Generator,
) -> None:
    matrix = Counted(rng.normal(size=(5, 5)))
    rows = LikelyRows(matrix, likely=np.array([3, 1]), n_rows=5)
    assert matrix.asked == []
    for number in (1, 3, 1):
        assert rows[number].shape == (5,)
    assert matrix.asked == [[3, 1]]
    for number in (0, 2):
        assert rows[number].shape == (5,)
    assert matrix.asked == [[3, 1], [0, 1, 2, 3, 4]]
