"""One accuracy for every arm: the baseline of a single advertised number.

The overall accuracy has the posterior Beta(c + 1, n - c + 1). Every arm gets this posterior, its
interval stretched if needed to hold the mean, the observed rate c / n. Arms move together, so an
average of arms is as uncertain as one. The paper calls it CPredictor, and takes the accuracy from
its seed set alone, so fits that follow one another keep that of the first;
``kappa_from="all"`` does not.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import beta

from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.first_labels import FirstLabels

__all__ = ["Constant"]

# Draws at even quantiles of the one posterior: averages of arms are then right to 2%.
_N_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Constant:
    """Estimate every arm by the overall accuracy; the interval is that of the overall accuracy.

    Parameters
    ----------
    level
        Probability of the intervals.
    kappa_from
        Which labels count: those of the ``first`` fit, the paper's seed set, or ``all``.
    """

    level: float = 0.9
    kappa_from: Literal["all", "first"] = "first"

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the flat surface given ``observations``."""
        known = FirstLabels(observations.overall_accuracy, observations.n_labels)
        if self.kappa_from == "first" and previous is not None:
            known = previous.memory if isinstance(previous.memory, FirstLabels) else known
        n, mean = known.n_first, known.kappa
        c = n * mean
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
            memory=known,
        )
