"""An estimator that forgets: it fits the wanted sizes from scratch and passes over the others.

A curve of error against size compares fits, not histories, so no fit may start from a smaller one.
"""

from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import EmbeddingEstimator, Estimator, Layers
from accuracy_assay.registry import build_estimator

__all__ = ["ColdFit"]


@dataclass(frozen=True, slots=True)
class ColdFit:
    """``estimator`` at the wanted sizes, a constant (which costs nothing) at any other."""

    estimator: Estimator
    sizes: tuple[int, ...]

    def starting_from(self, layers: Layers) -> "ColdFit":
        """Return the same with the estimator started from ``layers``, where it takes them."""
        if not isinstance(self.estimator, EmbeddingEstimator):
            return self
        return replace(self, estimator=self.estimator.starting_from(layers))

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the surface given ``observations``, whatever ``previous`` is."""
        is_wanted = round(observations.n_labels) in self.sizes
        used = self.estimator if is_wanted else build_estimator("constant")
        return used.fit(observations, rng, None)
