"""How the expected error fell with the labels, and what the next labels will do.

Notation: E(n) is the error that the fit to n labels expects of itself, a mean square over arms
times 100. It falls as a power of n, E ~ n^-b; where H more labels would halve it
(``metrics.forecast``), E(n + m) = E(n) 2^(-log(1 + m / n) / log(1 + H / n)).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from accuracy_assay.session.assay import Assay
from accuracy_assay.session.status import expected_errors
from accuracy_assay.study.plan.plan import Forecast as Plan
from accuracy_assay.web.surface.values import About, Forecast, Point, Progress

__all__ = ["error_ahead", "progress_view"]

_POINTS_AHEAD = 24
"""Of the curve ahead: a curve of as many pieces looks smooth."""
_REACH_AHEAD = 1.25
"""How far past the halving the curve goes, so that one sees it pass."""
_TOO_EARLY = (
    "Too early to tell what the next labels will do: a forecast needs three fits, and labels that "
    "have made the expected error fall."
)
_SILENT = "This estimator does not say what error it expects of itself."


def progress_view(about: About, assay: Assay, plan: Plan | None = None) -> Progress:
    """Return the expected error so far and ahead, and the forecast for a goal if there is one."""
    status = assay.status()
    service = next(s for s in status.services if s.name == about.service)
    expected = expected_errors(assay.session, about.service)
    halve = service.labels_to_halve
    ahead: list[Point] = []
    if expected and halve is not None:
        last = max(expected)
        left = max(status.pool - status.labels, 0)
        steps = np.linspace(0.0, min(_REACH_AHEAD * halve, float(left)), _POINTS_AHEAD + 1)
        ahead = [
            Point(labels=last + m, error=error_ahead(last, expected[last], halve, m))
            for m in steps.tolist()
        ]
    return Progress(
        about=about,
        points=[Point(labels=n, error=error) for n, error in expected.items()],
        ahead=ahead,
        labels_to_halve=halve,
        spent=status.spent,
        batch=assay.spec.assay.batch,
        forecast=None if plan is None else _forecast(plan),
        remarks=_remarks(about, bool(expected), halve is not None),
    )


def error_ahead(n: float, error: float, halve: float, more: float) -> float:
    """Return the error to be expected after ``more`` labels beyond ``n``.

    Examples
    --------
    >>> error_ahead(100, 4.0, 100.0, 100.0), error_ahead(100, 4.0, 100.0, 300.0)
    (2.0, 1.0)
    """
    return float(error * 2.0 ** (-math.log1p(more / n) / math.log1p(halve / n)))


def _forecast(plan: Plan) -> Forecast:
    return Forecast(said=str(plan), **dataclasses.asdict(plan))


def _remarks(about: About, has_errors: bool, has_forecast: bool) -> list[str]:
    if has_forecast:
        return []
    return [_SILENT if about.labels and not has_errors and about.told > 0 else _TOO_EARLY]
