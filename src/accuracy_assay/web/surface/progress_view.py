"""How the expected error has fallen with labels, and what the next labels will do.

Notation: E(n) is the error that a fit to n labels expects of itself, a mean square over arms times
100; its root says how far a typical arm is off. It falls as a power of n, E ~ n^-b. If H more
labels halve it (``metrics.labels_to_halve``),

    E(n + m) = E(n) 2^(-log(1 + m / n) / log(1 + H / n)).
"""

from __future__ import annotations

import dataclasses
import math
from typing import get_args

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.goals import GOALS, GoalName
from accuracy_assay.metrics.known_to import known_to
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.status import Status, expected_errors, recorded_closeness
from accuracy_assay.study.plan.forecast import Forecast as PlanForecast
from accuracy_assay.web.surface.values import About, Forecast, Point, Progress

__all__ = ["error_ahead", "progress_view"]

_POINTS_AHEAD = 24
"""Points of the forecast curve: enough to look smooth."""
_REACH_AHEAD = 1.25
"""How far past the halving the curve goes, so that it is visible."""
_TOO_EARLY = (
    "Too early to forecast: that needs three fits, and labels that have made the expected error "
    "fall."
)
_SILENT = "This estimator does not report its expected error."


def progress_view(
    about: About,
    assay: Assay,
    status: Status,
    forecast: PlanForecast | None = None,
    surface: AccuracySurface | None = None,
) -> Progress:
    """Return the expected error so far and ahead, and the forecast for a goal, if any.

    Fits that nobody watched recorded only what they expect of themselves; the latest one is at
    hand, so how closely it knows the whole is read off it.
    """
    service = next(s for s in status.services if s.name == about.service)
    expected = expected_errors(assay.session, about.service)
    known = recorded_closeness(assay.session, about.service)
    n_fitted = 0 if surface is None else round(surface.n_labels)
    if surface is not None and n_fitted in expected.keys() - known.keys():
        known[n_fitted] = known_to(surface)
    halve = service.labels_to_halve
    ahead: list[Point] = []
    if expected and halve is not None:
        last = max(expected)
        left = max(status.pool - status.labels, 0)
        steps = np.linspace(0.0, min(_REACH_AHEAD * halve, float(left)), _POINTS_AHEAD + 1)
        ahead = [
            _point(last + m, error_ahead(last, expected[last], halve, m)) for m in steps.tolist()
        ]
    remarks = [_SILENT if about.labels and about.told and not expected else _TOO_EARLY]
    return Progress(
        about=about,
        points=[_point(n, error, *known.get(n, ())) for n, error in expected.items()],
        ahead=ahead,
        labels_to_halve=halve,
        spent=status.spent,
        batch=assay.spec.assay.batch,
        goal=status.goal,
        goals={name: GOALS[name] for name in get_args(GoalName)},
        forecast=None if forecast is None else _with_words(forecast),
        remarks=remarks if halve is None else [],
    )


def _point(
    labels: float, error: float, overall: float | None = None, a_slice: float | None = None
) -> Point:
    typical = math.sqrt(error / 100.0)
    return Point(labels=labels, error=error, typical=typical, overall=overall, slice=a_slice)


def _with_words(forecast: PlanForecast) -> Forecast:
    return Forecast(**dataclasses.asdict(forecast), said=str(forecast))


def error_ahead(n: float, error: float, halve: float, more: float) -> float:
    """Return the expected error after ``more`` labels beyond ``n``.

    Examples
    --------
    >>> error_ahead(100, 4.0, 100.0, 100.0), error_ahead(100, 4.0, 100.0, 300.0)
    (2.0, 1.0)
    """
    return float(error * 2.0 ** (-math.log1p(more / n) / math.log1p(halve / n)))
