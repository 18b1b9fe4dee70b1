"""What other calibrations would make of a surface: the doubt about guessed attributes.

Notation: B other calibrations, A listed arms. Under other b, arm a has the accuracy mean_a +
shift_ba and size_ba pool rows. An average f then becomes f_b: arms that it takes as the pool has
them are shared out by the other sizes. With z_1, ..., z_B standard normal, f moves by

    sum over b of z_b (f_b - f) / sqrt(B)

so the doubt of every average is one of the same B directions, and averages agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Doubt", "alike_arms"]

_SAME = 1e-9
"""Relative difference up to which two ratios are the same: rounding."""
_NO_ROWS = 1e-12
"""Size of arms that have no rows in a draw; their accuracies then count equally."""


@dataclass(frozen=True, eq=False)
class Doubt:
    """What other calibrations would say of the listed arms.

    Parameters
    ----------
    shift
        Accuracy of each arm minus the surface's mean, (B, A), of the precision of a file.
    size
        Pool rows of each arm, (B, A), alike.
    """

    shift: npt.NDArray[np.float32]
    size: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.shift.shape != self.size.shape or self.shift.ndim != 2 or not len(self.shift):
            raise InputError(
                "shift and size must have one shape, others by arms; got "
                f"{self.shift.shape} and {self.size.shape}."
            )
        if not (np.isfinite(self.shift).all() and np.isfinite(self.size).all()):
            raise InputError("shift and size must be finite; got others.")
        if self.size.size and self.size.min() < 0.0:
            raise InputError(f"size must be at least 0; got {self.size.min():g}.")
        # What a file would round is rounded at once, so that saving changes no answer.
        object.__setattr__(self, "shift", self.shift.astype(np.float32))
        object.__setattr__(self, "size", self.size.astype(np.float32))

    @property
    def arm_variance(self) -> FloatArray:
        """Variance that the doubt adds to each arm, (A,)."""
        return np.asarray((self.shift.astype(np.float64) ** 2).mean(axis=0))

    def directions(self, n_draws: int) -> FloatArray:
        """Return z / sqrt(B) of draws, (S, B), the same whenever somebody asks."""
        n_others = self.shift.shape[0]
        z = np.random.default_rng(n_others).standard_normal((n_draws, n_others))
        return np.asarray(z / np.sqrt(n_others))

    def moved(self, weight: FloatArray, mean: FloatArray, support: FloatArray) -> FloatArray:
        """Return f_b - f of an average with weights (A,), given the surface's means and sizes."""
        total = np.full(self.shift.shape[0], -float(weight @ mean))
        for at in alike_arms(weight, support):
            size = self.size[:, at].astype(np.float64) + _NO_ROWS
            other = mean[at] + self.shift[:, at]
            total += weight[at].sum() * (size * other).sum(axis=1) / size.sum(axis=1)
        return total

    def variance(self, weight: FloatArray, mean: FloatArray, support: FloatArray) -> float:
        """Return the variance that the doubt adds to an average with weights (A,)."""
        return float(np.mean(self.moved(weight, mean, support) ** 2))

    def drawn_away(self, weight: FloatArray, n_draws: int) -> FloatArray:
        """Return by how much the shifts move draws of an average with weights (A,), (S,)."""
        return np.asarray(self.directions(n_draws) @ (self.shift.astype(np.float64) @ weight))


def alike_arms(weight: FloatArray, support: FloatArray) -> list[IntArray]:
    """Return the arms that count, grouped by the ratio of their weight and support."""
    listed = np.flatnonzero(weight > 0.0)
    ratio = weight[listed] / np.maximum(support[listed], _NO_ROWS)
    order = np.argsort(ratio, kind="stable")
    ratio = ratio[order]
    cuts = np.flatnonzero(np.diff(ratio) > _SAME * ratio[1:]) + 1
    return np.split(listed[order], cuts)
