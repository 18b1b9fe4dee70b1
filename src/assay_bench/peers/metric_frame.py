"""``metric-frame``: the table by group that fairlearn's MetricFrame gives, as a surface.

Every arm is the plain mean of its labels; an arm without a label, where MetricFrame has no number,
shows the overall accuracy and the interval [0, 1]. MetricFrame has no interval of its own: those
here are Wilson's, of the arm's labels alone. Needs the extra ``peers``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from fairlearn.metrics import MetricFrame

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.observations import Observations
from assay_bench.peers.normal_arms import surface_without_labels
from assay_bench.wilson import wilson

__all__ = ["MetricFrameByGroup"]


@dataclass(frozen=True, slots=True)
class MetricFrameByGroup:
    """Estimate every observed arm by the mean of its labels."""

    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the table of group means given ``observations``."""
        if observations.n_labels <= 0.0:
            return surface_without_labels(observations, "metric-frame", self.level)
        rows = observations.affiliation
        weight = rows.weights * observations.count[rows.row_index]
        score = (observations.score / observations.count)[rows.row_index]
        is_used = weight > 0.0
        frame = MetricFrame(
            metrics=_mean_score,
            y_true=score[is_used],
            y_pred=score[is_used],
            sensitive_features={"arm": (rows.indices // observations.support.n_strata)[is_used]},
            sample_params={"sample_weight": weight[is_used]},
        )
        arms = observations.support.listed_arms
        mean = frame.by_group.reindex(arms).to_numpy(dtype=np.float64)
        is_seen = ~np.isnan(mean)
        mean = np.where(is_seen, mean, float(frame.overall))
        n = np.where(is_seen, observations.per_arm().on(arms).n, 0.0)
        lower, upper = wilson(mean, n, self.level)
        return AccuracySurface.build(
            observations,
            mean=mean,
            sd=np.sqrt((n * mean * (1.0 - mean) + 1.0) / (n + 2.0) ** 2),
            lower=np.minimum(lower, mean),
            upper=np.maximum(upper, mean),
            level=self.level,
            details={"estimator": "metric-frame"},
        )


def _mean_score(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, sample_weight: npt.ArrayLike
) -> float:
    """Return the mean agreement; MetricFrame asks for labels and predictions both."""
    return float(np.average(np.asarray(y_pred), weights=np.asarray(sample_weight)))
