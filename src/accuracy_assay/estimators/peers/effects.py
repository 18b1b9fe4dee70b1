"""Which arms share which values: the groups behind main effects and interactions.

Notation: a subset S of the K attributes puts two arms into one group when they agree on S. The
empty subset has one group, the full one a group for each arm.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["effect_subsets", "group_of"]

Subset = tuple[int, ...]


def effect_subsets(n_attributes: int, most: int) -> list[Subset]:
    """Return the non-empty subsets of attributes: all of them while there are at most ``most``.

    Beyond that, single attributes, pairs, and the full set, which is an arm's own effect.
    """
    everything = tuple(range(n_attributes))
    orders: tuple[int, ...] = tuple(range(1, n_attributes + 1))
    if 2**n_attributes - 1 > most:
        orders = (1, 2, n_attributes)
    return [subset for order in orders for subset in combinations(everything, order)]


def group_of(space: AttributeSpace, subset: Subset, arms: IntArray) -> IntArray:
    """Return the group of each arm under ``subset``: a mixed-radix number of its values."""
    codes = space.codes(arms)
    group = np.zeros(arms.size, dtype=np.int64)
    for k in subset:
        group = group * space.attributes[k].size + codes[:, k]
    return group
