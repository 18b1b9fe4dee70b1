"""Rows of a covariance that is dear in full: the likely ones at once, all if another is asked for.

A greedy choice reads one row of S per pick, and its picks are nearly always among those that
looked best at the start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["LikelyRows"]


@dataclass(frozen=True, eq=False)
class LikelyRows:
    """A matrix (I, I) that is read row by row and computed when it first is.

    Parameters
    ----------
    compute
        Function that returns the rows of given numbers, (k,) to (k, I).
    likely
        Numbers of the rows that are likely to be asked for, (k,).
    n_rows
        Number of all rows, I.

    Examples
    --------
    >>> rows = LikelyRows(lambda at: np.eye(3)[at], likely=np.array([2]), n_rows=3)
    >>> rows[2].tolist()
    [0.0, 0.0, 1.0]
    """

    compute: Callable[[IntArray], FloatArray]
    likely: IntArray
    n_rows: int

    def __getitem__(self, number: int) -> FloatArray:
        """Return one row, (I,)."""
        place = np.flatnonzero(self.likely == number)
        row = self._likely_rows[place[0]] if place.size else self._every_row[number]
        return np.asarray(row)

    @cached_property
    def _likely_rows(self) -> FloatArray:
        return self.compute(self.likely)

    @cached_property
    def _every_row(self) -> FloatArray:
        return self.compute(np.arange(self.n_rows))
