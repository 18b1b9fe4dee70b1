"""Weak slices: parts of the attribute space that are clearly weaker than the whole.

A slice names values of a few attributes and leaves the others open: "accent = german and
digit = 7" is every pool row with both. One slice says in one line what fifteen of the worst arms
would.

Notation: A listed arms with pool rows w_a and accuracy rho_a, known by S joint draws. The bar b is
a given accuracy, or the overall accuracy minus a margin, draw by draw. A set of arms C falls short
of the bar by

    missed(C) = sum over a in C of w_a (b - rho_a)        in pool rows, negative if C is above

and a slice is weak in a draw if missed(C) > 0. Slices are taken greedily, the largest expected
shortfall first. Arms of slices already taken no longer count, so overlapping slices are merged. A
slice is new only if its remaining arms are most of it and weak by themselves. One that lies inside
a taken slice is compared with that slice and must be much weaker.
False discoveries are controlled over everything that was searched: the mean probability that a
reported slice is not weak stays at or below ``fdr`` (Newton et al., 2004).

The search selects and reports; it estimates nothing. What it says about a slice is the surface's
own average over it, `AccuracySurface.at`. Whether a weak slice stands out from its neighbours is
the estimator's business (``estimators.anova.slice_search``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import comb

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.averages import Estimate, ListedArms, averages
from accuracy_assay.domain.space import Value
from accuracy_assay.domain.subcubes import SubCubes, sub_cubes
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["WeakSlice", "WeakSlices", "find_weak_slices", "slice_name"]

_NEW_SHARE = 0.5
"""Share of a slice's pool rows that must be in no slice taken before: with less it is the same
slice again."""
_DEEPER = 0.2
"""How much weaker a slice inside a reported one must be to be reported too. Chosen on 15
simulated worlds: power rose from 82 to 87%, with 4.1 instead of 3.3 slices reported; 0.15 gave 89%
and 5.1."""
_THIN_LABELS = 10
"""A slice with fewer labels rests on its neighbours more than on itself: its binomial interval is
wider than half of the whole range."""
_MOST_ATTRIBUTES = 3
"""Most attributes that a slice names by default: more would describe single rows."""
_MOST_MEMBERSHIPS = 2**23
"""Most pairs of slice and arm searched by default: ten seconds and 4 GB with 512 draws."""
_LEAST_CHANCE = 0.8
"""Smallest posterior probability of being weak for a reported slice: a bound on the mean alone
would admit a coin flip behind ten sure slices."""


@dataclass(frozen=True, slots=True)
class WeakSlice:
    """A part of the space that is clearly weaker than the whole.

    Parameters
    ----------
    where
        The attribute values that make the slice.
    estimate
        Its accuracy over the pool as it is, the same as `AccuracySurface.at`.
    chance_below
        Posterior probability that its accuracy is below the bar; above it for error rates.
    is_error
        Whether the numbers are error rates, so that lower is better.
    """

    where: dict[str, Value]
    estimate: Estimate
    chance_below: float
    is_error: bool = False

    @property
    def name(self) -> str:
        """The slice in words, such as ``accent = german and digit = 7``."""
        return slice_name(self.where)

    @property
    def wrong(self) -> float:
        """Pool rows of the slice that are expected to go wrong."""
        wrong = self.estimate.mean if self.is_error else 1.0 - self.estimate.mean
        return self.estimate.support * wrong

    @property
    def is_thin(self) -> bool:
        """Whether the slice has so few labels that it rests on its neighbours."""
        return self.estimate.n < _THIN_LABELS


@dataclass(frozen=True, slots=True)
class WeakSlices:
    """Weak slices of a surface, those with the most wrong pool rows first.

    Parameters
    ----------
    found
        The slices.
    bar
        Accuracy below which a slice is weak: the mean over draws if it depends on the overall
        accuracy.
    searched
        Number of slices searched.
    fdr
        Expected share of false alarms among the slices.
    is_error
        Whether the numbers are error rates, which are weak above the bar.
    frames
        What tables are returned as, as in `AccuracySurface`.
    """

    found: tuple[WeakSlice, ...]
    bar: float
    searched: int
    fdr: float
    is_error: bool = False
    frames: FrameKind = "polars"

    @property
    def side(self) -> str:
        """On which side of the bar weak slices are: ``below``, or ``above`` for error rates."""
        return "above" if self.is_error else "below"

    def __iter__(self) -> Iterator[WeakSlice]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def to_frame(self) -> Frame:
        """Return one row per slice.

        Columns: slice, mean, sd, lower, upper, chance_below, n, support, wrong, is_thin.
        """
        numbers = ("mean", "sd", "lower", "upper", "n", "support")
        columns: dict[str, pl.Series] = {
            "slice": pl.Series([each.name for each in self.found], dtype=pl.String),
            **{
                name: pl.Series([getattr(e.estimate, name) for e in self.found], dtype=pl.Float64)
                for name in numbers
            },
            "chance_below": pl.Series([e.chance_below for e in self.found], dtype=pl.Float64),
            "wrong": pl.Series([e.wrong for e in self.found], dtype=pl.Float64),
            "is_thin": pl.Series([e.is_thin for e in self.found], dtype=pl.Boolean),
        }
        order = ("slice", *numbers[:4], "chance_below", "n", "support", "wrong", "is_thin")
        return as_kind(pl.DataFrame({name: columns[name] for name in order}), self.frames)


def find_weak_slices(
    of: ListedArms,
    below: float | None = None,
    *,
    margin: float = 0.05,
    order: int | None = None,
    fdr: float = 0.1,
    least_rows: float = 20.0,
) -> WeakSlices:
    """Search every slice of up to ``order`` attributes for those that are weak.

    Parameters
    ----------
    of
        The surface.
    below
        Accuracy below which a slice is weak; by default the overall accuracy minus ``margin``.
        Error rates are weak above it; by default above the overall rate plus ``margin``.
    margin
        How much weaker than the whole a slice must be to be reported.
    order
        Most attributes that a slice names; by default three, or fewer if the search would take
        minutes.
    fdr
        Expected share of false alarms among the reported slices.
    least_rows
        Fewest pool rows of a slice.

    Raises
    ------
    InputError
        If an argument is out of range.
    """
    order = _usual_order(of) if order is None else order
    _check(below, margin, order, fdr, least_rows)
    weight = of.support
    if not weight.sum() > 0.0:
        return WeakSlices((), float("nan") if below is None else below, 0, fdr)
    held = np.flatnonzero(weight)  # a grid may list ten times as many arms
    draws, rows = draws_of(of, held), weight[held]
    overall = draws @ (rows / rows.sum())
    is_error = bool(of.details.get("is_error"))
    sign = -1.0 if is_error else 1.0
    bar = overall - sign * margin if below is None else np.full(overall.shape, below)
    cubes = sub_cubes(of.space, of.arms, weight, order, least_rows)
    missed = rows[:, None] * sign * (bar - draws.T)
    chance = cubes.over(held).chance_positive(missed)
    live = np.flatnonzero(chance >= _LEAST_CHANCE)
    likely = cubes.part(live)
    taken = (
        _take(likely, held, chance[live], sign * draws.T, missed, rows, fdr) if live.size else []
    )
    groups = [likely.listed(i) for i in taken]
    estimates = averages(of, groups, [weight[listed] for listed in groups])
    found = [
        WeakSlice(likely.where(i), estimate, float(chance[live[i]]), is_error)
        for i, estimate in zip(taken, estimates, strict=True)
    ]
    found.sort(key=lambda each: -each.wrong)
    mean_bar = float(bar.mean()) if below is None else below
    return WeakSlices(tuple(found), mean_bar, len(cubes), fdr, is_error)


def slice_name(where: Mapping[str, object]) -> str:
    """Return the name of a slice or an arm.

    Examples
    --------
    >>> slice_name({"accent": "german", "digit": 7})
    'accent = german and digit = 7'
    """
    return " and ".join(
        f"{visible_text(name)} = {visible_text(str(value))}" for name, value in where.items()
    )


def _usual_order(of: ListedArms) -> int:
    """Return the most attributes per slice for which the search stays quick."""
    n_attributes, order = len(of.space.attributes), _MOST_ATTRIBUTES
    while order > 1:
        n_choices = sum(comb(n_attributes, size) for size in range(1, order + 1))
        if n_choices * of.arms.size <= _MOST_MEMBERSHIPS:
            break
        order -= 1
    return order


def _take(
    every: SubCubes,
    held: IntArray,
    whole: FloatArray,
    draws: FloatArray,
    missed: FloatArray,
    weight: FloatArray,
    fdr: float,
) -> list[int]:
    """Return the positions of the slices to report.

    Parameters
    ----------
    every
        The slices that may be weak.
    held
        Positions of the arms with rows, (A,).
    whole
        Probability that each slice is weak, (C,).
    draws, missed
        Accuracy of each of these arms, and its shortfall from the bar in pool rows, (A, S).
    weight
        Pool rows of each, (A,).
    fdr
        Expected share of false alarms among the slices.
    """
    live = every.over(held)
    size = live.sums(weight)
    n_covers = np.zeros(weight.size, dtype=np.int64)
    taken: list[int] = []
    chances: list[float] = []
    while True:
        free = np.flatnonzero(n_covers == 0)
        missing, news = live.sums(missed[free], free), live.sums(weight[free], free)
        for each in taken:
            inner, own = every.inside(each), np.flatnonzero(live.members(each) & (n_covers == 1))
            level = weight[own] @ draws[own] / max(weight[own].sum(), 1.0)
            deeper = weight[own, None] * (level - _DEEPER - draws[own])
            missing[inner] = live.part(inner).sums(deeper, own)
            news[inner] = live.part(inner).sums(weight[own], own)
        chance = np.minimum(whole, np.mean(missing > 0.0, axis=1))
        expected = missing.mean(axis=1)
        is_sure = (sum(chances) + chance) / (len(chances) + 1) >= 1.0 - fdr
        is_fit = is_sure & (chance >= _LEAST_CHANCE) & (news >= _NEW_SHARE * size)
        is_fit &= expected > 0.0
        is_fit[taken] = False
        if not is_fit.any():
            return taken
        best = int(np.argmax(np.where(is_fit, expected, -np.inf)))
        taken.append(best)
        chances.append(float(chance[best]))
        n_covers[live.listed(best)] += 1


def _check(below: float | None, margin: float, order: int, fdr: float, least_rows: float) -> None:
    if below is not None and not 0.0 < below <= 1.0:
        raise InputError(f"below must lie between 0 and 1; got {below}. Write 80% as 0.8.")
    if not 0.0 <= margin < 1.0:
        raise InputError(f"margin must lie in [0, 1); got {margin}. Write 5% as 0.05.")
    if order < 1:
        raise InputError(f"order must be at least 1 attribute; got {order}.")
    if not 0.0 < fdr < 1.0:
        raise InputError(f"fdr must lie between 0 and 1; got {fdr}. Write 10% as 0.1.")
    if not least_rows > 0.0:
        raise InputError(f"least_rows must be more than 0; got {least_rows}.")
