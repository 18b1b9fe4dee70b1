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

After a label of kind i has been seen, M and S lose u r' and r r' / D_i, with r the row of S and u
the column of M over D_i plus what the row weighs in its own target. These are kept apart, and only
sums of squares are updated, so that a pick reads M once and never writes it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["LabelGains"]


_LEAST_VARIANCE = 1e-12


class _Pick(NamedTuple):
    """What a pick took away: u (A,) and r (n,), and the variance D of its label."""

    u: FloatArray
    r: FloatArray
    D: float


@dataclass(eq=False)
class LabelGains:
    """What one label of each kind cuts, given the picks so far; ``take`` adds a pick.

    Parameters
    ----------
    M, S, D, own, h
        See the module. M and S are those before the first pick, and stay so.
    """

    M: FloatArray
    S: FloatArray
    D: FloatArray
    own: IntArray
    h: FloatArray
    _picks: list[_Pick] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.D = np.maximum(self.D, _LEAST_VARIANCE)
        self._settling = np.flatnonzero(self.own >= 0)
        self._squares = np.einsum("an,an->n", self.M, self.M)
        self._own_M = self.M[self.own[self._settling], self._settling]
        self._own_S = np.diagonal(self.S).copy()

    def gains(self) -> FloatArray:
        """Return the expected cut of the weighted variance for each kind of label, (n,)."""
        learned = self._squares / self.D
        kinds, m = self._settling, self._own_M
        h, s, D = self.h[kinds], self._own_S[kinds], self.D[kinds]
        settled = 2.0 * h * m - h**2 * s + h**2 * np.maximum(D - s, 0.0)
        learned[kinds] += settled + ((m - h * s) ** 2 - m**2) / D
        return np.asarray(np.maximum(learned, 0.0))

    def column(self, kind: int) -> FloatArray:
        """Return the covariance of each target with this kind, (A,), as it now is."""
        column = self.M[:, kind].copy()
        for pick in self._picks:
            column -= pick.u * pick.r[kind]
        return column

    def take(self, kind: int) -> None:
        """Update the gains as if a label of this kind had been seen."""
        r = self.S[kind].copy()
        for pick in self._picks:
            r -= pick.r * (pick.r[kind] / pick.D)
        u, own, D = self.column(kind), self.own[kind], self.D[kind]
        if own >= 0:
            u[own] -= self.h[kind] * r[kind]
        u /= D
        if own >= 0:
            u[own] += self.h[kind]
        along = u @ self.M
        for pick in self._picks:
            along -= pick.r * (u @ pick.u)
        self._squares += r * (r * (u @ u) - 2.0 * along)
        self._own_M -= u[self.own[self._settling]] * r[self._settling]
        self._own_S -= r**2 / D
        self._picks.append(_Pick(u, r, D))
