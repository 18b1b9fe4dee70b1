"""How much the next label is expected to cut the variance of the targets, and greedy choice.

Notation: A targets t_a, n kinds of label. ``M`` (A, n) holds the covariance of each target with
the head probability of each kind, times the root of the target's weight; ``S`` (n, n) the
covariance of the heads among themselves; ``D`` (n,) the variance of one label, S_ii included. If
the posterior mean is linear in a label, as it is for a Beta and a coin, then one label of kind i
cuts the weighted variance of the targets by

    sum_a M_ai^2 / D_i

In a finite pool a labelled row is no longer a coin that is yet to fall. A row of kind i weighs h_i
in its own target ``own`` (-1: none, as when its arm is only guessed), and that target's cut is

    2 h_i M_ai - h_i^2 S_ii + h_i^2 (D_i - S_ii) + (M_ai - h_i S_ii)^2 / D_i
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LabelGains"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LEAST_VARIANCE = 1e-12


@dataclass
class LabelGains:
    """Covariances that follow each pick; ``take`` changes them in place.

    Parameters
    ----------
    M, S, D, own, h
        See the module.
    """

    M: FloatArray
    S: FloatArray
    D: FloatArray
    own: IntArray
    h: FloatArray

    def __post_init__(self) -> None:
        self.D = np.maximum(self.D, _LEAST_VARIANCE)

    def gains(self) -> FloatArray:
        """Return the expected cut of the weighted variance for each kind of label, (n,)."""
        learned = np.einsum("an,an->n", self.M, self.M) / self.D
        kinds = np.flatnonzero(self.own >= 0)
        m, h = self.M[self.own[kinds], kinds], self.h[kinds]
        s, D = np.diagonal(self.S)[kinds], self.D[kinds]
        settled = 2.0 * h * m - h**2 * s + h**2 * np.maximum(D - s, 0.0)
        learned[kinds] += settled + ((m - h * s) ** 2 - m**2) / D
        return np.asarray(np.maximum(learned, 0.0))

    def take(self, kind: int) -> None:
        """Update the covariances as if a label of this kind had been seen."""
        row = self.S[kind].copy()
        if self.own[kind] >= 0:
            self.M[self.own[kind]] -= self.h[kind] * row
        self.M -= np.outer(self.M[:, kind] / self.D[kind], row)
        self.S -= np.outer(row / self.D[kind], row)
