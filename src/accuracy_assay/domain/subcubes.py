"""Sub-cubes of an attribute space: every choice of values for a few attributes, others open.

A sub-cube is a set of listed arms: one row of a sparse matrix, so sums over all sub-cubes are one
product. Nothing is allocated per arm of the space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.space import AttributeSpace, Value
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["SubCubes", "sub_cubes"]

_CHUNK = 2048
"""Sub-cubes whose draws are summed at a time. Bounds memory: 512 draws take 8 MB."""


@dataclass(frozen=True, eq=False)
class SubCubes:
    """Some sub-cubes of a space.

    Parameters
    ----------
    space
        The attribute space.
    columns
        Positions of the attributes that each sub-cube names: one tuple per sub-cube.
    codes
        Codes of their values: one tuple per sub-cube.
    matrix
        Sparse (C, A): 1 if the sub-cube has the arm.
    index
        Number of each among the sub-cubes they were picked from, (C,).
    """

    space: AttributeSpace
    columns: list[tuple[int, ...]]
    codes: list[tuple[int, ...]]
    matrix: csr_array
    index: IntArray

    def __len__(self) -> int:
        return len(self.columns)

    def part(self, which: IntArray) -> SubCubes:
        """Return the sub-cubes at positions ``which``."""
        return SubCubes(
            self.space,
            [self.columns[i] for i in which],
            [self.codes[i] for i in which],
            self.matrix[which],
            self.index[which],
        )

    def over(self, group: IntArray) -> SubCubes:
        """Return the sub-cubes over finer things, such as cells: ``group`` is the arm of each."""
        return replace(self, matrix=self.matrix[:, group])

    def sums(self, values: FloatArray, listed: IntArray | None = None) -> FloatArray:
        """Return the sums of the arms' values, (A,) or (A, S), over each sub-cube.

        With ``listed``, only the arms at these positions count, and the values are theirs.
        """
        matrix = self.matrix if listed is None else self.matrix[:, listed]
        return np.asarray(matrix @ values)

    def chance_positive(self, draws: FloatArray) -> FloatArray:
        """Return the share of draws, (A, S), in which the sum over each sub-cube is positive."""
        parts = [
            np.mean(self.matrix[start : start + _CHUNK] @ draws > 0.0, axis=1)
            for start in range(0, len(self), _CHUNK)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def listed(self, which: int) -> IntArray:
        """Return the positions of the listed arms of one sub-cube."""
        begin, end = self.matrix.indptr[which : which + 2]
        return np.sort(self.matrix.indices[begin:end]).astype(np.int64)

    def members(self, which: int) -> BoolArray:
        """Return whether each listed arm is in one sub-cube, (A,)."""
        found = np.zeros(self.matrix.shape[1], dtype=bool)
        found[self.listed(which)] = True
        return found

    def inside(self, which: int) -> IntArray:
        """Return the positions of the other sub-cubes that lie inside one sub-cube."""
        n_arms = self.sums(np.ones(self.matrix.shape[1]))
        n_shared = self.sums(self.members(which).astype(np.float64))
        found = np.flatnonzero(n_shared == n_arms)
        return np.asarray(found[found != which])

    def where(self, which: int) -> dict[str, Value]:
        """Return the attribute values of one sub-cube."""
        named = [self.space.attributes[k] for k in self.columns[which]]
        return {
            each.name: each.values[code]
            for each, code in zip(named, self.codes[which], strict=True)
        }


def sub_cubes(
    space: AttributeSpace, arms: IntArray, weight: FloatArray, order: int, least: float
) -> SubCubes:
    """Return every sub-cube of up to ``order`` attributes whose arms weigh at least ``least``.

    Of several that hold the same arms, the one with the fewest attributes stays.
    """
    from scipy.sparse import csr_array

    codes = space.codes(arms)
    columns: list[tuple[int, ...]] = []
    values: list[tuple[int, ...]] = []
    rows: list[IntArray] = []
    members: list[IntArray] = []
    for size in range(1, min(order, codes.shape[1]) + 1):
        for named in combinations(range(codes.shape[1]), size):
            part = AttributeSpace(tuple(space.attributes[k] for k in named))
            occupied, group = np.unique(part.arm_index(codes[:, named]), return_inverse=True)
            heavy = np.flatnonzero(sum_by_group(group, weight, occupied.size) >= least)
            position = np.full(occupied.size, -1)
            position[heavy] = len(columns) + np.arange(heavy.size)
            inside = np.flatnonzero(position[group] >= 0)
            rows.append(position[group[inside]])
            members.append(inside)
            columns.extend([named] * heavy.size)
            values.extend(map(tuple, part.codes(occupied[heavy]).tolist()))
    row, member = np.concatenate(rows), np.concatenate(members)
    shape = (len(columns), arms.size)
    matrix = csr_array((np.ones(row.size), (row, member)), shape=shape)
    # Sets of arms are equal if their sums of random numbers are.
    mark = matrix @ np.where(weight > 0.0, np.random.default_rng(0).random(arms.size), 0.0)
    first = np.sort(np.unique(mark, return_index=True)[1])
    every = SubCubes(space, columns, values, matrix, np.arange(shape[0])).part(first)
    return replace(every, index=np.arange(first.size))
