"""An independent Beta posterior for each arm: the baseline that borrows nothing.

Notation: m overall accuracy, lambda the prior strength of the observations. The prior of every arm
is Beta(lambda m, lambda (1 - m)), so its posterior is Beta(c_a + lambda m, n_a - c_a +
lambda (1 - m)). The paper calls it Beta-I; Ji, Logan, Smyth and Steyvers (2020) use it for one
attribute. Mean and standard deviation are those of that posterior.

Its quantiles are not honest: such a weak prior has nearly all of its mass at 0 and 1, and after
one right label says that the arm is never wrong. The interval is Jeffreys' instead, the quantiles
of Beta(c_a + 1/2, n_a - c_a + 1/2), whose coverage is about right even after few labels (Brown,
Cai and DasGupta 2001), stretched to hold the mean; an arm without a label gets [0, 1]. Averages of
arms take their uncertainty from draws of the same Beta.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["BetaIndependent"]

# Replaces a Beta parameter of zero (prior strength 0 and labels that all agree): so small that
# mean and interval are those of the limit.
_LEAST_PARAMETER = 1e-9

_HALF = 0.5
"""What Jeffreys' prior of a binomial rate adds to right and to wrong labels."""
_N_DRAWS = 256
"""Draws of every arm. Chosen by hand: the ends of a 90% interval of an average are within about a
tenth of a standard deviation, and 10^5 arms take 100 MB."""


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
        right, wrong = counts.correct + _HALF, counts.n - counts.correct + _HALF
        pairs, inverse = np.unique(np.stack([right, wrong], axis=1), axis=0, return_inverse=True)
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
            draws=lambda: _draw(right, wrong, rng.spawn(1)[0]),
            details={"estimator": "beta-independent", "prior_strength": strength},
        )


def _draw(
    right: FloatArray, wrong: FloatArray, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """Return independent draws of the arms (S, A)."""
    drawn: npt.NDArray[np.float32] = rng.beta(right, wrong, (_N_DRAWS, right.size)).astype(
        np.float32
    )
    return drawn
