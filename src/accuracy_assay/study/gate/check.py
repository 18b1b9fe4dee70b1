"""``check``: whether a surface holds what a release asks for, and whether more labels would tell.

Notation: Q slices, each with a margin x_q to the bar (``study.gate.margins``), of mean m_q and
spread s_q, known by S joint draws. With confidence c and k checks

    pass   P(all x_q >= 0 over the slices that must be shown) >= c
    fail   m_q + z s_q < 0 for some q, with z such that all x_q are at most m_q + z s_q at once
           with probability 1 - (1 - c) / (k f)
    else   not enough labels

with one z for each of f families of slices (``Margins.family``). If every margin truly is at least
zero, all checks together fail at most 1 - c of the time, however many slices and checks there are.
A gate that should not pass has a check that should not, so passing needs no such correction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.numerics.intervals.simultaneous import (
    all_positive,
    reach_above,
    spread_above,
)
from accuracy_assay.reports.checks import Check, Finding, Gate, Verdict
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.gate.labels_to_settle import labels_to_settle
from accuracy_assay.study.gate.margins import Margins, margins_of
from accuracy_assay.study.gate.requirement import DEFAULTS, Bar, Requirement, requirements
from accuracy_assay.study.gate.words import remarks_on, says

__all__ = ["Forecast", "check", "check_all"]

Forecast: TypeAlias = Callable[[float, Mapping[str, object] | None], int | None]
"""Maps a half-width and attribute values to how many more labels it takes."""

_LEAST_SPREAD = 1e-12
"""Smallest spread of a slice: a known one has zero, which must not divide."""


def check(
    surface: AccuracySurface,
    *,
    min: float | None = None,
    max_gap: float | None = None,
    no_slice_below: float | None = None,
    not_worse_than: AccuracySurface | Comparison | None = None,
    by: float = DEFAULTS["by"],
    between: str | None = None,
    every_arm: bool = DEFAULTS["every_arm"],
    where: Mapping[str, object] | None = None,
    under: Rows | None = None,
    order: int = DEFAULTS["order"],
    confidence: float = DEFAULTS["confidence"],
    least_rows: float = DEFAULTS["least_rows"],
) -> Gate:
    """Check whether a surface holds what a release asks for.

    Parameters
    ----------
    surface
        The surface.
    min
        Least accuracy: over the pool as it is, for the arms ``where``, or ``under`` a mix.
    max_gap
        Largest difference between any two values of the attribute ``between``.
    no_slice_below
        Accuracy that no slice of up to ``order`` attributes may be below.
    not_worse_than, by
        An older surface, and how much accuracy may be lost against it; or a comparison of two
        services by ``compare``, the new one first. If the same labels scored both, it is judged
        row by row, which is surer. The whole must be shown not to be worse. Every value and every
        arm is watched: one that is surely worse fails the check.
    between
        Attribute whose values are compared; with ``not_worse_than`` each of them must be shown
        not to be worse, and nothing else is watched.
    every_arm
        Whether every arm must be shown not to be worse, rather than watched.
    where, under
        Attribute values, or a client's own mix, as in ``AccuracySurface.under``.
    order
        Most attributes that a slice names.
    confidence
        Posterior probability that decides.
    least_rows
        Fewest pool rows of a value, an arm or a slice that is checked.

    Returns
    -------
    Gate
        One check per bar; ``verdict`` is the worst of them.

    Raises
    ------
    InputError
        If no bar is given, an argument is out of range, or the surface lacks what is named.

    Examples
    --------
    >>> import polars as pl
    >>> from accuracy_assay import estimate
    >>> rows = pl.DataFrame({"sex": ["F", "M"] * 60, "right": [1, 1, 1, 0] * 30})
    >>> surface = estimate(rows, ["sex"], "right", estimator="beta-independent")
    >>> check(surface, min=0.6).verdict, check(surface, min=0.74).verdict
    ('pass', 'not enough labels')
    >>> check(surface, max_gap=0.1, between="sex").verdict
    'fail'
    """
    bars: dict[Bar, object] = {
        "min": min,
        "max_gap": max_gap,
        "no_slice_below": no_slice_below,
        "not_worse_than": not_worse_than,
    }
    options = {
        "by": by,
        "between": between,
        "every_arm": every_arm,
        "where": where,
        "under": under,
        "order": order,
        "confidence": confidence,
        "least_rows": least_rows,
    }
    old = not_worse_than.names[1] if isinstance(not_worse_than, Comparison) else None
    return check_all(surface, requirements(bars, options, old_name=old))


def check_all(
    surface: AccuracySurface, asked: Sequence[Requirement], forecast: Forecast | None = None
) -> Gate:
    """Check several requirements as one gate.

    Parameters
    ----------
    surface
        The surface.
    asked
        What it must hold.
    forecast
        Says how many more labels make the interval of the pool, or of the rows with some values,
        as narrow as a half-width. Without it, or if it returns None, a square-root law does.

    Raises
    ------
    InputError
        If there are none, or the surface lacks what one of them names.
    """
    if not asked:
        raise InputError("a gate must have a check; got none.")
    if surface.is_error:
        raise InputError(
            f"a gate must be of a measure of which more is better; got {surface.measure}. Measure "
            "the rate of right answers instead, such as true-negative-rate."
        )
    judged = tuple(_judge(surface, each, len(asked), forecast) for each in asked)
    return Gate(judged, surface.n_labels, surface.target, surface.about)


def _judge(
    surface: AccuracySurface, asked: Requirement, n_checks: int, forecast: Forecast | None
) -> Check:
    """Return what one of several checks found."""
    margins = margins_of(surface, asked)
    shown = np.flatnonzero(margins.is_shown)
    if not shown.size or not margins.labels:
        return _nothing_to_judge(asked, margins)
    above = _reaches_above(margins, 1.0 - (1.0 - asked.confidence) / n_checks)
    highest = margins.mean + above
    failed = np.flatnonzero(highest < 0.0)
    judged = margins.judged[:, shown]
    chance, is_sure = all_positive(judged, margins.mean[shown], asked.confidence)
    verdict: Verdict = "fail" if failed.size else "pass" if is_sure else "not enough labels"
    nearest = shown[np.argmin(_standard(margins, shown))]
    at = failed[np.argsort(highest[failed])] if failed.size else np.array([nearest])
    findings = tuple(_finding(margins, int(q), surface.level, highest) for q in at)
    more = None
    if verdict == "not enough labels":
        below = _reach(-judged, -margins.mean[shown], asked.confidence)
        more = labels_to_settle(
            margins.mean[shown], below, above[shown], margins.labels, margins.pool
        )
        if forecast is not None and more is not None and asked.bar == "min":
            reach = float((below if more[1] else above[shown])[0])
            share = abs(float(margins.mean[shown][0])) / reach
            more = _forecast_labels(asked, findings[0], share, forecast) or more[0], more[1]
    return Check(
        name=asked.name or asked.asks,
        asks=asked.asks,
        verdict=verdict,
        confidence=asked.confidence,
        chance=chance,
        findings=findings,
        n_places=margins.count(),
        thin=tuple(margins.slices.thin),
        labels_to_settle=None if more is None else more[0],
        would_be=None if more is None else "pass" if more[1] else "fail",
        says=says(asked, margins, verdict, chance, findings, more),
        remarks=remarks_on(asked, margins, verdict),
    )


def _forecast_labels(
    asked: Requirement, now: Finding, share: float, forecast: Forecast
) -> int | None:
    """Return the labels that narrow an interval to a share of its width; None for a mix."""
    if asked.under is not None:
        return None
    return forecast(share * (now.upper - now.lower) / 2.0, asked.where)


def _reaches_above(margins: Margins, confidence: float) -> FloatArray:
    """Return how far above its mean each slice may lie, all at once, (Q,).

    Each family of slices has an equal share of the error.
    """
    families = np.unique(margins.family)
    within = 1.0 - (1.0 - confidence) / families.size
    above = np.zeros(margins.mean.shape)
    for family in families:
        of = margins.family == family
        above[of] = _reach(margins.judged[:, of], margins.mean[of], within)
    return above


def _reach(draws: FloatArray, mean: FloatArray, confidence: float) -> FloatArray:
    return reach_above(draws, mean, confidence) * spread_above(draws, mean)


def _nothing_to_judge(asked: Requirement, margins: Margins) -> Check:
    said = "no label yet"
    if margins.labels:
        many = "two values" if asked.bar == "max_gap" else "slice"
        said = f"no {many} with {asked.least_rows:g} or more pool rows to check"
    return Check(
        name=asked.name or asked.asks,
        asks=asked.asks,
        verdict="not enough labels",
        confidence=asked.confidence,
        chance=0.0,
        findings=(),
        n_places=margins.count(),
        thin=tuple(margins.slices.thin),
        labels_to_settle=None,
        would_be=None,
        says=said,
        remarks=remarks_on(asked, margins, "not enough labels"),
    )


def _standard(margins: Margins, at: IntArray) -> FloatArray:
    """Return how many spreads each slice is above its bar, (len(at),)."""
    spread = spread_above(-margins.draws[:, at], -margins.mean[at])
    return np.asarray(margins.mean[at] / np.maximum(spread, _LEAST_SPREAD))


def _finding(margins: Margins, q: int, level: float, highest: FloatArray) -> Finding:
    tail = (1.0 - level) / 2.0
    ends = np.quantile(margins.draws[:, q], [tail, 1.0 - tail])
    lower, upper = sorted(margins.number(float(end)) for end in ends)
    mean = margins.number(float(margins.mean[q]))
    return Finding(
        margins.slices.names[q],
        mean,
        min(lower, mean),
        max(upper, mean),
        level,
        margins.number(float(highest[q])) if highest[q] < 0.0 else None,
        float(margins.slices.labels[q]),
        float(margins.slices.rows[q]),
    )
