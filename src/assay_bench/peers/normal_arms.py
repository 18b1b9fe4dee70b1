"""What estimators with normal errors share: observed means with their noise, and the surface.

Arm a has n_a labels (fractional where attributes are guessed) of mean y_a; the noise of
y_a is s2 / n_a with one within-arm variance s2 for all arms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.peers.effects import sum_by_group

__all__ = ["ArmMeans", "build_surface", "pooled_noise", "surface_without_labels"]


# Arms with no more labels than this count as unobserved: rounding leaves such traces.
_LEAST_LABELS = 1e-9


@dataclass(frozen=True, eq=False)
class ArmMeans:
    """Observed cells or arms: ``index``, labels ``n`` and mean agreement ``y``, all (J,)."""

    index: IntArray
    n: FloatArray
    y: FloatArray
    noise: float

    @classmethod
    def of_arms(cls, observations: Observations, least_labels: float = _LEAST_LABELS) -> ArmMeans:
        """Return the means of the arms with more than ``least_labels`` labels."""
        return cls._of(observations, observations.support.n_strata, least_labels)

    @classmethod
    def of_cells(cls, observations: Observations) -> ArmMeans:
        """Return the means of the observed arms by stratum of the free signals, over clusters.

        ``index`` is ``arm * S + stratum`` with S strata of the signals alone.
        """
        return cls._of(observations, observations.support.n_clusters, _LEAST_LABELS)

    @classmethod
    def _of(cls, observations: Observations, divisor: int, least_labels: float) -> ArmMeans:
        rows = observations.affiliation
        index, inverse = np.unique(rows.indices // divisor, return_inverse=True)

        def total(values: FloatArray) -> FloatArray:
            return sum_by_group(inverse, rows.weights * values[rows.row_index], index.size)

        n, score, square = (
            total(v) for v in (observations.count, observations.score, observations.score_sq)
        )
        is_seen = n > least_labels
        index, n, score, square = index[is_seen], n[is_seen], score[is_seen], square[is_seen]
        y = score / n
        within = float((square - n * y**2).sum())
        return cls(index, n, y, pooled_noise(observations.overall_accuracy, n, within))


def pooled_noise(overall: float, n: FloatArray, within: float) -> float:
    """Return s2: the pooled within-arm variance, drawn by one label towards a coin's variance.

    ``within`` is the sum of squares around the means of arms with ``n`` labels each. The coin has
    the rate ``overall`` with one more success and one more failure, so that labels which all agree
    do not look free of noise.
    """
    total = float(n.sum())
    rate = (overall * total + 1.0) / (total + 2.0)
    freedom = float(np.maximum(n - 1.0, 0.0).sum())
    return (max(within, 0.0) + rate * (1.0 - rate)) / (freedom + 1.0)


def build_surface(
    observations: Observations,
    name: str,
    mean: FloatArray,
    sd: FloatArray,
    level: float,
    draws: Callable[[], npt.NDArray[np.float32]] | None = None,
    details: Mapping[str, Any] | None = None,
) -> AccuracySurface:
    """Return the surface of normal posteriors over the listed arms, cut to [0, 1]."""
    reach = NormalDist().inv_cdf(0.5 + level / 2.0) * sd
    inside = np.clip(mean, 0.0, 1.0)
    return AccuracySurface.build(
        observations,
        mean=inside,
        sd=sd,
        lower=np.minimum(np.clip(mean - reach, 0.0, 1.0), inside),
        upper=np.maximum(np.clip(mean + reach, 0.0, 1.0), inside),
        level=level,
        draws=draws,
        details={"estimator": name, **(details or {})},
    )


def surface_without_labels(observations: Observations, name: str, level: float) -> AccuracySurface:
    """Return the surface before any label: every accuracy is as likely as any other."""
    tail = (1.0 - level) / 2.0
    return AccuracySurface.build(
        observations,
        mean=0.5,
        sd=float(np.sqrt(1.0 / 12.0)),
        lower=tail,
        upper=1.0 - tail,
        level=level,
        details={"estimator": name},
    )
