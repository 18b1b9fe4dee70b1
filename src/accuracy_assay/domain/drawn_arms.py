"""The joint posterior of arms with guessed attributes that no factors hold: draws, and a doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.factored_arms import FactoredArms, OtherOverall, interval_by_draws
from accuracy_assay.numerics.intervals.weighted_sum import Interval
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["DrawnArms"]


@dataclass(frozen=True, eq=False)
class DrawnArms:
    """Averages by draws, stretched by a doubt.

    Parameters
    ----------
    mean, support
        Posterior mean and pool rows of each arm, (A,).
    draws
        Joint draws, (S, A), or a function that makes them.
    doubt
        What other calibrations of guessed attributes would say.
    """

    mean: FloatArray
    support: FloatArray
    draws: npt.NDArray[np.float32] | Callable[[], npt.NDArray[np.float32]]
    doubt: Doubt

    def intervals(self, weight: FloatArray, level: float) -> list[Interval]:
        """Return the intervals of averages, one per row of ``weight`` (m, A)."""
        drawn = self.draws() if callable(self.draws) else self.draws
        return [
            interval_by_draws(
                drawn,
                row,
                float(row @ self.mean),
                level,
                self.doubt.drawn_away(row, drawn.shape[0]),
                self.doubt.variance(row, self.mean, self.support),
            )
            for row in weight
        ]

    def factored(self) -> FactoredArms | None:
        """Return None: a file keeps the draws."""
        return None

    def other_overall(self, level: float) -> OtherOverall | None:
        """Return None: only the fit knows; a file keeps what it said."""
        return None
