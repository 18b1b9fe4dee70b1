"""How correct the rows of each guessed arm look, by their free signals.

Guesses alone blur it: a row whose arm is one of several counts in each. But rows of an arm look
alike, so what a row looks like is one more piece of evidence for its arm. Arms' shares of classes
of rows and the rows' arms are learned together by EM:

    P(a | i) is proportional to P(a | x_i) pi(z_i | a) / pi(z_i),
    pi(z | a) to sum_i P(a | i) [z_i = z] + m pi(z)

Notation: n rows of the pool, A arms that occur, z (n,) the class of each row's predicted
correctness, m pseudo-rows.
"""

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["mean_by_arm"]

# Shares of the pool between classes of predicted correctness, finer where it is low.
_EDGES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8)
# Rows by which an arm's classes are held to the pool's. Chosen by hand: an arm of fewer rows says
# little about its classes.
_PSEUDO_ROWS = 5.0
# Few steps, so that an arm of few rows does not take the rows that look like it.
_STEPS = 5


def mean_by_arm(
    rows: Affiliation, predicted: FloatArray, count: FloatArray | None = None
) -> FloatArray:
    """Return the mean predicted correctness of each arm's rows, arms in increasing order, (A,).

    Parameters
    ----------
    rows
        P(a | x) of the pool.
    predicted
        Logit of each row's predicted correctness, (n,).
    count
        How many rows each row stands for, (n,); one by default.

    Examples
    --------
    >>> rows = Affiliation(np.array([0, 1, 2]), np.array([3, 7]), np.ones(2))
    >>> mean_by_arm(rows, np.array([0.0, 2.0])).round(2).tolist()
    [0.5, 0.88]
    """
    chance, row = 1.0 / (1.0 + np.exp(-predicted)), rows.row_index
    arms, arm = np.unique(rows.indices, return_inverse=True)
    arm = arm.reshape(-1)
    z, n_classes = np.digitize(chance, np.quantile(chance, _EDGES)), len(_EDGES) + 1
    size = np.ones(chance.size) if count is None else count
    share = sum_by_group(z, size, n_classes) / size.sum()
    weights, classes = rows.weights, arm * n_classes + z[row]
    for _ in range(_STEPS):
        held = sum_by_group(classes, size[row] * weights, arms.size * n_classes)
        found = held.reshape(arms.size, n_classes) + _PSEUDO_ROWS * share
        found /= found.sum(axis=1, keepdims=True)
        weights = rows.weights * found[arm, z[row]] / share[z[row]]
        weights = weights / sum_by_group(row, weights, rows.n_rows)[row]
    total = sum_by_group(arm, size[row] * weights, arms.size)
    return sum_by_group(arm, size[row] * weights * chance[row], arms.size) / total
