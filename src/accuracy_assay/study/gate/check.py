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
from dataclasses import dataclass
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
from accuracy_assay.study.gate.judge_slack import judge_slack
from accuracy_assay.study.gate.labels_to_settle import labels_there, labels_to_settle, rounded
from accuracy_assay.study.gate.margins import Margins, margins_of
from accuracy_assay.study.gate.requirement import DEFAULTS, Bar, Requirement, requirements
from accuracy_assay.study.gate.words import better_places, places, remarks_on, says

__all__ = ["LabelsFor", "check", "check_all"]

LabelsFor: TypeAlias = Callable[[float, Mapping[str, object] | None], int | None]
"""Maps a half-width and attribute values to how many more labels it takes."""

_LEAST_SPREAD = 1e-12
"""Smallest spread of a slice: a known one has zero, which must not divide."""
_MOST_NAMED, _MOST_WATCHED = 5, 3
"""Most slices named that must be shown to hold, and that are watched."""
_MOST_FOUND, _MOST_LOOKED_AT = 100, 200
"""Most slices that failed, or got better, with their own intervals, and most that are looked at
for the likeliest: an interval takes milliseconds, and slices may be many thousands."""
_MOST = 0.5
"""A slice of which a larger share is in another says little that the other does not."""


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
    strict: bool = False,
    forecast: LabelsFor | None = None,
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
    strict
        Whether the gate fails if there are not enough labels.
    forecast
        Returns how many more labels make an interval as narrow as a half-width; by default a
        square-root law does. `Assay.check` gives that of its session.

    Returns
    -------
    Gate
        One `Check` per bar; ``verdict`` is the worst of them. ``print`` shows it in words, as
        ``assay check`` does.

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
    return check_all(surface, requirements(bars, options, old_name=old), forecast, strict=strict)


def check_all(
    surface: AccuracySurface,
    asked: Sequence[Requirement],
    forecast: LabelsFor | None = None,
    *,
    strict: bool = False,
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
    strict
        Whether the gate fails if there are not enough labels.

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
    if surface.graded_by_model is not None:
        raise InputError(
            "a check on the scores of a judge alone must have its certificate; got "
            f"{surface.graded_by_model.score} and no labels of people. Certify it from blind "
            "labels (certify, assay judges --certificate), and check judged_surface or with "
            "--judge-certificate."
        )
    judged = tuple(_judge(surface, each, len(asked), forecast) for each in asked)
    missing = "; ".join(surface.said_of_rows)
    about = surface.target, surface.about, missing
    worth = surface.label_count.worth
    return Gate(judged, surface.n_labels, strict, *about, worth, surface.frames)


def _judge(
    surface: AccuracySurface, asked: Requirement, n_checks: int, forecast: LabelsFor | None
) -> Check:
    """Return what one of several checks found."""
    margins = margins_of(surface, asked)
    # What labels that nothing verifies, or a judge, may be off by neither fails nor passes it.
    slack = judge_slack(surface, margins.slices.weight)
    if surface.label_trust is not None and not margins.is_difference:
        slack = slack + surface.label_trust.slack
    shown = np.flatnonzero(margins.is_shown)
    if not shown.size or not margins.labels:
        return _nothing_to_judge(asked, margins)
    sure = 1.0 - (1.0 - asked.confidence) / n_checks
    above = _reaches(margins.judged, margins.mean, margins.family, sure)
    failed = np.flatnonzero(margins.mean + above < -slack)
    judged = margins.judged[:, shown]
    least = judged - slack[shown], margins.mean[shown] - slack[shown]
    chance, is_sure = all_positive(*least, asked.confidence)
    verdict: Verdict = "fail" if failed.size else "pass" if is_sure else "not enough labels"
    is_unverified = verdict == "not enough labels" and bool((slack > 0.0).any())
    is_by_judge = surface.judge_share is not None and surface.label_trust is None
    below = np.zeros(margins.mean.shape)
    below[shown] = _reach(-judged, -margins.mean[shown], asked.confidence)
    reaches = _Reaches(margins, above, below, surface.level)
    is_single = margins.count(margins.is_shown) == 1
    findings = _named(reaches, failed, verdict, is_single=is_single)
    better, n_better = reaches.better(sure, asked.limit) if margins.is_difference else ((), 0)
    more = None
    if verdict == "not enough labels" and not is_unverified:
        more = labels_to_settle(
            margins.mean[shown], below[shown], above[shown], margins.labels, margins.pool
        )
        if forecast is not None and more is not None and asked.bar == "min":
            reach = float((below if more[1] else above)[shown][0])
            share = abs(float(margins.mean[shown][0])) / reach
            more = _forecast_labels(asked, findings[0], share, forecast) or more[0], more[1]
    said = chance if is_single and not margins.is_gap else None
    others = findings[1:] if is_single or verdict != "not enough labels" else findings
    return Check(
        name=asked.name or asked.asks,
        asks=asked.asks,
        verdict=verdict,
        confidence=asked.confidence,
        chance=said,
        findings=findings,
        better=better,
        n_failed=failed.size,
        n_better=n_better,
        n_places=margins.count(),
        thin=tuple(margins.slices.thin),
        labels_to_settle=None if more is None else more[0],
        would_be=None if more is None else "pass" if more[1] else "fail",
        says=says(
            *(asked, margins, verdict, said, findings, more),
            is_unverified=is_unverified,
            is_by_judge=is_by_judge,
        ),
        places=(
            *places(asked, margins, verdict, others, failed.size),
            *better_places(margins, better, n_better),
        ),
        remarks=remarks_on(asked, margins, verdict),
    )


def _forecast_labels(
    asked: Requirement, now: Finding, share: float, forecast: LabelsFor
) -> int | None:
    """Return the labels that narrow an interval to a share of its width; None for a mix."""
    if asked.under is not None:
        return None
    found = forecast(share * (now.upper - now.lower) / 2.0, asked.where)
    return None if found is None else rounded(found)


@dataclass(frozen=True, eq=False)
class _Reaches:
    """Margins, and how far the truth of each may lie above and below its mean, (Q,)."""

    margins: Margins
    above: FloatArray
    below: FloatArray
    level: float

    def finding(self, q: int, bound: float | None = None) -> Finding:
        """Return one slice with its own interval, and the margin that bounds it."""
        margins = self.margins
        mean = float(margins.mean[q])
        number = margins.number(mean)
        lower, upper = margins.interval(q)
        return Finding(
            margins.slices.names[q],
            number,
            min(lower, number),
            max(upper, number),
            self.level,
            None if bound is None else margins.number(bound),
            float(margins.slices.labels[q]),
            float(margins.slices.rows[q]),
            None if bound is not None else self._labels_there(q),
        )

    def nearest(self, among: IntArray) -> Finding:
        """Return the slice whose lower bound is the lowest."""
        lowest = (self.margins.mean - self.below)[among]
        return self.finding(int(among[np.argmin(lowest)]))

    def likeliest(self, among: IntArray, count: int) -> list[Finding]:
        """Return the slices that are likeliest to miss the bar, the likeliest first.

        After the first, only those whose own interval reaches beyond the bar. One of which most
        is in a slice already taken, or the other way round, is left out.
        """
        margins = self.margins
        spread = spread_above(-margins.draws[:, among], -margins.mean[among])
        standard = margins.mean[among] / np.maximum(spread, _LEAST_SPREAD)
        taken: dict[int, Finding] = {}
        for q in among[np.argsort(standard, kind="stable")][:_MOST_LOOKED_AT].tolist():
            if len(taken) == count:
                break
            if any(_is_mostly(margins, q, other) for other in taken):
                continue
            found = self.finding(q)
            if taken and not self._is_doubtful(found):
                break
            taken[q] = found
        return list(taken.values())

    def _is_doubtful(self, found: Finding) -> bool:
        """Return whether the interval of a slice reaches beyond the bar."""
        bar = self.margins.number(0.0)
        return found.upper > bar if self.margins.is_gap else found.lower < bar

    def better(self, confidence: float, lost: float) -> tuple[tuple[Finding, ...], int]:
        """Return what is surely better, and how many: margins above what may be lost."""
        margins = self.margins
        gain = _reaches(-margins.judged, -margins.mean, margins.family, confidence)
        lowest = margins.mean - gain
        at = np.flatnonzero(lowest > lost)
        first = at[np.argsort(-lowest[at], kind="stable")][:_MOST_FOUND]
        return tuple(self.finding(q, float(lowest[q])) for q in first.tolist()), at.size

    def _labels_there(self, q: int) -> int | None:
        margins, mean = self.margins, float(self.margins.mean[q])
        rows, labels = margins.slices.rows[q], margins.slices.labels[q]
        is_pool = margins.pool is not None
        return labels_there(
            mean,
            float((self.above if mean < 0.0 else self.below)[q]),
            float(margins.draws[:, q].var()),
            float(margins.unit[q]),
            (float(rows), float(max(rows - labels, 0.0))) if is_pool else None,
        )


def _named(
    reaches: _Reaches, failed: IntArray, verdict: Verdict, *, is_single: bool
) -> tuple[Finding, ...]:
    """Return the slices that a check names: those that failed, or the likeliest."""
    margins = reaches.margins
    if verdict == "fail":
        highest = margins.mean + reaches.above
        at = failed[np.argsort(highest[failed], kind="stable")][:_MOST_FOUND]
        return tuple(reaches.finding(q, float(highest[q])) for q in at.tolist())
    shown = np.flatnonzero(margins.is_shown)
    doubtful = np.flatnonzero(~margins.is_shown & (margins.mean < 0.0))
    watched = reaches.likeliest(doubtful, _MOST_WATCHED)
    if verdict == "pass":
        return (reaches.nearest(shown), *watched)
    return (*reaches.likeliest(shown, 1 if is_single else _MOST_NAMED), *watched)


def _is_mostly(margins: Margins, q: int, other: int) -> bool:
    """Return whether most of one slice is in another, or most of that in it."""
    if margins.is_gap:
        return False
    own, its = margins.slices.share(q), margins.slices.share(other)
    return bool(max(own[its > 0.0].sum(), its[own > 0.0].sum()) > _MOST)


def _reaches(
    draws: FloatArray, mean: FloatArray, family: IntArray, confidence: float
) -> FloatArray:
    """Return how far above its mean each slice may lie, all at once, (Q,).

    Each family of slices has an equal share of the error.
    """
    families = np.unique(family)
    within = 1.0 - (1.0 - confidence) / families.size
    above = np.zeros(mean.shape)
    for each in families:
        of = family == each
        above[of] = _reach(draws[:, of], mean[of], within)
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
        chance=None,
        findings=(),
        better=(),
        n_failed=0,
        n_better=0,
        n_places=margins.count(),
        thin=tuple(margins.slices.thin),
        labels_to_settle=None,
        would_be=None,
        says=said,
        remarks=remarks_on(asked, margins, "not enough labels"),
    )
