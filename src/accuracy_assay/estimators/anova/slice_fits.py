"""Fits with effects of slices: which sets the labels ask for, and theta beside the best.

Notation: J observed cells, R label rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.subcubes import SubCubes
from accuracy_assay.estimators.anova.label_rows import LabelRows
from accuracy_assay.estimators.anova.slice_search import likely_effects, searched_slices
from accuracy_assay.numerics.gp.marginal_likelihood import (
    Begun,
    FittedGP,
    begin_at,
    maximise_marginal,
)
from accuracy_assay.numerics.gp.slice_effects import SliceEffect, with_effects

__all__ = [
    "MOST_CELLS_FOR_NODES",
    "begin_refit",
    "over_sets",
    "refit",
    "rows_for_theta",
    "with_slices",
]

# Most observed cells that theta is learned from. Chosen by hand: the search is cubic in them, and
# theta has so few entries that more cells hardly move it.
_MOST_CELLS_FOR_THETA = 1536
# The same for mixtures, whose mode takes five to seven factors instead of two or three.
_MOST_MIXED_CELLS_FOR_THETA = 640
# Most observed cells for which theta and sets of slice effects are integrated out: with more, each
# fit around the best is expensive, and hardly any of them counts.
MOST_CELLS_FOR_NODES = 1536
# Searches for slices: each may add to, or replace, those that the one before found.
_MOST_SEARCHES = 3
# How much quieter, in natural logs of a variance, theta is at which slices are searched too. In
# made worlds planted pairs doubled or trebled the variances of what they look like.
_QUIETER = 1.0
# Log evidence that learning theta anew may add to a set of effects, one to three in those worlds:
# theta is not learned beside sets that are farther behind.
_PROMISING = 2.0
# Sets of effects less probable than the best by this factor are left out: each is another fit.
_FAR_BELOW = float(np.log(10.0))


def with_slices(support: Support, rows: LabelRows, base: FittedGP, steps: int) -> list[FittedGP]:
    """Return fits with the likely sets of slice effects, the best first.

    Without effects there is one fit: effects count only if some are more probable than none. theta
    is learned beside the best set, in ``steps``; the fits on the way there keep their own.
    """
    cubes = searched_slices(support, rows)
    if cubes is None:
        return [base]
    best, tried = base, {base.effects: base}
    for _ in range(_MOST_SEARCHES):
        other = _next_set(cubes, best, rows, steps)
        if other is None or other.effects in tried:
            break
        tried[other.effects] = other
        if other.value <= best.value:
            break
        best = other
    if not best.effects:
        return [base]
    if rows.cells.size <= MOST_CELLS_FOR_NODES:
        for each in likely_effects(cubes, best):
            if each.effects not in tried:
                tried[each.effects] = refit(best, rows, each.effects)
    others = [fit for fit in tried.values() if fit is not best]
    return [best, *(fit for fit in others if fit.value > best.value - _FAR_BELOW)]


def _next_set(cubes: SubCubes, fitted: FittedGP, rows: LabelRows, steps: int) -> FittedGP | None:
    """Return a fit with another set of effects if one looks better than that of ``fitted``.

    An effect that the model lacks looks like arms that differ in every way, and theta has adapted
    to it. So if theta is learned, slices are searched at a quieter theta too.
    """
    fits = [fitted]
    if steps:
        quiet = fitted.theta - _QUIETER * fitted.layout.between_arms
        fits.append(refit(replace(fitted, theta=quiet), rows, fitted.effects))
    found = [
        (fit.value + each.log_weight, fit, each.effects)
        for fit in fits
        for each in likely_effects(cubes, fit)
        if each.effects != fit.effects
    ]
    if not found:
        return None
    value, start, effects = max(found, key=lambda each: each[0])
    if value <= fitted.value - _PROMISING:
        return None
    return refit(start, rows, effects, steps)


def rows_for_theta(rows: LabelRows) -> LabelRows:
    """Return the rows that theta is learned from: all of them if their cells are few."""
    return rows.part(_MOST_CELLS_FOR_THETA if rows.P is None else _MOST_MIXED_CELLS_FOR_THETA)


def refit(
    fitted: FittedGP, rows: LabelRows, effects: tuple[SliceEffect, ...], steps: int = 0
) -> FittedGP:
    """Return the fit at its theta with other effects; with ``steps``, theta is learned again."""
    if not steps or rows_for_theta(rows) is not rows:
        return begin_refit(fitted, rows, effects).finish()
    cells, labels = with_effects(fitted.cells, effects), rows.as_labels()
    made = maximise_marginal(
        cells,
        labels,
        fitted.layout,
        [fitted.theta],
        max_steps=steps,
        guess=np.asarray(fitted.mode.g),
    )
    return _with_odds(made, effects)


def begin_refit(fitted: FittedGP, rows: LabelRows, effects: tuple[SliceEffect, ...]) -> Begun:
    """Return the begun fit at its theta with other effects."""
    cells, start = with_effects(fitted.cells, effects), np.asarray(fitted.mode.g)
    begun = begin_at(fitted.theta, cells, rows.as_labels(), start, fitted.layout)
    value = begun.value + _log_odds(effects)
    return Begun(value, lambda: _with_odds(begun.finish(), effects))


def _with_odds(made: FittedGP, effects: tuple[SliceEffect, ...]) -> FittedGP:
    """Return the fit with its effects and their prior odds."""
    return replace(made, effects=effects, value=made.value + _log_odds(effects))


def _log_odds(effects: tuple[SliceEffect, ...]) -> float:
    return sum(each.log_odds for each in effects)


def over_sets(
    weighed: list[tuple[FittedGP, float]], others: list[FittedGP]
) -> list[tuple[FittedGP, float]]:
    """Return weighted fits over sets of slice effects too, not only over thetas.

    ``weighed`` are fits with the best set at several thetas. Each of the others has one theta, and
    the weight that its set has at its best.
    """
    value = np.array([weighed[0][0].value, *(fit.value for fit in others)])
    share = np.exp(value - value.max())
    share /= share.sum()
    mixed = [(fit, weight * float(share[0])) for fit, weight in weighed]
    return mixed + list(zip(others, share[1:].tolist(), strict=True))
