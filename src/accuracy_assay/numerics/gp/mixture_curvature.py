"""Factors of I + W K for labels that observe mixtures of cells: by rows or by cells.

Notation: see the sub-package. Besides: A (R, J) is sparse with W = A' A, and F (J, J) is
(I + W K)^-1. By Woodbury's identity R x R matrices do what J x J ones would,

    L L' = I + A K A',  F x = x - A' (L L')^-1 A K x,  H = L^-1 A,  log |I + W K| = 2 log |L|

so whichever of rows and cells are fewer are factorised. In a space of 65,536 arms, 1,500 labels
observe four thousand cells.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, cholesky, lu_factor, lu_solve, solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.sparse import csr_array

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Curvature", "RowRoot", "curvature_of"]

# Below this share of the largest entry of H' H, what is left when H is factorised is rounding.
_NO_VARIANCE = 1e-13
_NUMBERS_AT_ONCE = 2**22  # of products of two rows in memory: 32 MB


class RowRoot(NamedTuple):
    """H of rows, not multiplied out: A (R, J) and L (R, R)."""

    A: csr_array
    L: FloatArray

    def onto(self, X: FloatArray) -> FloatArray:
        """Return H X for columns of X (J, m), (R, m)."""
        solved = solve_triangular(self.L, self.A @ X, lower=True, check_finite=False)
        return np.asarray(solved)


class Curvature(Protocol):
    """What a search for the mode, and the posterior around it, take from I + W K."""

    half_log_det: float

    @property
    def row_root(self) -> RowRoot | None:
        """H of rows; None if cells were factorised."""
        ...

    def solve(self, x: FloatArray) -> FloatArray:
        """Return F x for columns, (J, m)."""
        ...

    def root(self) -> FloatArray:
        """Return H with H' H = F W, (R, J) or (J, J)."""
        ...

    def explained(self) -> FloatArray:
        """Return F W, (J, J)."""
        ...

    def covariance_at(self, D: csr_array, row: IntArray, cell: IntArray) -> FloatArray:
        """Return entries (row, cell) of D C, where C = K F."""
        ...


def curvature_of(K: FloatArray, A: csr_array) -> Curvature:
    """Return the factors of I + A' A K."""
    return _ByRows(K, A) if A.shape[0] < A.shape[1] else _ByCells(K, A)


class _ByRows:
    """L, and S = K A', (J, R)."""

    def __init__(self, K: FloatArray, A: csr_array) -> None:
        self.K, self.A = K, A
        self.S = np.ascontiguousarray((A @ K).T)
        system = A @ self.S
        system[np.diag_indices_from(system)] += 1.0
        self.L = cholesky(system, lower=True, overwrite_a=True, check_finite=False)
        self.half_log_det = float(np.log(np.diagonal(self.L)).sum())

    @property
    def row_root(self) -> RowRoot:
        return RowRoot(self.A, self.L)

    def solve(self, x: FloatArray) -> FloatArray:
        within = cho_solve((self.L, True), self.S.T @ x, check_finite=False)
        return np.asarray(x - self.A.T @ within)

    def root(self) -> FloatArray:
        dense = self.A.toarray(order="F")
        return np.asarray(
            solve_triangular(self.L, dense, lower=True, overwrite_b=True, check_finite=False)
        )

    def explained(self) -> FloatArray:
        H = self.root()
        return np.asarray(H.T @ H)

    def covariance_at(self, D: csr_array, row: IntArray, cell: IntArray) -> FloatArray:
        U = solve_triangular(self.L, self.S.T, lower=True, check_finite=False).T
        return np.asarray((D @ self.K)[row, cell] - _products(D @ U, U, row, cell))


class _ByCells:
    """LAPACK's factors of I + W K."""

    def __init__(self, K: FloatArray, A: csr_array) -> None:
        self.K, self.A = K, A
        system = A.T @ (A @ K)
        system[np.diag_indices_from(system)] += 1.0
        factors, order = lu_factor(system, overwrite_a=True, check_finite=False)
        self.factor: tuple[FloatArray, npt.NDArray[np.int32]] = (factors, order)
        self.half_log_det = 0.5 * float(np.log(np.abs(np.diagonal(factors))).sum())

    @property
    def row_root(self) -> None:
        return None

    def solve(self, x: FloatArray) -> FloatArray:
        return np.asarray(lu_solve(self.factor, x, check_finite=False))

    def root(self) -> FloatArray:
        X = self.explained()
        symmetric = 0.5 * (X + X.T)
        least = _NO_VARIANCE * max(float(np.abs(symmetric).max(initial=0.0)), 1.0)
        factor, order, rank, _ = dpstrf(symmetric, tol=least, lower=0)
        H = np.zeros_like(symmetric)
        H[:rank, order - 1] = np.triu(factor)[:rank]
        return H

    def explained(self) -> FloatArray:
        return np.asarray(self.A.T @ (self.A @ self._inverse.T))

    def covariance_at(self, D: csr_array, row: IntArray, cell: IntArray) -> FloatArray:
        return _products(D @ self.K, self._inverse.T, row, cell)

    @cached_property
    def _inverse(self) -> FloatArray:
        """F."""
        one = np.eye(self.K.shape[0])
        return np.asarray(lu_solve(self.factor, one, overwrite_b=True, check_finite=False))


def _products(X: FloatArray, Y: FloatArray, row: IntArray, other: IntArray) -> FloatArray:
    """Return entries (row, other) of X Y'."""
    found = np.empty(row.size)
    at_once = max(_NUMBERS_AT_ONCE // X.shape[1], 1)
    for start in range(0, row.size, at_once):
        part = slice(start, start + at_once)
        found[part] = np.einsum("er,er->e", X[row[part]], Y[other[part]])
    return found
