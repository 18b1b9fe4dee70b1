"""What answers of a crowd are worth, by the items whose truth is known.

People who answer alike may be wrong alike, so what their answers say of an item is calibrated. Let
s be how a service stands with people on it (`accuracy_assay.numerics.crowd.standing`). Then

    P(right | s) = sigmoid(a + b s),    a ~ N(0, 10^2), b ~ N(1, 1.5^2)

is fitted to the items with a gold answer (n,). The posterior of (a, b) is taken as normal, with
the covariance of the Laplace approximation.

Notation: s (N,) standings of items, right (n,) scores in [0, 1] of those with gold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["CrowdCalibration", "calibrate_crowd"]

_PRIOR_MEAN, _PRIOR_SD = np.asarray([0.0, 1.0]), np.asarray([10.0, 1.5])
"""Of a and b. Little is known of a; docs/decisions/0016 has priors of b."""
_STEPS = 50
"""Newton's steps at most; ten are enough."""
_SMALLEST = 1e-3
"""Smallest part of a Newton step that is tried."""
_GROUP_SD = 0.4
"""Deviation of the intercept between groups of items, an assumption: gold is too little to measure
it. Without it, 90% intervals of groups of three real crowds held in 83% of 25 draws each; with 0.5
in 94% of 40."""
_MOST_GROUPS = 8
"""Most values of an attribute that may differ in it; each takes room in a file."""
_MOST = 30.0
"""Largest log-odds: beyond, a probability is one to thirteen digits."""


@dataclass(frozen=True, eq=False)
class CrowdCalibration:
    """How probable it is that a service is right, given how it stands with a crowd.

    ``ab`` (2,) are the coefficients; ``root`` (2, 2) is a root of their covariance, whose columns
    are directions of doubt.
    """

    ab: FloatArray
    root: FloatArray

    def chance(self, s: FloatArray, away: FloatArray | None = None) -> FloatArray:
        """Return the probability that the service is right, for each standing.

        ``away`` (2,) moves the coefficients along the directions of doubt.
        """
        a, b = self.ab if away is None else self.ab + self.root @ away
        return _sigmoid(a + b * s)

    def directions(self, s: FloatArray, group: IntArray | None = None) -> FloatArray:
        """Return by how much the chances may err, in independent directions, (D, n).

        Each is one standard deviation: of the coefficients, and, with groups (n, G) of items, of
        what answers are worth in each group.
        """
        own = [(self.chance(s, step) - self.chance(s, -step)) / 2.0 for step in np.eye(2)]
        if group is None:
            return np.stack(own)
        p = self.chance(s)
        loose = _GROUP_SD * p * (1.0 - p)
        each = (loose * (codes == value) for codes in group.T for value in _most(codes))
        return np.stack([*own, *each])

    def explained(self, s: FloatArray) -> float:
        """Return the share of the variance of right and wrong that the crowd explains."""
        p = self.chance(s)
        middle = float(p.mean())
        return float(np.clip(p.var() / (middle * (1.0 - middle)), 0.0, 1.0))


def calibrate_crowd(s: FloatArray, right: FloatArray) -> CrowdCalibration:
    """Return what standings are worth, given items with known scores.

    Examples
    --------
    >>> s = np.linspace(-4.0, 2.0, 200)
    >>> right = (np.arange(200) % 10 < 8).astype(float)  # whatever people say
    >>> calibrate_crowd(s, right).chance(np.array([-4.0, 2.0])).round(1).tolist()
    [0.8, 0.8]
    """
    design = np.stack([np.ones(s.size), s], axis=1)
    ab = np.zeros(2)
    for _ in range(_STEPS):
        p = _sigmoid(design @ ab)
        slope = design.T @ (right - p) - (ab - _PRIOR_MEAN) / _PRIOR_SD**2
        step = np.linalg.solve(_precision(design, p), slope)
        size, before = 1.0, _log(design, right, ab)
        while size > _SMALLEST and _log(design, right, ab + size * step) < before:
            size /= 2.0
        ab = ab + size * step
        if np.abs(step).max() < np.finfo(float).eps ** 0.5:
            break
    covariance = np.linalg.inv(_precision(design, _sigmoid(design @ ab)))
    return CrowdCalibration(ab, np.linalg.cholesky(covariance))


def _most(codes: IntArray) -> IntArray:
    """Return the values with the most items."""
    values, count = np.unique(codes, return_counts=True)
    return np.asarray(values[np.argsort(-count, kind="stable")[:_MOST_GROUPS]])


def _precision(design: FloatArray, p: FloatArray) -> FloatArray:
    return np.asarray((design.T * (p * (1.0 - p))) @ design + np.diag(_PRIOR_SD**-2.0))


def _log(design: FloatArray, right: FloatArray, ab: FloatArray) -> float:
    z = design @ ab
    fit = (right * z - np.logaddexp(0.0, z)).sum()
    return float(fit - 0.5 * (((ab - _PRIOR_MEAN) / _PRIOR_SD) ** 2).sum())


def _sigmoid(z: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(z, -_MOST, _MOST))))
