"""``stratified-ppi``: prediction-powered inference by strata of the prediction, within each arm.

    theta_a = sum_k w_ak theta_ak

Fisch, Maynez, Hofer, Dhingra, Globerson and Cohen (NeurIPS 2024) divide the rows into strata k,
tune and correct within each, and weigh the corrected means by the strata's shares. For arms it
means this: the pool is cut into strata of equal size by what the free signals predict
(`signal_prediction`); w_ak is the share of stratum k in the rows of arm a; theta_ak is the
power-tuned mean (`powered_means`) of the arm's rows in the stratum, with a lambda and a noise of
the stratum's own over all arms. Most arms have few labels, so that many theta_ak have none: there
it is the mean prediction, moved by as much as ``ppi`` moves that of the whole arm. Labels come as
they come, so that nothing is allocated to strata. Arms without a label are those of ``ppi``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import FloatArray
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

__all__ = ["StratifiedPPI"]


@dataclass(frozen=True, slots=True)
class StratifiedPPI:
    """Estimate every arm by the prediction-powered means of its strata.

    Parameters
    ----------
    n_strata
        Strata that the predictions are cut into. Two, chosen by hand: an arm of few labels has
        none in most strata of more.
    level
        Probability of the intervals.
    """

    n_strata: int = 2
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
            return surface_without_labels(observations, "stratified-ppi", self.level)
        support, pool = observations.support, PoolCells.of(observations.support)
        fit = SignalPrediction.fit(labels)

        def powered(labels: LabelledCells, pool: PoolCells) -> PoweredMeans:
            arms = support.listed_arms
            return PoweredMeans.of(fit, labels, pool, arms, is_pool=support.is_pool)

        whole = powered(labels, pool)
        edges = _edges(fit.at(pool.x), pool.size, self.n_strata)
        of_label = np.searchsorted(edges, fit.at(labels.x), side="right")
        of_row = np.searchsorted(edges, fit.at(pool.x), side="right")
        strata = [
            powered(labels.take(of_label == k), pool.take(of_row == k))
            for k in range(edges.size + 1)
        ]
        mean, variance = _combine(whole, strata)
        return build_surface(
            observations,
            "stratified-ppi",
            mean,
            np.sqrt(variance),
            self.level,
            details={"tuning": [round(stratum.tuning, 4) for stratum in strata]},
        )


def _edges(value: FloatArray, size: FloatArray, n_strata: int) -> FloatArray:
    """Return the predictions at which strata begin, each with about as many rows as any other."""
    order = np.argsort(value, kind="stable")
    below = (np.cumsum(size[order]) - size[order]) / size.sum()
    first = np.searchsorted(below, np.arange(1, n_strata) / n_strata)
    edges = np.unique(value[order][np.minimum(first, value.size - 1)])
    return np.asarray(edges[edges > value.min()])


def _combine(whole: PoweredMeans, strata: list[PoweredMeans]) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of each arm."""
    mean, variance = np.zeros_like(whole.mean), np.zeros_like(whole.mean)
    unseen = np.zeros_like(whole.mean)
    size = np.maximum(sum(stratum.size for stratum in strata), 1.0)
    for stratum in strata:
        share, is_seen = stratum.size / size, stratum.n > 0.0
        moved = stratum.prediction + whole.mean - whole.prediction
        mean += share * np.where(is_seen, stratum.mean, moved)
        variance += share**2 * np.where(is_seen, stratum.variance, 0.0)
        unseen += np.where(is_seen, 0.0, share)
    variance += unseen**2 * whole.variance
    is_seen = whole.n > 0.0
    return np.where(is_seen, mean, whole.mean), np.where(is_seen, variance, whole.variance)
