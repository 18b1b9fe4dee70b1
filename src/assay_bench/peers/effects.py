"""Which arms share which values: the groups behind main effects and interactions.

A subset S of the K attributes puts two arms into one group when they agree on S. The
empty subset has one group, the full one a group for each arm.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["effect_subsets", "group_of", "subsets_of_sizes"]

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
