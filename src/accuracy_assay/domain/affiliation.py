"""Affiliation of instances with arms, or with cells: sparse rows P(a | x) that each sum to one.

Notation
--------
n       instances (rows)
nnz     stored (instance, arm) pairs
indptr  (n + 1,) row i owns the entries ``indptr[i]:indptr[i + 1]`` (compressed sparse rows)
indices (nnz,)   arm of each entry; its cell, where arms are divided by signal strata
weights (nnz,)   P(a | x) of each entry
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Affiliation", "AffiliationWarning"]

_SUM_TOLERANCE = 1e-6
"""How far from one a row may sum: far above the rounding error of thousands of arms, far below any
weight that matters."""

_Number = TypeVar("_Number", np.int64, np.float64)


class AffiliationWarning(UserWarning):
    """Something about an affiliation that the user should know, such as a contradiction."""


@dataclass(frozen=True, slots=True, eq=False)
class Affiliation:
    """Sparse rows of arm weights, one row per instance.

    Parameters
    ----------
    indptr : (n + 1,) int64
        Start of each row; the last entry is ``nnz``.
    indices : (nnz,) int64
        Arm (or cell) of each entry, unique within a row.
    weights : (nnz,) float64
        Positive weights; each row sums to one.
    dropped : float
        Bound on the probability that any row lost to arms left out as small, in [0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> rows = Affiliation(np.array([0, 1, 3]), np.array([4, 0, 2]), np.array([1.0, 0.25, 0.75]))
    >>> rows.n_rows, rows.argmax().tolist()
    (2, [4, 2])
    >>> rows.take([1]).mass()
    (array([0, 2]), array([0.25, 0.75]))
    """

    indptr: IntArray
    indices: IntArray
    weights: FloatArray
    dropped: float = 0.0

    def __post_init__(self) -> None:
        indptr = _read_only(np.asarray(self.indptr, dtype=np.int64))
        indices = _read_only(np.asarray(self.indices, dtype=np.int64))
        weights = _read_only(np.asarray(self.weights, dtype=np.float64))
        object.__setattr__(self, "indptr", indptr)
        object.__setattr__(self, "indices", indices)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "dropped", float(self.dropped))
        _check(indptr, indices, weights, self.dropped)

    @classmethod
    def exact(cls, arm_index: ArrayLike) -> "Affiliation":
        """Return rows that put all their weight on one known arm, ``arm_index`` (n,)."""
        arms = np.array(arm_index, dtype=np.int64).reshape(-1)
        return cls(np.arange(arms.size + 1), arms, np.ones(arms.size))

    @classmethod
    def concatenate(cls, parts: "Sequence[Affiliation]") -> "Affiliation":
        """Return the rows of ``parts`` one after another; ``dropped`` is the largest bound."""
        if not parts:
            return cls.exact([])
        starts = np.cumsum([0, *(part.indices.size for part in parts)])
        indptr = [part.indptr[:-1] + start for part, start in zip(parts, starts, strict=False)]
        return cls(
            np.concatenate([*indptr, starts[-1:]]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.weights for part in parts]),
            max(part.dropped for part in parts),
        )

    @property
    def n_rows(self) -> int:
        """Number of instances."""
        return self.indptr.size - 1

    @property
    def row_index(self) -> IntArray:
        """Row number of each entry, shape (nnz,)."""
        return np.repeat(np.arange(self.n_rows), np.diff(self.indptr))

    @property
    def is_exact(self) -> bool:
        """Whether every row has one arm."""
        return self.indices.size == self.n_rows

    def take(self, rows: ArrayLike) -> "Affiliation":
        """Return the given rows, in the given order: row numbers (m,), or a mask (n,)."""
        chosen = np.asarray(rows)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        length = self.indptr[chosen + 1] - self.indptr[chosen]
        indptr = np.concatenate([[0], np.cumsum(length)])
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[chosen] - indptr[:-1], length)
        return Affiliation(indptr, self.indices[entries], self.weights[entries], self.dropped)

    def argmax(self) -> IntArray:
        """Return the heaviest arm of each row, shape (n,); the first of ties."""
        if self.n_rows == 0:
            return np.empty(0, np.int64)
        top = np.maximum.reduceat(self.weights, self.indptr[:-1])
        is_top = np.flatnonzero(self.weights == np.repeat(top, np.diff(self.indptr)))
        return self.indices[is_top[np.searchsorted(is_top, self.indptr[:-1])]]

    def mass(self) -> tuple[IntArray, FloatArray]:
        """Return the arms that occur (m,), sorted, and the expected instances of each (m,)."""
        arms, inverse = np.unique(self.indices, return_inverse=True)
        return arms, _sums(inverse, self.weights, arms.size)

    def condition(self, space: AttributeSpace, known: ArrayLike) -> "Affiliation":
        """Return the rows given attributes that are now known.

        Each row keeps the arms that agree with its known attributes and is renormalised. If no arm
        of a row agrees, all its arms take the known values instead, and an `AffiliationWarning`
        says how many rows did.

        Parameters
        ----------
        space : AttributeSpace
            The space of the arms.
        known : (n, K) int
            Known codes; -1 where an attribute is not known.
        """
        codes = np.asarray(known, dtype=np.int64)
        if codes.shape != (self.n_rows, len(space.shape)):
            raise InputError(
                f"known must have shape {(self.n_rows, len(space.shape))} "
                f"(instances x attributes); got {codes.shape}."
            )
        return _condition(self, space, codes)


def _condition(rows: Affiliation, space: AttributeSpace, known: IntArray) -> Affiliation:
    owner = rows.row_index
    wanted = known[owner]
    have = space.codes(rows.indices)
    agrees = np.all((wanted < 0) | (wanted == have), axis=1)
    kept = _sums(owner, rows.weights * agrees, rows.n_rows)
    is_lost = kept <= 0.0
    if not is_lost.any():
        arms, weights = rows.indices[agrees], rows.weights[agrees]
        return _from_entries(owner[agrees], arms, weights, kept, _bound(rows.dropped, kept))
    warnings.warn(
        f"known attributes must agree with at least one arm of an instance; {int(is_lost.sum())} "
        f"of {rows.n_rows} instances had none. All their arms took the known values.",
        AffiliationWarning,
        stacklevel=3,
    )
    stays = agrees | is_lost[owner]
    owner, have, wanted = owner[stays], have[stays], wanted[stays]
    arms = space.arm_index(np.where(wanted < 0, have, wanted))
    # Two arms of a row may now be equal.
    order = np.lexsort((arms, owner))
    owner, arms, weights = owner[order], arms[order], rows.weights[stays][order]
    is_first = np.ones(arms.size, bool)
    is_first[1:] = (owner[1:] != owner[:-1]) | (arms[1:] != arms[:-1])
    weights = np.add.reduceat(weights, np.flatnonzero(is_first))
    bound = _bound(rows.dropped, kept[~is_lost])
    total = np.where(is_lost, 1.0, kept)
    return _from_entries(owner[is_first], arms[is_first], weights, total, bound)


def _bound(dropped: float, kept: FloatArray) -> float:
    """Bound on the dropped share of a row once only ``kept`` of its stored weight is left."""
    if dropped == 0.0 or kept.size == 0:
        return dropped
    return float(dropped / (dropped + (1.0 - dropped) * min(1.0, kept.min())))


def _from_entries(
    owner: IntArray,
    arms: IntArray,
    weights: FloatArray,
    total: FloatArray,
    dropped: float,
) -> Affiliation:
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=total.size))])
    return Affiliation(indptr, arms, weights / total[owner], dropped)


def _sums(group: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    return np.asarray(np.bincount(group, weights, minlength=n_groups), dtype=np.float64)


def _read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Return a read-only view, which shares large arrays instead of copying them."""
    view = array.view()
    view.flags.writeable = False
    return view


def _check(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    dropped: float,
) -> None:
    if indptr.ndim != 1 or indptr.size == 0 or indptr[0] != 0:
        raise InputError(f"indptr must be a list that starts at 0; got shape {indptr.shape}.")
    if indices.shape != weights.shape or indices.ndim != 1 or indices.size != indptr[-1]:
        raise InputError(
            f"indices and weights must have indptr[-1] = {indptr[-1]} entries; "
            f"got {indices.shape} and {weights.shape}."
        )
    if not 0.0 <= dropped < 1.0:
        raise InputError(f"dropped must lie in [0, 1); got {dropped}.")
    if indptr.size == 1:
        return
    if np.diff(indptr).min() < 1:
        row = int(np.argmin(np.diff(indptr)))
        raise InputError(f"row {row} of an affiliation must have an arm; got none.")
    if indices.min() < 0:
        raise InputError(f"indices must not be negative; got {indices.min()}.")
    if not weights.min() >= 0.0:
        raise InputError(f"weights must be numbers of at least 0; got {weights.min()}.")
    off = np.abs(np.add.reduceat(weights, indptr[:-1]) - 1.0)
    if not off.max() <= _SUM_TOLERANCE:
        row = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
        total = weights[indptr[row] : indptr[row + 1]].sum()
        raise InputError(f"weights of row {row} must sum to one; got {total}.")
