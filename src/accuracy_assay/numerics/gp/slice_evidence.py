"""Which sets of slices the labels ask an effect for, by evidence, in closed form.

Notation: see the sub-package. Around the mode of a fit without effects the labels are normal, and
effects beta ~ N(0, t I) of a set of slices with indicators Z (J, m) change log Z by

    -1/2 log |I + t V| + 1/2 u' (I / t + V)^-1 u,    u = Z' g,  V = Z' H' H Z

u is the slope of log Z along the effects and V its information: what the labels say about the
slices beyond what the kernel makes of them. Each slice has a prior probability of an effect; a set
weighs as its odds times the gain in evidence (spike and slab; Mitchell and Beauchamp, 1988).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["EffectSets", "gain_beside"]

_MOST_EXPANDED = 64
"""Sets whose neighbours are weighed. Bounds the time: one takes a few milliseconds."""

Set = frozenset[int]


def gain_beside(
    u: FloatArray, v: FloatArray, shared: FloatArray, known: FloatArray, V: FloatArray, t: float
) -> FloatArray:
    """Return the gain in log Z of each slice alone, beside a set that has effects already, (C,).

    Parameters
    ----------
    u, v
        Slope and information of each slice, (C,).
    shared
        Information that it shares with the set, (C, m).
    known, V
        Slope and information of the set, (m,) and (m, m).
    t
        Variance of an effect.
    """
    if known.size:
        inner = V + np.eye(known.size) / t
        solved = np.linalg.solve(inner, np.column_stack([known, shared.T]))
        u = u - shared @ solved[:, 0]
        v = v - np.einsum("cm,mc->c", shared, solved[:, 1:])
    v = np.maximum(v, 0.0)
    return np.asarray(0.5 * (t * u**2 / (1.0 + t * v) - np.log1p(t * v)))


@dataclass
class EffectSets:
    """The likely sets among a few candidate slices.

    Parameters
    ----------
    u, V
        Slope and information of the candidates, (c,) and (c, c).
    log_odds
        Log prior odds of an effect, (c,).
    t
        Variance of an effect.
    most
        Most slices in a set.
    """

    u: FloatArray
    V: FloatArray
    log_odds: FloatArray
    t: float
    most: int
    _weighed: dict[Set, float] = field(default_factory=dict)

    def log_weight(self, chosen: Set) -> float:
        """Return the log posterior weight of a set, relative to the empty one."""
        if chosen not in self._weighed:
            at = np.array(sorted(chosen), dtype=np.int64)
            self._weighed[chosen] = self._gain(at) + float(self.log_odds[at].sum())
        return self._weighed[chosen]

    def _gain(self, at: IntArray) -> float:
        if not at.size:
            return 0.0
        factor = cho_factor(self.t * self.V[np.ix_(at, at)] + np.eye(at.size))
        pulled = self.u[at] @ cho_solve(factor, self.u[at])
        return float(0.5 * self.t * pulled - np.log(np.diag(factor[0])).sum())

    def likely(self, least: float) -> list[tuple[IntArray, float]]:
        """Return sets that weigh at least ``least`` of the best, best first, with log weights."""
        best = self._climb(frozenset())
        waiting, done = [best], set[Set]()
        while waiting and len(done) < _MOST_EXPANDED:
            at = max(waiting, key=self.log_weight)
            waiting.remove(at)
            done.add(at)
            floor = max(self._weighed.values()) + np.log(least)
            waiting += [
                near
                for near in self._neighbours(at)
                if near not in done and near not in waiting and self.log_weight(near) >= floor
            ]
        top = max(self._weighed.values())
        kept = [(s, w) for s, w in self._weighed.items() if w >= top + np.log(least)]
        kept.sort(key=lambda each: -each[1])
        return [(np.array(sorted(s), dtype=np.int64), w) for s, w in kept]

    def _climb(self, at: Set) -> Set:
        while True:
            best = max(self._neighbours(at), key=self.log_weight, default=at)
            if self.log_weight(best) <= self.log_weight(at):
                return at
            at = best

    def _neighbours(self, at: Set) -> Iterable[Set]:
        """Yield the sets with one slice more, one less, or one replaced."""
        others = [i for i in range(self.u.size) if i not in at]
        for i in at:
            yield at - {i}
        for j in others:
            if len(at) < self.most:
                yield at | {j}
            for i in at:
                yield at - {i} | {j}
