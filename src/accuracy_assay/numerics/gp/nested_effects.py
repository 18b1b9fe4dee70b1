"""Nested effects: one per cell, and one per group of cells on each of several levels.

Notation: see the sub-package. Besides: r (J,) is a sum of independent effects: one per cell with
variance ``rest``, and on every level one per group (G of them) with variance s; groups of a level
lie within those of the next. Labels observe r with precision W. Then

    Q = (Cov(r) + W^-1)^-1

takes one pass per level, whatever the number of groups: effects of every arm or of ten thousand
cities need no matrix. t (G,) is the labels' precision about a group's effect, and s / (1 + s t)
the effect's variance given the labels and the effects of larger groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Level", "NestedEffects"]


@dataclass(frozen=True, eq=False)
class Level:
    """The group of each cell, from 0, and the variance of each group's effect, (G,)."""

    group: IntArray
    s: FloatArray

    def take(self, cells: IntArray) -> Level:
        """Return the level of some of the cells; groups keep their numbers."""
        return Level(self.group[cells], self.s)

    def add_up(self, values: FloatArray) -> FloatArray:
        """Return the sums of ``values`` (J, m) over each group, (G, m)."""
        every = np.arange(self.group.size)
        member = csr_array(
            (np.ones(every.size), (self.group, every)), shape=(self.s.size, every.size)
        )
        return np.asarray(member @ values)


@dataclass(frozen=True, eq=False)
class NestedEffects:
    """The effects of cells with labels of precision W.

    Parameters
    ----------
    rest
        Variance of each cell's own effect, (J,).
    levels
        From the finest to the coarsest.
    W
        Precision of the labels of each cell, (J,); zero without labels.
    """

    rest: FloatArray
    levels: Sequence[Level]
    W: FloatArray

    @cached_property
    def _passes(self) -> list[tuple[FloatArray, FloatArray]]:
        """By level, the row sums of Q of the levels before it, (J,), and s / (1 + s t)."""
        reach, found = self.W / (1.0 + self.rest * self.W), []
        for level in self.levels:
            kept = level.s / (1.0 + level.s * level.add_up(reach))
            found.append((reach, kept))
            reach = reach * self._passed_on(level, kept)[level.group]
        return found

    @staticmethod
    def _passed_on(level: Level, kept: FloatArray) -> FloatArray:
        """Return the share 1 / (1 + s t) of a larger group's effect that reaches a cell, (G,)."""
        return np.divide(kept, level.s, out=np.ones_like(kept), where=level.s > 0.0)

    def solve(self, x: FloatArray) -> FloatArray:
        """Return Q x for the columns of a matrix, (J, m)."""
        found = (self.W / (1.0 + self.rest * self.W))[:, None] * x
        for level, (reach, kept) in zip(self.levels, self._passes, strict=True):
            held = kept[:, None] * level.add_up(found)
            found -= reach[:, None] * held[level.group]
        return np.asarray(found)

    def times(self, x: FloatArray) -> FloatArray:
        """Return Cov(r) x for the columns of a matrix, (J, m)."""
        return np.asarray(
            self.rest[:, None] * x
            + sum(self.reach(level, x)[level.group] for level in self.levels)
        )

    @staticmethod
    def reach(level: Level, x: FloatArray) -> FloatArray:
        """Return the covariance of each group's effect with r, times x, (G, m)."""
        return np.asarray(level.s[:, None] * level.add_up(x))

    @property
    def left(self) -> FloatArray:
        """Variance of each cell's own effect given the labels and all groups, (J,)."""
        return np.asarray(self.rest / (1.0 + self.rest * self.W))

    def loadings(self, targets: Sequence[Level], share: FloatArray) -> list[FloatArray]:
        """Return how far any cells move with the posterior group effects, level by level.

        Parameters
        ----------
        targets
            The levels of those cells.
        share
            Share of the group effects that reaches each cell: 1 / (1 + rest W), one without
            labels.
        """
        made = []
        for level, (_, kept) in zip(targets, self._passes, strict=True):
            made.append(share * np.sqrt(kept)[level.group])
            share = share * self._passed_on(level, kept)[level.group]
        return made
