"""What labels are bought for: how narrow an interval must be, and of what.

The half-width of an interval is half the distance between its ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Aim", "AimOf"]

AimOf = Literal["overall", "worst", "every-arm", "slice"]
"""The pool as a whole, its least accurate arm, each of its arms, the rows with some values."""


@dataclass(frozen=True)
class Aim:
    """How narrow an interval must be, and of what.

    Parameters
    ----------
    half_width
        Largest half-width that will do, between 0 and 0.5.
    of
        ``overall``: the accuracy over the pool. ``worst``: that of the arm with the lowest mean.
        ``every-arm``: the widest of all arms. ``slice``: the rows with the values of ``where``.
        Arms with fewer than five pool rows do not count.
    where
        Attribute values, as ``AccuracySurface.at`` takes them, for ``slice``.
    """

    half_width: float
    of: AimOf = "overall"
    where: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 < self.half_width < 0.5:
            raise InputError(f"half_width must lie between 0 and 0.5; got {self.half_width}.")
        if self.of not in get_args(AimOf):
            raise UnknownNameError("what the half-width is for", self.of, get_args(AimOf))
        if (self.of == "slice") != bool(self.where):
            raise InputError(
                "attribute values must be given for a slice and for nothing else; got "
                f"{dict(self.where)} for {self.of!r}."
            )

    def __str__(self) -> str:
        what = {"overall": "the overall accuracy", "worst": "the worst arm"}
        what |= {"every-arm": "the widest arm"}
        return what.get(self.of, ", ".join(f"{k}={v}" for k, v in self.where.items()))

    def measure(self, surface: AccuracySurface) -> float:
        """Return the half-width that the aim is about, as it is now."""
        if self.of == "overall":
            estimate = surface.overall
            return (estimate.upper - estimate.lower) / 2.0
        if self.of == "slice":
            estimate = surface.at(**self.where)
            return (estimate.upper - estimate.lower) / 2.0
        half_width = (surface.upper - surface.lower) / 2.0
        return float(half_width[self.arms(surface)].max())

    def arms(self, surface: AccuracySurface) -> IntArray:
        """Return the positions in ``surface.arms`` of the arms that the aim is about."""
        in_pool = np.flatnonzero(surface.support > 0.0)
        if self.of == "slice":
            matches = surface.space.matches(surface.arms[in_pool], self.where)
            return np.asarray(in_pool[matches])
        if self.of == "overall":
            return in_pool
        active = in_pool[surface.support[in_pool] >= LEAST_ACTIVE_ROWS]
        active = active if active.size else in_pool
        return active if self.of == "every-arm" else surface.worst_first("mean")[:1]

    def weights(self, surface: AccuracySurface) -> FloatArray:
        """Return the rows (targets, A) of weights whose averages the aim is about."""
        at = self.arms(surface)
        if self.of in ("overall", "slice"):
            row = np.zeros((1, surface.arms.size))
            row[0, at] = surface.support[at] / surface.support[at].sum()
            return row
        rows = np.zeros((at.size, surface.arms.size))
        rows[np.arange(at.size), at] = 1.0
        return rows
