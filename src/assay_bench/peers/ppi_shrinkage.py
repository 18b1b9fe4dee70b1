"""``ppi-shrinkage``: prediction-powered means, shrunk towards the arms' mean predictions.

    rho_a = w_a theta_a + (1 - w_a) z_a,   w_a = omega / (omega + v_a)

theta_a is the power-tuned mean of the arm with variance v_a (`powered_means`), z_a the mean of
what the free signals predict for its rows. omega minimises the sum over labelled arms of

    (2 w_a - 1) v_a + 2 (1 - w_a) g_a + (1 - w_a)^2 (theta_a - z_a)^2,

an unbiased estimate of the squared error that knows the covariance g_a of theta_a and z_a: the
prediction-powered adaptive shrinkage of Li and Ignatiadis (ICML 2025) with its CURE. Theirs is of
a mean beyond the pool and of given predictions, and g_a is what the unlabelled rows leave in both;
here the truth is the pool's and the predictions are learned, and g_a is what the arm's own labels
leave in both. lambda and the noise are one for all arms, as in their univariate form.

The paper has no intervals. Those here are of the normal posterior that the weights amount to, with
variance w_a v_a + (1 - w_a)^2 Var(z_a). An arm without a label has w_a = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.peers.normal_arms import (
    build_surface,
    surface_without_labels,
)
from assay_bench.peers.powered_means import PoweredMeans
from assay_bench.peers.signal_prediction import (
    LabelledCells,
    PoolCells,
    SignalPrediction,
)

__all__ = ["PPIShrinkage"]


# Where omega is looked for, evenly in logs: from a deviation of 0.0001 between truth and
# prediction, about zero, to 1, more than accuracies allow.
_OMEGAS = np.geomspace(1e-8, 1.0, 400)


@dataclass(frozen=True, slots=True)
class PPIShrinkage:
    """Estimate arms by prediction-powered adaptive shrinkage."""

    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the surface given ``observations``."""
        labels = LabelledCells.of(observations)
        if not labels.n.size:
            return surface_without_labels(observations, "ppi-shrinkage", self.level)
        support = observations.support
        means = PoweredMeans.of(
            SignalPrediction.fit(labels),
            labels,
            PoolCells.of(support),
            support.listed_arms,
            is_pool=support.is_pool,
        )
        omega = _least_risk(means)
        weight = np.where(means.n > 0.0, omega / (omega + means.variance), 0.0)
        known = np.where(means.n > 0.0, weight * means.variance, omega)
        return build_surface(
            observations,
            "ppi-shrinkage",
            weight * means.mean + (1.0 - weight) * means.prediction,
            np.sqrt(known + (1.0 - weight) ** 2 * means.prediction_variance),
            self.level,
            details={
                "tuning": round(means.tuning, 4),
                "between_arms_sd": round(float(np.sqrt(omega)), 4),
            },
        )


def _least_risk(means: PoweredMeans) -> float:
    """Return the omega of least CURE over the labelled arms."""
    seen = means.n > 0.0
    v, g = means.variance[seen], means.covariance[seen]
    apart = (means.mean - means.prediction)[seen] ** 2

    def risk(omega: float) -> float:
        w: FloatArray = omega / (omega + v)
        return float(((2.0 * w - 1.0) * v + 2.0 * (1.0 - w) * g + (1.0 - w) ** 2 * apart).sum())

    return float(min(_OMEGAS, key=risk))
