"""An independent Beta posterior for each arm: the baseline that borrows nothing.

Notation: m overall accuracy, lambda the prior strength of the observations. The prior of every arm
is Beta(lambda m, lambda (1 - m)), so its posterior is Beta(c_a + lambda m, n_a - c_a +
lambda (1 - m)). The paper calls it Beta-I; Ji, Logan, Smyth and Steyvers (2020) use it for one
attribute. So weak a prior has nearly all of its mass at 0 and 1 and its quantiles say nothing: an
arm without a label gets the interval [0, 1], and every interval is stretched to hold the mean.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["BetaIndependent"]

# A Beta parameter of zero, where the prior strength is 0 and labels all agree, becomes this: so
# small that mean and interval are those of the limit.
_LEAST_PARAMETER = 1e-9


@dataclass(frozen=True, slots=True)
class BetaIndependent:
    """Estimate every arm alone."""

    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the posterior surface given ``observations``."""
        counts = observations.per_arm().on(observations.support.listed_arms)
        m, strength = observations.overall_accuracy, observations.prior_strength
        a = np.maximum(counts.correct + strength * m, _LEAST_PARAMETER)
        b = np.maximum(counts.n - counts.correct + strength * (1.0 - m), _LEAST_PARAMETER)
        mean = a / (a + b)
        tail = (1.0 - self.level) / 2.0
        pairs, inverse = np.unique(np.stack([a, b], axis=1), axis=0, return_inverse=True)
        lower, upper = (
            betaincinv(pairs[:, 0], pairs[:, 1], q)[inverse.reshape(-1)]
            for q in (tail, 1.0 - tail)
        )
        is_seen = counts.n > 0.0
        return AccuracySurface.build(
            observations,
            mean=mean,
            sd=np.sqrt(mean * (1.0 - mean) / (a + b + 1.0)),
            lower=np.where(is_seen, np.minimum(lower, mean), 0.0),
            upper=np.where(is_seen, np.maximum(upper, mean), 1.0),
            level=self.level,
            details={"estimator": "beta-independent", "prior_strength": strength},
        )
