"""What the predictors of other attributes say about one attribute: their errors go together.

If the noise of two predictors is shared, the score of one tells how far to trust the other. With
normal noise of one covariance, whatever the arm, log P(a|x) is linear in all scores, so

::

    log P(a|x) = sum_k [s_k log M_k(a_k|x) + sum_w C[(k, a_k), w] h_w(x)] + N(a) - log Z

where h are the centred scores of the values of all attributes, each over its scale on D, and C is
zero within an attribute. What the arms themselves then share is left to N.

Special to this module: h (n, V) is called ``heard``; C (V, V).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from accuracy_assay.runtime.arrays import BoolArray, FloatArray

__all__ = ["Crosstalk", "heard", "may_hear", "scales"]


class Crosstalk(NamedTuple):
    """C (V, V), zero where nothing is heard, and the scale of each value's score (V,)."""

    weights: FloatArray
    scale: FloatArray

    def shifts(self, log_m: Sequence[FloatArray]) -> list[FloatArray]:
        """Return what other predictors add to the log-scores of each attribute, K of (n, V_k)."""
        added = heard(log_m, self.scale) @ self.weights.T
        return np.split(added, np.cumsum([scores.shape[1] for scores in log_m])[:-1], axis=1)


def scales(log_m: Sequence[FloatArray]) -> FloatArray:
    """Return the root mean square of each value's centred score (V,), one where it is silent."""
    size = np.concatenate([np.sqrt((_centred(scores) ** 2).mean(axis=0)) for scores in log_m])
    return np.where(size > 0.0, size, 1.0)


def heard(log_m: Sequence[FloatArray], scale: FloatArray) -> FloatArray:
    """Return h (n, V): zeros for an attribute that nobody guesses.

    Examples
    --------
    >>> heard([np.array([[0.0, -4.0]]), np.zeros((1, 2))], np.array([2.0, 2.0, 1.0, 1.0])).tolist()
    [[1.0, -1.0, 0.0, 0.0]]
    """
    return np.asarray(np.concatenate([_centred(scores) for scores in log_m], axis=1) / scale)


def may_hear(sizes: Sequence[int], is_guessed: BoolArray) -> BoolArray:
    """Return which entries of C may differ from zero, (V, V): guesses, of another attribute."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.asarray((owner[:, None] != owner) & is_guessed[owner][:, None] & is_guessed[owner])


def _centred(scores: FloatArray) -> FloatArray:
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))
