"""Attributes in the order in which a first picture should show them.

Notation: arms with pool rows w and mean accuracy m. An attribute tells the more, the further its
values lie apart: Var(E[m | a_k]), rows weighted equally. `importance` says how sure that is, from
draws; a picture needs the order alone, at once.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from accuracy_assay.domain.averages import ListedArms
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["most_telling", "telling_pair"]

_CROSSED = 8
"""Attributes whose 28 pairs are looked at: quick with 100,000 arms."""


def most_telling(of: ListedArms) -> tuple[str, ...]:
    """Return the names of the attributes, the most telling first; ties as they are declared."""
    codes = of.space.codes(of.arms)
    weight = of.support if of.support.sum() > 0.0 else np.ones(of.arms.size)
    spread = [_variance_between(code, of.mean, weight) for code in codes.T]
    return tuple(of.space.names[k] for k in np.argsort(-np.array(spread), kind="stable"))


def telling_pair(of: ListedArms) -> tuple[str, str]:
    """Return the two attributes that tell most when crossed, that with more values first.

    Two that tell most one by one may tell the same. Only pairs of the most telling attributes are
    looked at: a pair with an attribute that says little alone must say much with the other.
    """
    codes, names = of.space.codes(of.arms), of.space.names
    weight = of.support if of.support.sum() > 0.0 else np.ones(of.arms.size)
    ranked = [names.index(name) for name in most_telling(of)[:_CROSSED]]

    def told(pair: tuple[int, int]) -> float:
        _, crossed = np.unique(codes[:, list(pair)], axis=0, return_inverse=True)
        return _variance_between(crossed.ravel(), of.mean, weight)

    first, second = (names[k] for k in max(combinations(ranked, 2), key=told))
    is_longer = of.space.attribute(second).size > of.space.attribute(first).size
    return (second, first) if is_longer else (first, second)


def _variance_between(code: IntArray, mean: FloatArray, weight: FloatArray) -> float:
    n_values = int(code.max(initial=0)) + 1
    rows = sum_by_group(code, weight, n_values)
    right = sum_by_group(code, weight * mean, n_values)
    is_used = rows > 0.0
    by_value = right[is_used] / rows[is_used]
    return float(rows[is_used] @ (by_value - right.sum() / rows.sum()) ** 2 / rows.sum())
