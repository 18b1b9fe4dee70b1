"""Which slices are watched, and how much of the allowed false alarms each has.

The whole, every value of an attribute and every pair of values. The values of one attribute, or of
one pair, divide the rows, and share their part by size: so a slice that holds a seventh of the
rows has the same power whether there are seven or seventy, and tiny ones cost it nothing. The part
of an attribute grows with the number of its values up to ten: a third of the rows has many labels
and needs little weight. What is watched and its weight depend on no score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from accuracy_assay.domain.slices import slice_name
from accuracy_assay.domain.space import AttributeSpace, Value
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["OVERALL", "WatchedSlice", "slice_weights", "watched_slices"]

OVERALL = "overall"
"""Name of the slice that holds every row."""
_PARTS = (0.15, 0.7, 0.15)
"""Parts of the false alarms for the whole, for values and for pairs: the whole has most labels,
and pairs too few whatever they get. A part twice as large finds a loss 0.7 nats sooner."""
_MOST_VALUES = 10.0
"""Values from which on an attribute's part grows no more: a smaller slice has little power."""
_LEAST_LABELS = 20
"""Fewest labels of the baseline in a slice: with fewer, its rate is known to 20 points at best."""
_MOST_SLICES = 200
"""Most slices that are watched, the largest first: each takes a tenth of a second."""


@dataclass(frozen=True)
class WatchedSlice:
    """A slice, by the positions of its attributes and the codes of their values."""

    attributes: tuple[int, ...]
    codes: tuple[int, ...]
    where: Mapping[str, Value]

    @property
    def name(self) -> str:
        """Its name, as ``slices()`` writes it."""
        return slice_name(self.where) if self.where else OVERALL

    def holds(self, codes: IntArray) -> BoolArray:
        """Return which rows belong to it, given their codes (N, K)."""
        return np.asarray((codes[:, self.attributes] == self.codes).all(axis=1))


def watched_slices(
    space: AttributeSpace, baseline: IntArray, order: int
) -> tuple[tuple[WatchedSlice, ...], int]:
    """Return the slices to watch, and how many are too small for it.

    Parameters
    ----------
    space
        The attributes.
    baseline
        Codes of the baseline's labels, (n, K).
    order
        Most attributes that a slice names.
    """
    found, sizes, thin = [WatchedSlice((), (), {})], [baseline.shape[0]], 0
    seen = {np.ones(baseline.shape[0], dtype=bool).tobytes()}
    for size in range(1, order + 1):
        for at in combinations(range(len(space.attributes)), size):
            values, counts = np.unique(baseline[:, at], axis=0, return_counts=True)
            for codes, count in zip(values.tolist(), counts.tolist(), strict=True):
                thin += count < _LEAST_LABELS
                made = _slice(space, at, tuple(codes))
                rows = made.holds(baseline).tobytes() if count >= _LEAST_LABELS else b""
                if rows and rows not in seen:  # nested attributes name the same rows twice
                    seen.add(rows)
                    found.append(made)
                    sizes.append(count)
    largest = np.argsort(-np.array(sizes), kind="stable")[:_MOST_SLICES]
    return tuple(found[i] for i in np.sort(largest)), thin + len(found) - largest.size


def slice_weights(slices: tuple[WatchedSlice, ...], baseline: IntArray) -> FloatArray:
    """Return the weight of each slice, (S,); together they are 1."""
    weights = np.zeros(len(slices))
    orders = sorted({len(each.attributes) for each in slices})
    for order in orders:
        of = [i for i, each in enumerate(slices) if len(each.attributes) == order]
        sizes = np.array([slices[i].holds(baseline).sum() for i in of], dtype=np.float64)
        families = [slices[i].attributes for i in of]
        for family in set(families):
            own = np.array([each == family for each in families])
            n_values = sizes[own].sum() ** 2 / (sizes[own] ** 2).sum()  # were they of one size
            sizes[own] *= min(n_values, _MOST_VALUES) / sizes[own].sum()
        weights[of] = _PARTS[min(order, len(_PARTS) - 1)] * sizes / sizes.sum()
    return np.asarray(weights / weights.sum())


def _slice(space: AttributeSpace, at: tuple[int, ...], codes: tuple[int, ...]) -> WatchedSlice:
    named = [space.attributes[k] for k in at]
    where = {a.name: a.values[code] for a, code in zip(named, codes, strict=True)}
    return WatchedSlice(at, codes, where)
