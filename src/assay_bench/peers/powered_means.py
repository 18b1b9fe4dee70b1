"""Power-tuned means: the labels of an arm, corrected by what predictions say of its other rows.

    theta_a = y_a + lambda (1 - n_a / N_a) (mean of f over unlabelled rows - mean of f over labels)

is the prediction-powered mean (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, 2023) with the
power tuning of PPI++ (Angelopoulos, Duchi and Zrnic, 2023): there lambda stands with a factor
1 / (1 + n / N) for N unlabelled rows, here N_a counts all rows. Each label is compared with a
prediction that it did not teach (`signal_prediction`), and the unlabelled rows with the mean of
those predictions, as in cross-prediction (Zrnic and Candes, 2024).

lambda = Cov(y, f) / Var(f), within arms and cut to [0, 1], is one for all arms: an arm has few
labels, often one, which tell no covariance. Likewise one variance s2 of y - lambda f serves all,

    Var(theta_a) = (1 - n_a / N_a) s2 / n_a,

where the truth is that of the pool; without a pool it has Var(y) / N_a in addition. An arm without
a label has its mean prediction and the largest variance that numbers in [0, 1] can have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.peers.effects import sum_by_group
from assay_bench.peers.normal_arms import pooled_noise
from assay_bench.peers.signal_prediction import (
    LabelledCells,
    LeftOut,
    PoolCells,
    SignalPrediction,
)

__all__ = ["PoweredMeans"]

_MOST_VARIANCE = 0.25
"""That of a coin: no numbers in [0, 1] vary more."""


@dataclass(frozen=True, eq=False)
class PoweredMeans:
    """Arms with labels ``n`` of ``size`` rows; all arrays (A,).

    Parameters
    ----------
    mean, variance
        The power-tuned mean and its variance.
    prediction, prediction_variance
        Mean of f over all rows of the arm, and the variance that its coefficients leave.
    covariance
        Covariance of ``mean`` and ``prediction``: both have learned from the arm's labels.
    tuning
        lambda.
    """

    n: FloatArray
    size: FloatArray
    mean: FloatArray
    variance: FloatArray
    prediction: FloatArray
    prediction_variance: FloatArray
    covariance: FloatArray
    tuning: float

    @classmethod
    def of(
        cls,
        fit: SignalPrediction,
        labels: LabelledCells,
        pool: PoolCells,
        arms: IntArray,
        *,
        is_pool: bool,
    ) -> PoweredMeans:
        """Return the means of ``arms``, which are in increasing order."""
        left_out = LeftOut.of(fit, labels)
        seen, rows = np.searchsorted(arms, labels.arm), np.searchsorted(arms, pool.arm)
        n, size = (
            sum_by_group(at, weight, arms.size)
            for at, weight in ((seen, labels.n), (rows, pool.size))
        )
        size = np.maximum(size, n)
        mix = _mean_features(rows, pool.x, pool.size, arms.size)
        own = _mean_features(seen, labels.x, labels.n, arms.size)
        tuning = _tuning(fit, left_out, pool, seen, rows, n)
        noise = _within(left_out, tuning, seen, n)
        rest = 1.0 - n / np.maximum(size, 1.0)
        is_seen = n > 0.0
        count = np.where(is_seen, n, 1.0)
        variance = rest * noise / count
        if not is_pool:
            variance += _within(left_out, 0.0, seen, n) / np.maximum(size, 1.0)
        prediction = fit.at(mix)
        score = sum_by_group(seen, labels.score, arms.size) / count
        gain = _gain(fit, left_out, seen, mix, own, rest, count)
        return cls(
            n,
            size,
            np.where(is_seen, score + tuning * gain, prediction),
            np.where(is_seen, variance, _MOST_VARIANCE),
            prediction,
            noise * fit.leverage(mix),
            rest * noise * np.einsum("ij,jk,ik->i", mix, fit.C, own),
            tuning,
        )


def _mean_features(at: IntArray, x: FloatArray, weight: FloatArray, n_arms: int) -> FloatArray:
    """Return the mean features of each arm's rows; those of all rows where it has none."""
    total, count = np.zeros((n_arms, x.shape[1])), sum_by_group(at, weight, n_arms)
    np.add.at(total, at, x * weight[:, None])
    every = np.average(x, axis=0, weights=weight) if x.shape[0] else np.zeros(x.shape[1])
    has_rows = count[:, None] > 0.0
    return np.where(has_rows, total / np.where(has_rows, count[:, None], 1.0), every)


def _tuning(
    fit: SignalPrediction,
    left_out: LeftOut,
    pool: PoolCells,
    seen: IntArray,
    rows: IntArray,
    n: FloatArray,
) -> float:
    """Return lambda; 1, that of plain prediction-powered inference, where nothing tells it."""
    freedom = np.maximum(n - 1.0, 0.0)
    if not freedom.any():
        return 1.0
    labels, count = left_out.labels, np.where(n > 0.0, n, 1.0)
    score = sum_by_group(seen, labels.score, n.size)
    predicted = sum_by_group(seen, left_out.total, n.size)
    product = sum_by_group(seen, left_out.product, n.size)
    covariance = (product - score * predicted / count).sum() / freedom.sum()
    value = fit.at(pool.x)
    size = sum_by_group(rows, pool.size, n.size)
    middle = sum_by_group(rows, pool.size * value, n.size) / np.where(size > 0.0, size, 1.0)
    spread = sum_by_group(rows, pool.size * (value - middle[rows]) ** 2, n.size)
    variance = (freedom * spread / np.where(size > 0.0, size, 1.0)).sum() / freedom.sum()
    if not variance > 0.0:
        return 0.0
    return float(np.clip(covariance / variance, 0.0, 1.0))


def _within(left_out: LeftOut, tuning: float, seen: IntArray, n: FloatArray) -> float:
    """Return s2, the variance of y - lambda f within arms."""
    labels, count = left_out.labels, np.where(n > 0.0, n, 1.0)
    miss = sum_by_group(seen, labels.score - tuning * left_out.total, n.size)
    square = labels.square - 2.0 * tuning * left_out.product + tuning**2 * left_out.square
    within = float(square.sum() - (miss**2 / count).sum())
    total = float(labels.n.sum())
    return pooled_noise(float(labels.score.sum()) / total if total else 0.5, n, within)


def _gain(
    fit: SignalPrediction,
    left_out: LeftOut,
    seen: IntArray,
    mix: FloatArray,
    own: FloatArray,
    rest: FloatArray,
    count: FloatArray,
) -> FloatArray:
    """Return (1 - n / N) (mean of f over unlabelled rows - mean of f over labels), cross-fitted.

    With the coefficients of all labels it is (mix - own)' beta. Without label i they are
    beta - C x_i e_i, where e_i = y_i - f_(-i), and the average over i moves it by the rest.
    """
    labels = left_out.labels
    error = labels.score - left_out.total
    moved = np.zeros_like(own)
    np.add.at(moved, seen, labels.x * error[:, None])
    ahead = mix - (1.0 - rest)[:, None] * own
    across = np.einsum("ij,jk,ik->i", ahead, fit.C, moved)
    itself = rest * sum_by_group(seen, fit.leverage(labels.x) * error, count.size)
    return np.asarray((mix - own) @ fit.beta + (itself - across) / count)
