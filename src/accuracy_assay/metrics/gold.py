"""The gold: accuracies of arms counted from rows whose attributes and labels are all known.

Only active arms count: those with at least ``LEAST_ACTIVE_ROWS`` rows, five as in the paper.
``floor`` is the part of the macro error that is sampling noise of the gold itself: the mean of
gold (1 - gold) / (n - 1).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Gold"]


@dataclass(frozen=True, eq=False)
class Gold:
    """Gold accuracy and size of the active arms, each of shape (A,).

    ``variance`` is the within-arm variance of the agreement, with divisor n.
    """

    arms: IntArray
    accuracy: FloatArray
    size: FloatArray
    variance: FloatArray

    @classmethod
    def count(
        cls, arms: npt.ArrayLike, scores: npt.ArrayLike, least_rows: int = LEAST_ACTIVE_ROWS
    ) -> "Gold":
        """Count the gold from the arm and the agreement of every row."""
        score = np.asarray(scores, dtype=np.float64)
        unique, inverse = np.unique(np.asarray(arms, dtype=np.int64), return_inverse=True)
        size = sum_by_group(inverse, np.ones(score.shape), unique.size)
        mean = sum_by_group(inverse, score, unique.size) / size
        variance = sum_by_group(inverse, score**2, unique.size) / size - mean**2
        active = size >= least_rows
        if not active.any():
            raise InputError(
                f"rows must hold an arm with at least {least_rows} of them; the largest has "
                f"{int(size.max(initial=0))}. Use fewer or coarser attributes."
            )
        return cls(unique[active], mean[active], size[active], np.maximum(variance[active], 0.0))

    def take(self, part: IntArray) -> "Gold":
        """Return the gold of the arms at some positions."""
        return Gold(self.arms[part], self.accuracy[part], self.size[part], self.variance[part])

    @property
    def floor(self) -> float:
        """Mean sampling variance of the gold accuracies; for 0/1 scores gold (1-gold)/(n-1)."""
        return float(np.mean(self.variance / (self.size - 1.0)))
