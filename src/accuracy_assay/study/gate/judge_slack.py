"""How far an automatic judge may be off in each slice of a check, by its certificate.

Its figure is within the tolerance in everything, and in each slice that is certified on its own.
Of any other slice in which it decided rows the certificate says nothing: errors cancel out in the
whole, not in its parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["judge_slack"]

_UNKNOWN = 1.0
"""An accuracy may be anything: the slice neither passes nor fails."""


def judge_slack(surface: AccuracySurface, weight: csr_array) -> FloatArray:
    """Return by how much margins may be off because the judge decided, (Q,).

    Parameters
    ----------
    surface
        The surface.
    weight
        Share of each of its arms in each slice, (Q, A); of a gap, less that of the other slice.
        Of a comparison, whose arms may be others, the tolerance is what each may be off by.
    """
    share, n_slices = surface.judge_share, int(weight.shape[0])
    if share is None or not share.decided:
        return np.zeros(n_slices)
    if weight.shape[1] != surface.arms.size:
        return np.full(n_slices, share.tolerance)
    certified, refused = _masks(surface, share.certified), _masks(surface, share.refused)
    decided = np.any(certified, axis=0) if certified else np.ones(surface.arms.size, dtype=bool)
    for each in refused:
        decided = decided & ~each
    every, found = np.ones(surface.arms.size, dtype=bool), np.zeros(n_slices)
    for q, row in enumerate(weight.toarray()):
        for part in (np.maximum(row, 0.0), np.maximum(-row, 0.0)):
            if not (part[decided] > 0.0).any():
                continue  # people alone decided there
            is_known = any(_is_as_it_is(surface, part, each) for each in (every, *certified))
            found[q] += share.tolerance if is_known else _UNKNOWN
    return np.minimum(found, _UNKNOWN)


def _masks(surface: AccuracySurface, slices: Sequence[Mapping[str, object]]) -> list[BoolArray]:
    """Return the arms of each slice whose attributes the surface has, (A,) each."""
    names = set(surface.space.names)
    known = [where for where in slices if where.keys() <= names]
    return [surface.space.matches(surface.arms, where) for where in known]


def _is_as_it_is(surface: AccuracySurface, part: FloatArray, inside: BoolArray) -> bool:
    """Return whether shares are those of the pool within a slice."""
    own = np.where(inside, surface.support, 0.0)
    return bool(own.sum() > 0.0 and np.allclose(part, own / own.sum(), atol=1e-6))
