"""How much variance some groupings explain, for a posterior known by draws.

Notation: A arms with weights w that sum to one; a vector of values over them, known by its mean m
and S draws m + e_s. A grouping g puts each arm into one of G_g groups; X (A, P) holds the
indicators of all groups of some groupings. The variance that groupings explain additively is that
of the weighted least-squares projection on X, a quadratic form V(x) = B(x, x) with

    B(x, y) = (X' W x)' (X' W X)^+ (X' W y),   x and y centred,  W = diag(w)

For one grouping it is the variance of the group means. Attributes of a pool are correlated, so two
groupings do not explain the sum of what each does; the projection remains valid.

A draw includes the posterior's noise, and a variance counts noise as difference:
E[V(m + e)] = V(m) + E[V(e)]. So `VarianceParts` keeps the parts of the mean and of the noise
separate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["VarianceParts", "WeightedDraws"]

_SINGULAR = 1e-9
"""Eigenvalues of X' W X below this share of the largest are zero up to rounding: the indicators of
every grouping add up to the same constant."""


@dataclass(frozen=True)
class VarianceParts:
    """A quadratic form of the mean and of the noise of every draw.

    Parameters
    ----------
    centre
        V(m).
    linear, square, cross
        2 B(m, e_s), V(e_s), and B(e_s, e_t) with the next draw t, which is independent, (S,).
    """

    centre: float
    linear: FloatArray
    square: FloatArray
    cross: FloatArray

    def __sub__(self, other: VarianceParts) -> VarianceParts:
        return VarianceParts(
            self.centre - other.centre,
            self.linear - other.linear,
            self.square - other.square,
            self.cross - other.cross,
        )

    @property
    def drawn(self) -> FloatArray:
        """V(m + e_s), (S,): noise counts as difference."""
        return self.centre + self.linear + self.square

    @property
    def crossed(self) -> FloatArray:
        """V with the noise of two independent draws, (S,): around V(m), possibly below 0."""
        return self.centre + self.linear + self.cross

    @property
    def halfway(self) -> FloatArray:
        """The middle of both, (S,)."""
        return (self.drawn + self.crossed) / 2.0

    @property
    def expected(self) -> float:
        """V(m) and half of what noise adds to it."""
        return float(self.centre + self.square.mean() / 2.0)


@dataclass(frozen=True, eq=False)
class WeightedDraws:
    """Draws (S, A) with their mean (A,) over arms whose weights (A,) sum to one."""

    weight: FloatArray
    mean: FloatArray
    draws: FloatArray

    @cached_property
    def _centre(self) -> FloatArray:
        """Mean of the draws minus its average, (1, A)."""
        return (self.mean - self.weight @ self.mean)[None]

    @cached_property
    def _noise(self) -> FloatArray:
        """What draws add to the mean, minus its average, (S, A)."""
        away = self.draws - self.mean
        return np.asarray(away - (away @ self.weight)[:, None])

    @cached_property
    def total(self) -> VarianceParts:
        """The whole variance."""
        root = np.sqrt(self.weight)
        return _parts(self._centre * root, self._noise * root)

    def explained(self, groupings: Sequence[IntArray]) -> VarianceParts:
        """Return what groupings, each the group of every arm (A,), explain additively."""
        if not groupings:
            nothing = np.zeros((1, 1))
            return _parts(nothing, np.zeros((self.draws.shape[0], 1)))
        from scipy.sparse import hstack

        X = hstack([_indicators(g) for g in groupings], format="csr")
        weighted = X.multiply(self.weight[:, None]).tocsr()
        root = _inverse_root((X.T @ weighted).toarray())
        return _parts(self._centre @ weighted @ root, self._noise @ weighted @ root)


def _indicators(group: IntArray) -> csr_array:
    """Return one column per group that occurs, (A, G)."""
    from scipy.sparse import csr_array

    _, code = np.unique(group, return_inverse=True)
    return csr_array((np.ones(code.size), (np.arange(code.size), code)))


def _inverse_root(gram: FloatArray) -> FloatArray:
    """Return R (P, rank) such that R R' is the pseudo-inverse of a Gram matrix."""
    values, vectors = np.linalg.eigh(gram)
    is_there = values > _SINGULAR * values.max()
    return np.asarray(vectors[:, is_there] / np.sqrt(values[is_there]))


def _parts(centre: FloatArray, noise: FloatArray) -> VarianceParts:
    """Return the squared length of centre (1, P) + noise (S, P), taken apart."""
    return VarianceParts(
        float(np.sum(centre * centre)),
        2.0 * noise @ centre[0],
        np.sum(noise * noise, axis=1),
        np.sum(noise * np.roll(noise, 1, axis=0), axis=1),
    )
