"""Hyper-parameters integrated out: fits on a grid around the best theta, each with its weight.

Few labels leave open how far arms differ, and the best guess is nearly always too low or too high;
intervals must allow for both. The grid runs along the scale that all variances share and along the
variance of the arms' own terms. Fits are weighted by marginal likelihood and prior; the other
entries of theta stay fixed (a coarse form of the integration of Rue, Martino and Chopin, 2009,
section 3). With a thousand labels all but the best are negligible.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from accuracy_assay.numerics.gp.marginal_likelihood import Begun, FittedGP
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["weigh", "weigh_around"]

# Steps along each direction, in natural logs of a variance, and how many to either side: two of
# the prior's standard deviations, 1.2 each.
_STEPS = (1.2, 1.5)
_FARTHEST = (2, 1)
_LEAST_WEIGHT = 0.02  # relative to the best; fits below it, and all beyond them, are left out
_NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def weigh_around(
    best: FittedGP, begin: Callable[[FloatArray], Begun]
) -> list[tuple[FittedGP, float]]:
    """Return fits around the best one, the best first, with weights that sum to one.

    ``begin`` begins a fit at another theta.
    """
    found = {(0, 0): Begun(best.value, lambda: best)}
    waiting = [(0, 0)]
    while waiting:
        at = waiting.pop(0)
        if not _weighs(found[at], found.values()):
            continue
        for along, across in _NEIGHBOURS:
            point = (at[0] + along, at[1] + across)
            if point not in found and _is_near(point):
                found[point] = begin(best.theta + _away(best, point))
                waiting.append(point)
    return weigh(list(found.values()))


def weigh(fits: Sequence[Begun]) -> list[tuple[FittedGP, float]]:
    """Return the fits that count, in their order, with weights that sum to one."""
    kept = [fit for fit in fits if _weighs(fit, fits)]
    weight = np.exp([fit.value - max(each.value for each in kept) for fit in kept])
    finished = [fit.finish() for fit in kept]
    return list(zip(finished, (weight / weight.sum()).tolist(), strict=True))


def _weighs(fit: Begun, others: Iterable[Begun]) -> bool:
    """Return whether a fit counts beside the best of the others; NaN does not."""
    most = max(other.value for other in others if np.isfinite(other.value))
    return bool(fit.value - most >= np.log(_LEAST_WEIGHT))


def _is_near(point: tuple[int, int]) -> bool:
    return all(abs(k) <= most for k, most in zip(point, _FARTHEST, strict=True))


def _away(best: FittedGP, point: tuple[int, int]) -> FloatArray:
    parts = zip(best.layout.directions, point, _STEPS, strict=True)
    return np.asarray(sum(k * step * direction for direction, k, step in parts))
