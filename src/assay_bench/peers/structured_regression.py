"""``structured-regression``: a lasso over main effects and interactions of the attributes.

    minimise  sum_a n_a / s2 (y_a - mu - x_a' theta)^2 / 2 + lambda ||theta||_1

x_a holds one indicator for every value of an attribute and every combination of values of two
(up to ``order``), so that an arm borrows from arms that share its values and interactions appear
only where the labels ask for them (Herlihy, Truong, Chouldechova and Dudik, 2024). lambda is the
one of least Mallows' Cp, in which the degrees of freedom of a lasso are the rank of its nonzero
effects; unlike cross-validation it does not depend on the order of the arms. The interval is that
of weighted least squares on the nonzero effects: it knows nothing of the choice among them, nor of
what they do not explain, and tends to be too narrow. Free signals are not used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import lasso_path

from accuracy_assay import AccuracySurface, AttributeSpace
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.peers.effects import group_of, subsets_of_sizes
from assay_bench.peers.normal_arms import (
    ArmMeans,
    build_surface,
    surface_without_labels,
)

__all__ = ["StructuredRegression"]


# The path of lambda: 60 values evenly in logs from the first that allows an effect down to a
# thousandth of it, where hardly anything is penalised. Chosen by hand; scikit-learn has 100.
_N_LAMBDAS = 60
_SMALLEST_LAMBDA = 1e-3
# Limit and tolerance of the coordinate descent. Chosen by hand, more patient than scikit-learn's
# 1,000 and 1e-4: indicators of interactions are nearly collinear, and it then moves slowly.
_STEPS = 20_000
_TOLERANCE = 1e-5
# Indicators that correlate with no residual: all arms have the same mean, up to rounding.
_NOTHING = 1e-12
# Arms predicted at a time: a memory bound, 4,096 rows of indicators.
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class StructuredRegression:
    """Estimate arms by a lasso on their attribute values.

    Parameters
    ----------
    order
        Most attributes in one interaction; 1 keeps main effects only.
    level
        Probability of the intervals.
    """

    order: int = 2
    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the fitted surface given ``observations``."""
        seen = ArmMeans.of_arms(observations)
        if not seen.n.size:
            return surface_without_labels(observations, "structured-regression", self.level)
        design = _Design.of(observations.space, self.order, seen.index)
        theta, center = _least_cp(design.matrix(seen.index), seen)
        chosen = np.flatnonzero(theta)
        mu = float(np.average(seen.y, weights=seen.n))
        X = design.matrix(seen.index)[:, chosen] - center[chosen]
        spread = np.linalg.pinv((X * seen.n[:, None]).T @ X, hermitian=True) * seen.noise
        arms = observations.support.listed_arms
        mean, variance = np.empty(arms.size), np.empty(arms.size)
        for start in range(0, arms.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            x = design.matrix(arms[part])[:, chosen] - center[chosen]
            mean[part] = mu + x @ theta[chosen]
            variance[part] = np.einsum("ij,jk,ik->i", x, spread, x) + seen.noise / seen.n.sum()
        return build_surface(
            observations,
            "structured-regression",
            mean,
            np.sqrt(np.maximum(variance, 0.0)),
            self.level,
            details={"effects": int(chosen.size)},
        )


@dataclass(frozen=True)
class _Design:
    """Indicators of the value combinations that were observed."""

    space: AttributeSpace
    subsets: tuple[tuple[int, ...], ...]
    observed: tuple[IntArray, ...]

    @classmethod
    def of(cls, space: AttributeSpace, order: int, arms: IntArray) -> _Design:
        highest = min(order, len(space.attributes))
        subsets = tuple(subsets_of_sizes(len(space.attributes), range(1, highest + 1)))
        return cls(space, subsets, tuple(np.unique(group_of(space, s, arms)) for s in subsets))

    def matrix(self, arms: IntArray) -> FloatArray:
        """Return x_a for each arm; a combination that was never observed has no indicator."""
        blocks = [
            group_of(self.space, subset, arms)[:, None] == observed
            for subset, observed in zip(self.subsets, self.observed, strict=True)
        ]
        return np.concatenate(blocks, axis=1).astype(np.float64)


def _least_cp(X: FloatArray, seen: ArmMeans) -> tuple[FloatArray, FloatArray]:
    """Return the effects at the lambda of least Cp, and the weighted centre of the indicators."""
    center = np.average(X, axis=0, weights=seen.n)
    root = np.sqrt(seen.n)
    scaled = np.asfortranarray((X - center) * root[:, None])
    target = (seen.y - np.average(seen.y, weights=seen.n)) * root
    if not np.abs(scaled.T @ target).max() > _NOTHING:
        return np.zeros(X.shape[1]), center
    _, path, _ = lasso_path(
        scaled, target, eps=_SMALLEST_LAMBDA, alphas=_N_LAMBDAS, max_iter=_STEPS, tol=_TOLERANCE
    )
    left = ((target[:, None] - scaled @ path) ** 2).sum(axis=0)
    freedom = [np.linalg.matrix_rank(scaled[:, effects != 0.0]) for effects in path.T]
    cp = left / seen.noise + 2.0 * np.asarray(freedom, dtype=np.float64)
    return np.asarray(path[:, int(np.argmin(cp))]), center
