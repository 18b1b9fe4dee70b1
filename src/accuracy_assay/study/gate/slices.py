"""The slices that a check looks at: the whole, values of an attribute, arms, and all between.

Notation: Q slices over A listed arms. A slice is an average of arms with weights that sum to one,
a row of a sparse matrix (Q, A), so draws of all slices are one product. Slices with few pool rows
are left out and named: a verdict on them would rest on a handful of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from accuracy_assay.domain.averages import Mix
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.subcubes import sub_cubes
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.visible_text import visible_text

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Slices", "arms", "every_slice", "joined", "values", "whole"]


@dataclass(frozen=True, eq=False)
class Slices:
    """Some slices of a surface.

    Parameters
    ----------
    names
        Each slice in words.
    weight
        Share of each listed arm in each slice, sparse (Q, A).
    labels, rows
        Labels and pool rows of each slice, (Q,).
    order
        Number of attributes that each slice names, (Q,).
    thin
        The slices left out for having too few pool rows, in words.
    """

    names: Sequence[str]
    weight: csr_array
    labels: FloatArray
    rows: FloatArray
    order: IntArray
    thin: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.names)

    def share(self, q: int) -> FloatArray:
        """Return the share of each listed arm in one slice, (A,)."""
        return np.asarray(self.weight[[q]].toarray()[0])


def whole(
    surface: AccuracySurface,
    where: Mapping[str, object] | None = None,
    mix: Mix = None,
    mix_name: str = "the mix",
) -> Slices:
    """Return the one slice of everything that was asked about."""
    from scipy.sparse import csr_array

    asked = surface.weights(where, mix)
    name = "the whole pool" if mix is None else mix_name
    used = asked > 0.0
    labels, rows = (np.array([part[used].sum()]) for part in (surface.n, surface.support))
    order = np.zeros(1, dtype=np.int64)
    names = [_name(where) if where else name]
    return Slices(names, csr_array(asked[None, :]), labels, rows, order)


def values(
    surface: AccuracySurface, attribute: str, mass: FloatArray, least_rows: float
) -> Slices:
    """Return the values of an attribute, each averaged over the arms by their mass, (A,)."""
    part = AttributeSpace((surface.space.attribute(attribute),))
    column = surface.space.names.index(attribute)
    code = surface.space.codes(surface.arms)[:, column]
    names = [_name({attribute: value}) for value in part.attributes[0].values]
    return _grouped(surface, code, names, mass, least_rows)


def arms(surface: AccuracySurface, mass: FloatArray, least_rows: float) -> Slices:
    """Return every arm with some mass, (A,), as a slice; those with few rows are only counted."""
    from scipy.sparse import csr_array

    is_thick = surface.support >= least_rows
    used = np.flatnonzero((mass > 0.0) & is_thick)
    n_thin = int(np.count_nonzero((mass > 0.0) & ~is_thick))
    names = [_name(surface.space.describe(int(arm))) for arm in surface.arms[used]]
    shape = (used.size, mass.size)
    member = csr_array((np.ones(used.size), (np.arange(used.size), used)), shape=shape)
    order = np.full(used.size, len(surface.space.names), dtype=np.int64)
    thin = [f"{n_thin:,} arms"] if n_thin else []
    return _slices(surface, member, names, order, mass, thin)


def every_slice(surface: AccuracySurface, order: int, least_rows: float) -> Slices:
    """Return every slice of up to ``order`` attributes, as in ``AccuracySurface.slices``."""
    cubes = sub_cubes(surface.space, surface.arms, surface.support, order, least_rows)
    names = [_name(cubes.where(i)) for i in range(len(cubes))]
    thin = _thin_values(surface, least_rows)
    orders = np.array([len(named) for named in cubes.columns], dtype=np.int64)
    return _slices(surface, cubes.matrix, names, orders, surface.support, thin)


def joined(parts: Sequence[Slices]) -> Slices:
    """Return the slices of several lists as one."""
    from scipy.sparse import csr_array, vstack

    return Slices(
        [name for part in parts for name in part.names],
        csr_array(vstack([part.weight for part in parts])),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.order for part in parts]),
        [name for part in parts for name in part.thin],
    )


def _grouped(
    surface: AccuracySurface,
    group: IntArray,
    names: Sequence[str],
    mass: FloatArray,
    least_rows: float,
) -> Slices:
    """Return groups of arms, one per value of an attribute, as slices."""
    from scipy.sparse import csr_array

    used = np.flatnonzero(mass > 0.0)
    ones = np.ones(used.size)
    member = csr_array((ones, (group[used], used)), shape=(len(names), mass.size))
    rows = np.asarray(member @ surface.support)
    is_there = np.asarray(member @ mass) > 0.0
    kept = np.flatnonzero(is_there & (rows >= least_rows)).tolist()
    thin = [names[i] for i in np.flatnonzero(is_there & (rows < least_rows)).tolist()]
    order = np.ones(len(kept), dtype=np.int64)
    return _slices(surface, member[kept], [names[i] for i in kept], order, mass, thin)


def _slices(
    surface: AccuracySurface,
    member: csr_array,
    names: Sequence[str],
    order: IntArray,
    mass: FloatArray,
    thin: Sequence[str],
) -> Slices:
    from scipy.sparse import csr_array, diags_array

    weighed: Any = member @ diags_array(mass)
    total = np.asarray(member @ mass)
    weight = csr_array(diags_array(1.0 / np.where(total > 0.0, total, 1.0)) @ weighed)
    labels, rows = np.asarray(member @ surface.n), np.asarray(member @ surface.support)
    return Slices(names, weight, labels, rows, order, thin)


def _thin_values(surface: AccuracySurface, least_rows: float) -> list[str]:
    """Return the values of the pool that have too few rows to be a slice."""
    codes = surface.space.codes(surface.arms)
    thin = []
    for k, attribute in enumerate(surface.space.attributes):
        rows = np.bincount(codes[:, k], surface.support, attribute.size)
        few = np.flatnonzero((rows > 0.0) & (rows < least_rows))
        thin += [_name({attribute.name: attribute.values[code]}) for code in few]
    return thin


def _name(where: Mapping[str, object] | None) -> str:
    return " and ".join(
        f"{visible_text(name, keep='')} = {_shown(value)}" for name, value in (where or {}).items()
    )


def _shown(value: object) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return " or ".join(map(_shown, value))
    return visible_text(str(value), keep="")
