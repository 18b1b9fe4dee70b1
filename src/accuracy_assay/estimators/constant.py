"""One accuracy for every arm: the baseline that a single advertised number amounts to.

The overall accuracy has the posterior Beta(c + 1, n - c + 1); every arm gets that same posterior,
stretched where needed to hold the observed rate c / n, which is its mean. Arms move together, so
an average of arms is as uncertain as one. The paper calls it CPredictor.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["Constant"]

# Draws at even quantiles of the one posterior: averages of arms are then right to 2 %.
_N_DRAWS = 200


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
        n, c, mean = observations.n_labels, observations.score.sum(), observations.overall_accuracy
        posterior = beta(c + 1.0, n - c + 1.0)
        lower, upper = posterior.interval(self.level)
        draws = posterior.ppf((np.arange(_N_DRAWS) + 0.5) / _N_DRAWS).astype(np.float32)
        return AccuracySurface.build(
            observations,
            mean=mean,
            sd=float(posterior.std()),
            lower=min(lower, mean),
            upper=max(upper, mean),
            level=self.level,
            draws=np.broadcast_to(
                draws[:, None], (_N_DRAWS, observations.support.listed_arms.size)
            ),
            details={"estimator": "constant"},
        )
