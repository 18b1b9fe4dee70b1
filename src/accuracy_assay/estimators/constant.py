"""One accuracy for every arm: the baseline that a single advertised number amounts to.

The overall accuracy has the posterior Beta(c + 1, n - c + 1); every arm gets that same posterior.
The paper calls it CPredictor.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from accuracy_assay.observations import Observations
from accuracy_assay.surface import AccuracySurface

__all__ = ["Constant"]


@dataclass(frozen=True, slots=True)
class Constant:
    """Estimate every arm by the overall accuracy; the interval is that of the overall accuracy."""

    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the flat surface given ``observations``."""
        n, c = observations.n_labels, float(observations.score.sum())
        posterior = beta(c + 1.0, n - c + 1.0)
        lower, upper = posterior.interval(self.level)
        return AccuracySurface.build(
            observations,
            mean=observations.overall_accuracy,
            sd=float(posterior.std()),
            lower=lower,
            upper=upper,
            level=self.level,
            details={"estimator": "constant"},
        )
