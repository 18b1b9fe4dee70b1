"""Contrasts of groups: the largest difference and the smallest ratio, with honest intervals.

Names are fairlearn's: a group is a value of an attribute, or a combination of values of several;
``between_groups`` compares the best and the worst of them, ``to_overall`` each with the whole.

Notation: G groups with accuracies theta_g, known by joint draws. The best and the worst group are
chosen by looking, and the largest of several noisy differences is too large. So intervals hold for
all comparisons at once: with c the quantile of the largest standardised error of any comparison,

    |D_j - E[D_j]| <= c sd(D_j)   for all comparisons j, with probability ``level``,

the largest true difference, between any groups, lies between the largest of
|E[D_j]| - c sd(D_j) (or zero) and the largest of |E[D_j]| + c sd(D_j). Ratios are differences of
logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.averages import (
    Estimate,
    ListedArms,
    Mix,
    Target,
    arm_mass,
    members_by,
    target_of,
)
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["Extreme", "GroupAccuracies", "GroupContrast", "GroupMethod"]

GroupMethod = Literal["between_groups", "to_overall"]
_OVERALL = "overall"
_LEAST_RATE = 1e-4
"""Lowest rate in a ratio: labels never show less than one in ten thousand."""
_CERTAIN = 1e-12
"""A comparison with a smaller standard deviation is certain and has no standardised error."""
_LEAST_GROUPS = 2


@dataclass(frozen=True, slots=True)
class GroupContrast:
    """The largest difference, or the smallest ratio, between groups.

    Parameters
    ----------
    kind
        ``difference``: the higher accuracy minus the lower. ``ratio``: the lower over the higher.
    high, low
        The two groups by their expected accuracies; either may be the whole.
    mean
        Their expected difference or ratio.
    lower, upper
        Interval of the largest difference, or smallest ratio, of any groups. It allows for the
        choice of the groups by looking.
    level
        Probability of the interval.
    probability
        Probability that ``high`` is higher than ``low``.
    """

    kind: Literal["difference", "ratio"]
    high: str
    low: str
    mean: float
    lower: float
    upper: float
    level: float
    probability: float

    def __str__(self) -> str:
        between = f"{visible_text(self.low)} against {visible_text(self.high)}"
        if self.kind == "ratio":
            return (
                f"ratio {self.mean:.2f} ({self.level:.0%} interval {self.lower:.2f} to "
                f"{self.upper:.2f}), {between}"
            )
        return (
            f"difference {100 * self.mean:.1f} points ({self.level:.0%} interval "
            f"{100 * self.lower:.1f} to {100 * self.upper:.1f}), {between}"
        )


@dataclass(frozen=True, slots=True)
class Extreme:
    """The group with the lowest or highest expected accuracy.

    The interval is for the lowest or highest accuracy of any group.
    """

    group: str
    estimate: Estimate


@dataclass(frozen=True, eq=False)
class GroupAccuracies:
    """The groups of a surface, with joint draws of their accuracies.

    Parameters
    ----------
    names
        The groups in words.
    mean
        Expected accuracy of each group, then of the whole, (G + 1,).
    draws
        Joint draws of them, (S, G + 1).
    n, support
        Labels and pool rows of each, (G + 1,).
    level
        Probability of intervals.
    target
        What the accuracies are about.
    """

    names: tuple[str, ...]
    mean: FloatArray
    draws: FloatArray
    n: FloatArray
    support: FloatArray
    level: float
    target: Target = "population"

    @classmethod
    def of(
        cls,
        surface: ListedArms,
        names: Sequence[str],
        where: Mapping[str, object] | None = None,
        mix: Mix = None,
    ) -> GroupAccuracies:
        """Return the groups of some attributes; arguments as in `AccuracySurface.marginal`.

        Raises
        ------
        InputError
            If there are fewer than two groups.
        """
        mass = arm_mass(surface, where, mix)
        part, occupied, members = members_by(surface, names, mass)
        if len(members) < _LEAST_GROUPS:
            raise InputError(
                f"{list(names)} must have at least two groups in the pool or mix; got "
                f"{len(members)}."
            )
        every: list[IntArray] = [*members, np.flatnonzero(mass > 0.0)]
        weights = np.zeros((surface.arms.size, len(every)))
        for k, listed in enumerate(every):
            weights[listed, k] = mass[listed] / mass[listed].sum()
        found = [", ".join(map(str, part.describe(int(arm)).values())) for arm in occupied]
        return cls(
            tuple(found),
            surface.mean @ weights,
            draws_of(surface) @ weights,
            np.array([surface.n[listed].sum() for listed in every]),
            np.array([surface.support[listed].sum() for listed in every]),
            surface.level,
            target_of(surface) if mix is None else "mix",
        )

    def difference(self, method: GroupMethod = "between_groups") -> GroupContrast:
        """Return the largest difference between two groups, or between a group and the whole."""
        return self._contrast("difference", method, self.mean, self.draws)

    def ratio(self, method: GroupMethod = "between_groups") -> GroupContrast:
        """Return the smallest ratio of two groups, or of a group to the whole."""
        mean, draws = (np.log(np.maximum(x, _LEAST_RATE)) for x in (self.mean, self.draws))
        return self._contrast("ratio", method, mean, draws)

    def smallest(self) -> Extreme:
        """Return the group of the lowest accuracy."""
        return self._extreme(-1.0)

    def largest(self) -> Extreme:
        """Return the group of the highest accuracy."""
        return self._extreme(1.0)

    def _contrast(
        self,
        kind: Literal["difference", "ratio"],
        method: GroupMethod,
        mean: FloatArray,
        draws: FloatArray,
    ) -> GroupContrast:
        if method not in get_args(GroupMethod):
            raise UnknownNameError("method", method, get_args(GroupMethod))
        n_groups = len(self.names)
        pairs = np.array(
            list(combinations(range(n_groups), 2))
            if method == "between_groups"
            else [(g, n_groups) for g in range(n_groups)]
        )
        first, second = pairs.T
        apart = mean[first] - mean[second]
        errors = draws[:, first] - draws[:, second] - apart
        sd = errors.std(axis=0)
        reach = _simultaneous(errors, sd, self.level) * sd
        k = int(np.argmax(np.abs(apart)))
        low, high = sorted(pairs[k], key=lambda g: mean[g])
        lower = max(float(np.max(np.abs(apart) - reach)), 0.0)
        upper = float(np.max(np.abs(apart) + reach))
        size = float(np.abs(apart[k]))
        if kind == "ratio":
            size, lower, upper = (float(np.exp(-x)) for x in (size, upper, lower))
        else:
            upper = min(upper, 1.0)
        words = (*self.names, _OVERALL)
        above = self.draws[:, high] - self.draws[:, low]
        chance = float(np.mean(0.5 + 0.5 * np.sign(above)))
        return GroupContrast(kind, words[high], words[low], size, lower, upper, self.level, chance)

    def _extreme(self, sign: float) -> Extreme:
        """Return the lowest or highest group, with the interval of the extreme of any group."""
        n_groups = len(self.names)
        mean = self.mean[:n_groups]
        errors = self.draws[:, :n_groups] - mean
        sd = errors.std(axis=0)
        reach = _simultaneous(errors, sd, self.level) * sd
        k = int(np.argmax(sign * mean))
        ends = sorted(
            float(np.clip(sign * np.max(sign * mean + step * reach), 0.0, 1.0))
            for step in (-1.0, 1.0)
        )
        estimate = Estimate(
            float(mean[k]),
            float(sd[k]),
            ends[0],
            ends[1],
            self.level,
            float(self.n[k]),
            float(self.support[k]),
            self.target,
        )
        return Extreme(self.names[k], estimate)


def _simultaneous(errors: FloatArray, sd: FloatArray, level: float) -> float:
    """Return the quantile of the largest standardised error of any column of (S, J)."""
    unsure = sd > _CERTAIN
    if not unsure.any():
        return 0.0
    largest = np.max(np.abs(errors[:, unsure]) / sd[unsure], axis=1)
    return float(np.quantile(largest, level))
