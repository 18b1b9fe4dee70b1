"""An estimator that forgets: it fits the wanted sizes from scratch and passes over the others.

A curve of error against size compares fits, not histories, so no fit may start from a smaller one.
What the first labels said (kappa of the paper's algorithm 1) is no fit; it is handed on to an
estimator that asks for it.
"""

from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.observations import Observations
from accuracy_assay.estimators.first_labels import FirstLabels
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
        if round(observations.n_labels) not in self.sizes:
            return build_estimator("constant", kappa_from="first").fit(observations, rng, previous)
        wants_first = getattr(self.estimator, "kappa_from", "all") == "first"
        return self.estimator.fit(observations, rng, _forget(previous) if wants_first else None)


def _forget(previous: AccuracySurface | None) -> AccuracySurface | None:
    """Return a surface that remembers the first labels alone."""
    if previous is None or not isinstance(previous.memory, FirstLabels):
        return None
    first = FirstLabels(previous.memory.kappa, previous.memory.n_first)
    return replace(previous, memory=first)
