"""What regressions have for coordinates: groups of arms that share values, and one-hot values.

A subset S of the K attributes puts two arms into one group when they agree on S. The
empty subset has one group, the full one a group for each arm. Strata are those of the free
signals alone: clusters have no effect of their own, and cells are numbered without them,
``arm * S + stratum``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from accuracy_assay import AttributeSpace
from accuracy_assay.domain.cells import Support
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "effect_subsets",
    "group_of",
    "n_signal_strata",
    "one_hot_strata",
    "one_hot_values",
    "subsets_of_sizes",
    "sum_by_group",
]

Subset = tuple[int, ...]


def effect_subsets(n_attributes: int, most: int) -> list[Subset]:
    """Return the non-empty subsets of attributes: all of them while there are at most ``most``.

    Beyond that, single attributes, pairs, and the full set, which is an arm's own effect.
    """
    if 2**n_attributes - 1 > most:
        return subsets_of_sizes(n_attributes, (1, 2, n_attributes))
    return subsets_of_sizes(n_attributes, range(1, n_attributes + 1))


def subsets_of_sizes(n_attributes: int, sizes: Iterable[int]) -> list[Subset]:
    """Return the subsets of attributes with so many members, in the order of ``sizes``.

    Examples
    --------
    >>> subsets_of_sizes(3, (1, 2))
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    return [subset for size in sizes for subset in combinations(range(n_attributes), size)]


def group_of(space: AttributeSpace, subset: Subset, arms: IntArray) -> IntArray:
    """Return the group of each arm under ``subset``: a mixed-radix number of its values."""
    codes = space.codes(arms)
    group = np.zeros(arms.size, dtype=np.int64)
    for k in subset:
        group = group * space.attributes[k].size + codes[:, k]
    return group


def one_hot_values(space: AttributeSpace, index: IntArray) -> FloatArray:
    """Return the one-hot values of every attribute side by side, a row per index."""
    codes = space.codes(index)
    blocks = [np.eye(a.size)[codes[:, k]] for k, a in enumerate(space.attributes)]
    return np.concatenate(blocks, axis=1)


def n_signal_strata(support: Support) -> int:
    """Return S, the number of strata of the free signals."""
    return support.n_strata // support.n_clusters


def one_hot_strata(support: Support, cells: IntArray) -> FloatArray:
    """Return the one-hot stratum of each signal, a row per cell; no column without signals."""
    if not support.signals:
        return np.zeros((cells.size, 0))
    strata = AttributeSpace(support.signals)
    return one_hot_values(strata, cells % n_signal_strata(support))


def sum_by_group(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Return the sum of the values of each group, (n_groups,)."""
    return np.bincount(group, values, n_groups).astype(np.float64)
