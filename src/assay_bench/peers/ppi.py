"""``ppi``: prediction-powered inference for each arm, with power tuning.

The mean of an arm's labels is corrected by how the predictions of its unlabelled rows differ from
those of its labelled ones (`powered_means` has the formula and the papers). The prediction of a
row is what the free signals say of it, learned from other rows (`signal_prediction`); without
signals the estimate is the mean of the arm's labels. Nothing is borrowed between arms but that
prediction, the tuning and the noise. Intervals are the method's own, normal; an arm without a
label, of which the papers say nothing, has its mean prediction and an interval
of nearly [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.observations import Observations
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

__all__ = ["PPI"]


@dataclass(frozen=True, slots=True)
class PPI:
    """Estimate every arm by its power-tuned prediction-powered mean."""

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
            return surface_without_labels(observations, "ppi", self.level)
        support = observations.support
        means = PoweredMeans.of(
            SignalPrediction.fit(labels),
            labels,
            PoolCells.of(support),
            support.listed_arms,
            is_pool=support.is_pool,
        )
        return build_surface(
            observations,
            "ppi",
            means.mean,
            np.sqrt(means.variance),
            self.level,
            details={"tuning": round(means.tuning, 4)},
        )
