"""What the labels are for: the weight of each arm in the variance that is to be cut.

Notation: A arms of the pool; weights (A,) are at least 0 and only their ratios matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["Goal", "compare_weights", "mix_weights", "threshold_weights", "worst_weights"]

Goal = Literal["surface", "mix", "worst", "threshold", "compare"]


_LEAST_SD = 1e-9  # of an accuracy: an arm that is known lies on one side, and 0 / 0 nowhere


def mix_weights(support: Support, mix: Mapping[int, float] | None) -> FloatArray:
    """Return a client's own weights, given by arm index."""
    if not mix:
        raise InputError("mix must give the arms' weights for the goal 'mix'; got none.")
    if min(mix.values()) < 0.0 or not np.isfinite(list(mix.values())).all():
        raise InputError(f"mix must be weights of at least 0; got {min(mix.values())}.")
    weight = np.asarray([mix.get(int(arm), 0.0) for arm in support.arms])
    if not weight.any():
        raise InputError(
            "mix must give a weight to an arm of the pool; got "
            f"{list(mix)[:3]}, which are none. Use the space's arm_index."
        )
    return weight


def worst_weights(surface: AccuracySurface, support: Support, how_many: int) -> FloatArray:
    """Return each arm's probability of being among the worst, from joint draws."""
    at = np.searchsorted(surface.arms, support.arms)
    draws = surface.joint_draws
    if draws is None:
        raise InputError("the goal 'worst' needs joint draws; use the estimator 'anova-gp'.")
    values = draws[:, at]
    count = min(how_many, values.shape[1])
    worst = np.argpartition(values, count - 1, axis=1)[:, :count]
    return np.asarray(np.bincount(worst.reshape(-1), minlength=at.size) / values.shape[0])


def threshold_weights(surface: AccuracySurface, support: Support, bar: float | None) -> FloatArray:
    """Return how undecided it is on which side of the bar each arm lies: 4 p (1 - p)."""
    if bar is None or not 0.0 < bar < 1.0:
        raise InputError(f"bar must lie between 0 and 1 for the goal 'threshold'; got {bar}.")
    at = np.searchsorted(surface.arms, support.arms)
    below = _normal_cdf((bar - surface.mean[at]) / np.maximum(surface.sd[at], _LEAST_SD))
    return np.asarray(4.0 * below * (1.0 - below))


def compare_weights(surfaces: Sequence[AccuracySurface], support: Support) -> FloatArray:
    """Return how undecided it is which of two services is better on each arm: 4 p (1 - p)."""
    if len(surfaces) != 2:
        raise InputError(
            f"the goal 'compare' needs the surfaces of two services; got {len(surfaces)}."
        )
    at = np.searchsorted(surfaces[0].arms, support.arms)
    first, second = surfaces
    sd = np.hypot(first.sd[at], second.sd[at])
    better = _normal_cdf((first.mean[at] - second.mean[at]) / np.maximum(sd, _LEAST_SD))
    return np.asarray(4.0 * better * (1.0 - better))


def _normal_cdf(values: FloatArray) -> FloatArray:
    from scipy.special import ndtr  # half a second that sessions with another goal do not pay

    return np.asarray(ndtr(values))
