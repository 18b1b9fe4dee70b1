"""What labels are for: whose variance they are to cut.

Notation: A arms and T cells of the pool. What is wanted of a service's surface is narrow arms
(weights (A,), of which only the ratios matter), a narrow average over rows, or both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.exploration.expected_gains import RowAverage
from accuracy_assay.files.tables import Rows
from accuracy_assay.runtime.arrays import BoolArray, FloatArray

__all__ = [
    "GOALS",
    "Goal",
    "GoalName",
    "Wanted",
    "compare_weights",
    "mix_weights",
    "threshold_weights",
    "worst_weights",
]

GoalName = Literal["overall", "surface", "worst", "mix", "compare", "now"]
Goal = Literal["overall", "surface", "worst", "mix", "compare", "now", "threshold"]

GOALS: Mapping[str, str] = {
    "overall": "how often a service is right over the whole pool, as one number",
    "surface": "all combinations of attributes equally, and the overall accuracy too",
    "worst": "the combinations of attributes where a service looks worst",
    "mix": "the accuracy under a mix of your own, such as your customers",
    "compare": "which service is better: rows that they answer differently",
    "now": "the surface as it is now: combinations whose labels are old",
    "threshold": "on which side of an accuracy bar each combination of attributes lies",
}
"""Each goal in plain words, as the end of "labels are chosen for"."""

_LEAST_SD = 1e-9  # of an accuracy: an arm that is known lies on one side, and 0 / 0 nowhere
_LEAST_WEIGHT = 1e-300  # divides weights that are all zero
_MOST_WORST, _WORST_SHARE = 50, 0.1
"""Arms that count as the worst: as many as the paper counts, and a tenth in a small pool."""
_HALVINGS = 40  # of the range of accuracies: far below what any deviation can tell apart


@dataclass(frozen=True, eq=False)
class Wanted:
    """Whose variance labels are to cut, for one service.

    Parameters
    ----------
    arms, average
        Weight of each arm's own variance, and of each arm in an average over arms, (A,); either
        add up to one.
    share
        What the variance of the average counts for, 0 to 1; that of the arms counts for the rest.
    variance
        Variance of each arm now, (A,).
    cells
        Cells whose rows count in the average, (T,); None for all.
    """

    arms: FloatArray
    average: FloatArray
    share: float
    variance: FloatArray
    cells: BoolArray | None = None

    @classmethod
    def build(
        cls,
        surface: AccuracySurface,
        support: Support,
        *,
        arms: FloatArray | None = None,
        average: FloatArray | None = None,
        share: float = 0.0,
        least_rows: float = 0.0,
        cells: BoolArray | None = None,
    ) -> Wanted:
        """Return the wish with weights of any scale: of arms alike, and of the pool by default.

        Arms with fewer than ``least_rows`` rows have no weight of their own, unless all are so.
        """
        at = np.searchsorted(surface.arms, support.arms)
        own = np.ones(at.size) if arms is None else arms
        is_large = support.arm_size >= least_rows
        own = own * is_large if is_large.any() else own
        whole = support.arm_size if average is None else average
        return cls(_to_one(own), _to_one(whole), share, surface.sd[at] ** 2, cells)

    @property
    def total(self) -> float:
        """The weighted variance of the arms."""
        return float(self.arms @ self.variance)

    def before_labels(self, blind: CellPosterior) -> Wanted:
        """Return the same where labels say too little: all arms alike, whatever they look like."""
        return replace(self, variance=blind.variance, cells=None)

    def average_of(self, posterior: CellPosterior) -> RowAverage | None:
        """Return the average as rows of the pool; None where it does not count."""
        if self.share == 0.0:
            return None
        found = RowAverage.of_arms(posterior, self.average)
        return found if self.cells is None else replace(found, row=found.row * self.cells)


def mix_weights(
    surface: AccuracySurface, support: Support, mix: Mapping[int, float] | Rows | None
) -> FloatArray:
    """Return a client's own weights: a table as ``under`` takes it, or weights by arm index."""
    if mix is None or (isinstance(mix, Mapping) and not mix):
        raise InputError("mix must give the arms' weights for the goal 'mix'; got none.")
    if not isinstance(mix, Mapping):
        at = np.searchsorted(surface.arms, support.arms)
        return surface.weights(mix=mix)[at]
    if min(mix.values()) < 0.0 or not np.isfinite(list(mix.values())).all():
        raise InputError(f"mix must be weights of at least 0; got {min(mix.values())}.")
    weight = np.asarray([mix.get(int(arm), 0.0) for arm in support.arms])
    if not weight.any():
        raise InputError(
            "mix must give a weight to an arm of the pool; got "
            f"{list(mix)[:3]}, which are none. Use the space's arm_index."
        )
    return weight


def worst_weights(surface: AccuracySurface, support: Support, how_many: int | None) -> FloatArray:
    """Return each arm's probability of being among the worst.

    They are those below the accuracy under which ``how_many`` arms are expected: by default a
    tenth of them, and 50 at most.
    """
    at = np.searchsorted(surface.arms, support.arms)
    mean, sd = surface.mean[at], np.maximum(surface.sd[at], _LEAST_SD)
    default = min(_MOST_WORST, max(round(_WORST_SHARE * at.size), 1))
    count = default if how_many is None else how_many
    if count >= at.size:
        return np.ones(at.size)
    low, high = float((mean - 9.0 * sd).min()), float((mean + 9.0 * sd).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        is_above = float(_normal_cdf((middle - mean) / sd).sum()) > count
        low, high = (low, middle) if is_above else (middle, high)
    return _normal_cdf((high - mean) / sd)


def threshold_weights(surface: AccuracySurface, support: Support, bar: float | None) -> FloatArray:
    """Return how undecided it is on which side of the bar each arm lies: 4 p (1 - p)."""
    if bar is None or not 0.0 < bar < 1.0:
        raise InputError(f"bar must lie between 0 and 1 for the goal 'threshold'; got {bar}.")
    at = np.searchsorted(surface.arms, support.arms)
    below = _normal_cdf((bar - surface.mean[at]) / np.maximum(surface.sd[at], _LEAST_SD))
    return np.asarray(4.0 * below * (1.0 - below))


def compare_weights(surfaces: Sequence[AccuracySurface], support: Support) -> FloatArray:
    """Return how undecided it is which service is better on each arm: 4 p (1 - p) over pairs."""
    if len(surfaces) < 2:
        raise InputError(
            f"the goal 'compare' needs two services or more; got {len(surfaces)}. Name another "
            "service, or another goal."
        )
    at = np.searchsorted(surfaces[0].arms, support.arms)
    weight = np.zeros(at.size)
    for first, second in combinations(surfaces, 2):
        sd = np.hypot(first.sd[at], second.sd[at])
        better = _normal_cdf((first.mean[at] - second.mean[at]) / np.maximum(sd, _LEAST_SD))
        weight += 4.0 * better * (1.0 - better)
    return weight


def _to_one(weight: FloatArray) -> FloatArray:
    return np.asarray(weight / max(float(weight.sum()), _LEAST_WEIGHT))


def _normal_cdf(values: FloatArray) -> FloatArray:
    from scipy.special import ndtr  # half a second that sessions with another goal do not pay

    return np.asarray(ndtr(values))
