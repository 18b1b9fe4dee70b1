"""How much the next label is expected to cut the variance of the targets, and greedy choice.

Notation: see the sub-package. M is multiplied by the root of the target's weight, and D_i includes
S_ii. If the posterior mean is linear in a label, as for a Beta and a coin, one label of kind i
cuts the weighted variance of the targets by

    sum_a M_ai^2 / D_i

In a finite pool a labelled row is no longer a coin yet to fall. A row of kind i has weight h_i in
the target that it is part of (``target``; -1 for none, as when its arm is guessed), and that
target's cut is

    2 h_i M_ai - h_i^2 S_ii + h_i^2 (D_i - S_ii) + (M_ai - h_i S_ii)^2 / D_i

A label of kind i takes cut row' from M and row row' / D_i from S, with ``row`` that of S and
``cut`` the column of M over D_i plus the labelled row's weight in its target. These are stored
separately and only sums of squares are updated, so a pick reads M once and never writes it.

Variances of different things, such as that of single arms and that of an average over all of them,
are cut by the share of each that a label takes away (`RelativeGains`):

    sum_k share_k (cut of set k) / (variance of set k now)

Greedy picks then lower the product of the variances, each to the power of its share, so the unit
of neither matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["LabelGains", "MatrixRows", "RelativeGains"]

_LEAST_VARIANCE = 1e-12  # of a label: a cell that is surely right teaches nothing, not 0 / 0
_LEAST_LEFT = 1e-3  # of a set's variance: linear cuts may add up to more than there is


class MatrixRows(Protocol):
    """A matrix that is read row by row: an array, or what computes rows on demand."""

    def __getitem__(self, number: int, /) -> FloatArray:
        """Return one row."""
        ...


class _Pick(NamedTuple):
    """What a pick removed: cut (A,) and row (I,), and the variance of its label."""

    cut: FloatArray
    row: FloatArray
    label_variance: float


@dataclass(eq=False)
class LabelGains:
    """What one label of each kind cuts, given the picks so far; ``take`` adds a pick.

    Parameters
    ----------
    M, S, D, h
        See the module. M and S are those before the first pick and do not change. Only the rows
        of S of picks, and of kinds that are part of a target, are read.
    target
        The target that a row of each kind is part of, (I,); -1 for none.
    """

    M: FloatArray
    S: MatrixRows
    D: FloatArray
    target: IntArray
    h: FloatArray
    _picks: list[_Pick] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.D = np.maximum(self.D, _LEAST_VARIANCE)
        self._settling = np.flatnonzero(self.target >= 0)
        self._squares = np.einsum("ai,ai->i", self.M, self.M)
        self._target_M = self.M[self.target[self._settling], self._settling]
        self._variance = np.array([self.S[int(kind)][kind] for kind in self._settling])

    def gains(self) -> FloatArray:
        """Return the expected cut of the weighted variance for each kind of label, (I,)."""
        learned = self._squares / self.D
        kinds, m = self._settling, self._target_M
        h, s, D = self.h[kinds], self._variance, self.D[kinds]
        settled = 2.0 * h * m - h**2 * s + h**2 * np.maximum(D - s, 0.0)
        learned[kinds] += settled + ((m - h * s) ** 2 - m**2) / D
        return np.asarray(np.maximum(learned, 0.0))

    def column(self, kind: int) -> FloatArray:
        """Return the present covariance of each target with this kind, (A,)."""
        column = self.M[:, kind].copy()
        for pick in self._picks:
            column -= pick.cut * pick.row[kind]
        return column

    def take(self, kind: int) -> None:
        """Update the gains as if a label of this kind had been seen."""
        row = self.S[kind].copy()
        for pick in self._picks:
            row -= pick.row * (pick.row[kind] / pick.label_variance)
        cut, target, D = self.column(kind), self.target[kind], self.D[kind]
        if target >= 0:
            cut[target] -= self.h[kind] * row[kind]
        cut /= D
        if target >= 0:
            cut[target] += self.h[kind]
        along = cut @ self.M
        for pick in self._picks:
            along -= pick.row * (cut @ pick.cut)
        self._squares += row * (row * (cut @ cut) - 2.0 * along)
        self._target_M -= cut[self.target[self._settling]] * row[self._settling]
        self._variance -= row[self._settling] ** 2 / D
        self._picks.append(_Pick(cut, row, D))


@dataclass(eq=False)
class RelativeGains:
    """What one label of each kind cuts of several sets of targets, each relative to its variance.

    Parameters
    ----------
    sets
        What labels cut of each set.
    variance
        Weighted variance of each set before the first pick.
    share
        What each set counts for; shares add up to one.
    """

    sets: Sequence[LabelGains]
    variance: Sequence[float]
    share: Sequence[float]

    def __post_init__(self) -> None:
        self._least = [max(_LEAST_LEFT * v, _LEAST_VARIANCE) for v in self.variance]
        self._left = [max(v, _LEAST_VARIANCE) for v in self.variance]

    def gains(self) -> FloatArray:
        """Return the share of the variance that a label of each kind is expected to cut, (I,)."""
        cuts = (
            share / left * part.gains()
            for part, left, share in zip(self.sets, self._left, self.share, strict=True)
        )
        return np.asarray(sum(cuts))

    def take(self, kind: int) -> None:
        """Update the gains as if a label of this kind had been seen."""
        for k, part in enumerate(self.sets):
            cut = float(part.gains()[kind])
            self._left[k] = max(self._left[k] - cut, self._least[k])
            part.take(kind)
