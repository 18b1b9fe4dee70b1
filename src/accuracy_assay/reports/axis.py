"""An axis of accuracies that zooms to what it shows, with round ends and a few ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

__all__ = ["WHOLE", "Axis", "axis_of"]

_STEPS = (0.02, 0.05, 0.1, 0.2, 0.25)
"""Distances of ticks, the smallest first."""
_MOST_STEPS = 4
"""Between the ends: more ticks would run into each other in the narrowest column."""
_LEAST_SPAN = 0.1
"""Of an axis: on a shorter one, differences that nobody acts on would look large."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """Where accuracies lie between two ends."""

    low: float
    high: float
    step: float

    def at(self, value: float) -> float:
        """Return where a value lies as a share of the axis; values beyond it lie at its ends.

        Examples
        --------
        >>> Axis(0.5, 1.0, 0.1).at(0.75)
        0.5
        """
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Values at which the axis has a tick, its ends among them."""
        count = round((self.high - self.low) / self.step)
        return [round(self.low + k * self.step, 9) for k in range(count + 1)]


WHOLE = Axis(0.0, 1.0, 0.25)
"""All that an accuracy can be."""


def axis_of(values: Iterable[float]) -> Axis:
    """Return the axis that holds all values, at least ten points long.

    Examples
    --------
    >>> axis_of([0.71, 0.84])
    Axis(low=0.7, high=0.85, step=0.05)
    """
    known = list(values)
    if not known:
        return WHOLE
    low, high = min(known), max(known)
    short = max(_LEAST_SPAN - (high - low), 0.0) / 2.0
    low, high = max(low - short, 0.0), min(high + short, 1.0)
    for step in _STEPS:
        first, last = floor(low / step + _ROUNDING), ceil(high / step - _ROUNDING)
        if last - first <= _MOST_STEPS:
            return Axis(round(first * step, 9), round(last * step, 9), step)
    return WHOLE
