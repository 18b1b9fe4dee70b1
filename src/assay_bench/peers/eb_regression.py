"""``eb-regression``: an arm's own mean blended with a regression, weighted by empirical Bayes.

    rho_a = f_a + u_a,   u_a ~ N(0, A),   y_a ~ N(rho_a, s2 / n_a)

f is a linear regression on what is known of every instance: one indicator for each attribute
value and, where the pool has free signals, for each of their strata; f_a is its average over the
pool rows of the arm. The posterior moves f_a by the share w_a = A / (A + s2 / n_a) of what the
arm's labels miss of it. A maximises the likelihood of the misses (Fay and Herriot, 1979). The
blend is that of Fogliato, Patil, Akpinar and Monfort (EMNLP 2024), who fit boosted trees to
embeddings; a line on attributes and signals is what a surface has at hand. A weak normal prior on
the coefficients keeps the regression defined when labels are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from accuracy_assay import AccuracySurface
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.peers.effects import (
    n_signal_strata,
    one_hot_strata,
    one_hot_values,
    sum_by_group,
)
from assay_bench.peers.normal_arms import ArmMeans, build_surface, surface_without_labels

__all__ = ["EBRegression"]


# Prior standard deviation of a coefficient, in accuracy. Chosen by hand: an effect of one half is
# as large as effects get, so the prior only keeps the regression defined.
_COEFFICIENT_SD = 0.5
# Bounds of the variance A: a deviation of 0.0001, about zero, and that of a coin, the largest
# that numbers in [0, 1] can have.
_LEAST_A, _MOST_A = 1e-8, 0.25


@dataclass(frozen=True, slots=True)
class EBRegression:
    """Estimate arms by a regression that each arm's own labels correct."""

    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the posterior surface given ``observations``."""
        cells, arms = ArmMeans.of_cells(observations), ArmMeans.of_arms(observations)
        if not arms.n.size:
            return surface_without_labels(observations, "eb-regression", self.level)
        support = observations.support
        line = _Line.fit(support, cells)
        listed = support.listed_arms
        x = _pool_features(support, listed)
        mean, variance = line.predict(x)
        missed = arms.y - line.over_labels(support, cells, arms)
        A = _between_arms(missed, arms)
        share = A / (A + arms.noise / arms.n)
        at = np.searchsorted(listed, arms.index)
        unexplained = np.full(listed.size, A)
        unexplained[at] = A * (1.0 - share)
        mean[at] += share * missed
        variance[at] *= (1.0 - share) ** 2
        return build_surface(
            observations,
            "eb-regression",
            mean,
            np.sqrt(variance + unexplained),
            self.level,
            details={"between_arms_sd": round(float(np.sqrt(A)), 4)},
        )


@dataclass(frozen=True)
class _Line:
    """The regression: coefficients and their covariance, around the overall accuracy."""

    mu: float
    beta: FloatArray
    covariance: FloatArray

    @classmethod
    def fit(cls, support: Support, cells: ArmMeans) -> _Line:
        mu = float(np.average(cells.y, weights=cells.n))
        X = _cell_features(support, cells.index)
        information = (X * cells.n[:, None]).T @ X / cells.noise
        information[np.diag_indices_from(information)] += 1.0 / _COEFFICIENT_SD**2
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        beta = covariance @ (X.T @ (cells.n * (cells.y - mu))) / cells.noise
        return cls(mu, beta, covariance)

    def predict(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the value of the line and its variance at features ``x`` (m, P)."""
        return self.mu + x @ self.beta, np.einsum("ij,jk,ik->i", x, self.covariance, x)

    def over_labels(self, support: Support, cells: ArmMeans, arms: ArmMeans) -> FloatArray:
        """Return the average of the line over the labelled rows of each observed arm."""
        value, _ = self.predict(_cell_features(support, cells.index))
        arm = np.searchsorted(arms.index, cells.index // n_signal_strata(support))
        return sum_by_group(arm, cells.n * value, arms.n.size) / sum_by_group(
            arm, cells.n, arms.n.size
        )


def _between_arms(missed: FloatArray, arms: ArmMeans) -> float:
    """Return the variance A of highest likelihood, missed_a ~ N(0, A + s2 / n_a)."""
    noise = arms.noise / arms.n

    def loss(log_a: float) -> float:
        total = np.exp(log_a) + noise
        return float(np.sum(np.log(total) + missed**2 / total))

    bounds = (np.log(_LEAST_A), np.log(_MOST_A))
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


def _cell_features(support: Support, cells: IntArray) -> FloatArray:
    """Return one-hot attribute values, then one-hot strata, of each cell."""
    values = one_hot_values(support.space, cells // n_signal_strata(support))
    return np.hstack([values, one_hot_strata(support, cells)])


def _pool_features(support: Support, arms: IntArray) -> FloatArray:
    """Return the average features of each arm's pool rows; of the whole pool for absent arms."""
    values = one_hot_values(support.space, arms)
    if not support.signals:
        return values
    strata = one_hot_strata(support, support.cells // support.n_clusters)
    mix = np.tile(np.average(strata, axis=0, weights=support.size), (arms.size, 1))
    at = np.searchsorted(arms, support.arms)
    mix[at] = 0.0
    np.add.at(mix, at[support.arm_of_cell], strata * support.size[:, None])
    mix[at] /= support.arm_size[:, None]
    return np.hstack([values, mix])
