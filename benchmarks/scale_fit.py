"""How a cost grows: cost = c0 + c1 size^p, with the standard error of the exponent p.

The constant c0 is what every size pays, such as libraries in memory and the fit of a small model;
without it the exponent of a curve that starts flat would be too small. Residuals are those of the
logarithms, since what is measured is off by some per cent of itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from accuracy_assay.runtime.arrays import FloatArray

_LEAST_POINTS = 3
_STARTS = (0.5, 1.0, 2.0, 3.0)
"""Exponents from which the search starts; the best end counts."""

_MOST_EXPONENT = 6.0
_MOST_ERROR = 1.0
"""Of an exponent that is worth telling: with more, a constant and a square look alike."""

_LEAST_GROWTH = 1.2
"""Of the largest cost to the smallest: below it what was measured is noise about a constant."""


@dataclass(frozen=True, slots=True)
class Power:
    """cost = ``constant`` + ``factor`` size^``exponent``.

    Parameters
    ----------
    constant, factor, exponent
        What was fitted.
    standard_error
        Of the exponent; infinite where as many numbers are fitted as there are points.
    growth
        The largest of the costs, as a multiple of the smallest.
    """

    constant: float
    factor: float
    exponent: float
    standard_error: float
    growth: float

    def at(self, sizes: FloatArray) -> FloatArray:
        """Return the fitted cost of each size."""
        return np.asarray(self.constant + self.factor * sizes**self.exponent)

    def __str__(self) -> str:
        if self.growth < _LEAST_GROWTH:
            return "hardly grows"
        if math.isfinite(self.standard_error) and self.standard_error > _MOST_ERROR:
            return "no clear power"
        if not math.isfinite(self.standard_error):
            return f"{self.exponent:.2f}"
        return f"{self.exponent:.2f} ± {self.standard_error:.2f}"


def fit_power(sizes: Sequence[float], costs: Sequence[float], known: float = 0.0) -> Power | None:
    """Fit a power with a constant to a curve; None with fewer than three points.

    Parameters
    ----------
    sizes, costs
        The points.
    known
        Part of the constant that was measured apart; below every cost. Of three points nothing
        else of the constant is fitted, since they could not tell it from the power.

    Examples
    --------
    >>> sizes = [1.0, 10.0, 100.0, 1000.0, 10000.0]
    >>> print(fit_power(sizes, [2.0 + 0.01 * n for n in sizes]))
    1.00 ± 0.00
    """
    if len(sizes) < _LEAST_POINTS:
        return None
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(costs, dtype=np.float64) - known
    growth = float(max(costs) / min(costs))
    has_constant = x.size > _LEAST_POINTS
    middle = np.exp(np.log(x).mean())  # where factor and exponent are least entangled
    u = np.log(x / middle)

    def terms(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        grown = np.exp(theta[0] + theta[1] * u)
        return grown, grown + (theta[2] * y[0] if has_constant else 0.0)

    def residuals(theta: FloatArray) -> FloatArray:
        return np.asarray(np.log(terms(theta)[1]) - np.log(y))

    lower, upper = [-np.inf, 0.0, 0.0], [np.inf, _MOST_EXPONENT, 1.0]
    n = 3 if has_constant else 2
    ends = [
        least_squares(
            residuals, [np.log(y).mean(), p, 0.5][:n], bounds=(lower[:n], upper[:n]), xtol=1e-12
        )
        for p in _STARTS
    ]
    best = min(ends, key=lambda end: float(end.cost))
    level, exponent = float(best.x[0]), float(best.x[1])
    constant = known + (float(best.x[2]) * float(y[0]) if has_constant else 0.0)
    factor = math.exp(level - exponent * math.log(middle))
    return Power(constant, factor, exponent, _standard_error(best.jac, best.fun), growth)


def _standard_error(jacobian: FloatArray, residual: FloatArray) -> float:
    """Return that of the exponent, by the curvature of the squared residuals."""
    spare = residual.size - jacobian.shape[1]
    if spare <= 0:
        return math.inf
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * (residual @ residual) / spare
    return float(np.sqrt(covariance[1, 1]))
