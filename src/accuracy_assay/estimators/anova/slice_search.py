"""The slices that the labels ask an effect for, beyond what the kernel makes of them.

Notation: C slices over J observed cells; see ``numerics.gp.slice_evidence``. The slices searched
are the sub-cubes of up to three attributes with at least a few labels. One effect is expected
among all slices of an order (attributes named): the more slices are searched, the more evidence
each must bring, so that searching more does not by itself find more (Scott and Berger, 2010).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.subcubes import SubCubes, sub_cubes
from accuracy_assay.estimators.anova.label_rows import LabelRows
from accuracy_assay.numerics.gp.marginal_likelihood import FittedGP
from accuracy_assay.numerics.gp.slice_effects import MOST_EFFECTS, SliceEffect
from accuracy_assay.numerics.gp.slice_evidence import EffectSets, gain_beside
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["EffectSet", "likely_effects", "searched_slices"]

_VARIANCE = 2.0
"""Prior variance of an effect, in squared logits: from 90% to 69% and to 97%. docs/decisions/0008
has what 1 and 4 gave."""
_EXPECTED, _MOST_PROBABLE = 5.0, 0.03
"""Effects expected among all slices of one order, and the largest probability of one. With a
largest of 0.2, single values got effects that the kernel already gives them: arms' intervals on
digits at 300 labels held 88% instead of 91% (docs/decisions/0008)."""
_LEAST_LABELS = 5.0
"""Fewest labels of a slice that is searched: with fewer, no evidence outweighs the prior odds."""
_MOST_ATTRIBUTES = 3
"""Most attributes of a slice, as where weak slices are reported."""
_MOST_PRODUCTS, _MOST_NUMBERS = 2**30, 2**25
"""Most products, and numbers in memory, of a search: about a second, and 256 MB. Above them slices
name fewer attributes, or none is searched."""
_TRIED = 6
"""Slices tried beside each set on the way to the best one: its rivals mostly overlap it."""
_LEAST_WEIGHT, _MOST_SETS = 0.1, 6
"""Smallest weight of a set relative to the best, and most sets: each is another fit."""


@dataclass(frozen=True, slots=True)
class EffectSet:
    """Slices that have an effect together.

    Parameters
    ----------
    effects
        The slices.
    log_weight
        Log posterior odds against the effects of the fit that was searched.
    """

    effects: tuple[SliceEffect, ...]
    log_weight: float


def searched_slices(support: Support, rows: LabelRows) -> SubCubes | None:
    """Return the slices with enough labels over the observed cells; None if they are too many."""
    arms, of_cell = np.unique(rows.cells // support.n_strata, return_inverse=True)
    labels = sum_by_group(of_cell.astype(np.int64), rows.split().n, arms.size)
    n_attributes, n_cells = len(support.space.attributes), rows.cells.size
    for order in range(min(_MOST_ATTRIBUTES, n_attributes), 0, -1):
        n_choices = sum(comb(n_attributes, size) for size in range(1, order + 1))
        if n_choices * n_cells**2 > _MOST_PRODUCTS:
            continue
        cubes = sub_cubes(support.space, arms, labels, order, _LEAST_LABELS)
        if len(cubes) * n_cells <= _MOST_NUMBERS:
            return cubes.over(of_cell) if len(cubes) else None
    return None


def likely_effects(cubes: SubCubes, fitted: FittedGP) -> list[EffectSet]:
    """Return the likely sets of effects, the best first, weighed against those of the fit.

    Parameters
    ----------
    cubes
        The slices searched, over the observed cells.
    fitted
        A fit, with effects or without.
    """
    evidence, log_odds = _Evidence.of(cubes, fitted), _log_odds(cubes)
    named = list(zip(cubes.columns, cubes.codes, strict=True))
    own = [named.index((each.columns, each.codes)) for each in fitted.effects]
    some = np.unique([*_promising(evidence, log_odds), *own])
    V = evidence.between(some)[some]
    among = EffectSets(evidence.u[some], V, log_odds[some], _VARIANCE, MOST_EFFECTS)
    now = among.log_weight(frozenset(np.searchsorted(some, own).tolist()))
    effects = [
        SliceEffect(cubes.columns[i], cubes.codes[i], _VARIANCE, float(log_odds[i])) for i in some
    ]
    return [
        EffectSet(tuple(effects[k] for k in members), weight - now)
        for members, weight in among.likely(_LEAST_WEIGHT)[:_MOST_SETS]
    ]


def _promising(evidence: _Evidence, log_odds: FloatArray) -> list[int]:
    """Return the slices that bring most beside those already chosen, one chosen at a time."""
    chosen: list[int] = []
    tried: list[int] = []
    while len(chosen) < MOST_EFFECTS:
        at = np.array(chosen, dtype=np.int64)
        shared = evidence.between(at)
        known, V = evidence.u[at], shared[at]
        gain = log_odds + gain_beside(evidence.u, evidence.v, shared, known, V, _VARIANCE)
        gain[at] = -np.inf
        best = np.argsort(-gain, kind="stable")[:_TRIED]
        tried += [int(i) for i in best if np.isfinite(gain[i])]
        if gain[best[0]] <= 0.0:
            break
        chosen.append(int(best[0]))
    return tried


def _log_odds(cubes: SubCubes) -> FloatArray:
    """Return the log prior odds of an effect of each slice, by the number of its order, (C,)."""
    order = [len(named) for named in cubes.columns]
    n_slices = Counter(order)
    chance = np.array([min(_EXPECTED / n_slices[k], _MOST_PROBABLE) for k in order])
    return np.asarray(np.log(chance / (1.0 - chance)))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Slope u and information V of each slice's effect, as if the fit had no effects.

    V = X X' + B D^-1 B', with X = Z' H', B the information that slices share with the effects of
    the fit under it, and D = I / t minus that of the effects among themselves.
    """

    u: FloatArray
    v: FloatArray
    X: FloatArray
    B: FloatArray
    D: FloatArray

    @classmethod
    def of(cls, cubes: SubCubes, fitted: FittedGP) -> _Evidence:
        n_cells = cubes.matrix.shape[1]
        H = np.asarray(fitted.mode.H)[:, :n_cells]
        g = np.asarray(fitted.mode.g)[:n_cells]
        X = np.asarray(cubes.matrix @ np.ascontiguousarray(H.T))
        u, v = np.asarray(cubes.matrix @ g), np.einsum("cj,cj->c", X, X)
        n_effects = len(fitted.effects)
        if not n_effects:
            return cls(u, v, X, np.zeros((u.size, 0)), np.zeros((0, 0)))
        Z = np.asarray(fitted.cells.slices)[:n_cells, :n_effects]
        HZ = H @ Z
        B = X @ HZ
        D = np.eye(n_effects) - HZ.T @ HZ
        solved = np.linalg.solve(D, np.column_stack([Z.T @ g, B.T]))
        u = u + B @ solved[:, 0]
        v = v + np.einsum("cm,mc->c", B, solved[:, 1:])
        return cls(u, v, X, B, D)

    def between(self, some: IntArray) -> FloatArray:
        """Return V between all slices and some, (C, m)."""
        V = self.X @ self.X[some].T
        if self.D.size:
            V += self.B @ np.linalg.solve(self.D, self.B[some].T)
        return np.asarray(V)
