"""``shrinkage``: additive effects of every subset of attributes, shrunk by empirical Bayes.

    rho_a = mu + sum_S theta_S[a_S],   theta_S[v] ~ N(0, tau_S^2),   y_a ~ N(rho_a, s2 / n_a)

S runs over the non-empty subsets of attributes, a_S are the arm's values on S. So the arms have a
joint normal prior with covariance K(a, b) = sum_S tau_S^2 [a_S = b_S], in the manner of SureMap
(Khodak, Mackey, Chouldechova and Dudik, NeurIPS 2024). SureMap sets the tau_S by Stein's unbiased
risk estimate; here they maximise the marginal likelihood of the observed means, with mu at its
generalised least squares value. Free signals are not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from accuracy_assay import AccuracySurface, AttributeSpace
from accuracy_assay.domain.observations import Observations
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.peers.effects import effect_subsets, group_of
from assay_bench.peers.normal_arms import (
    ArmMeans,
    build_surface,
    surface_without_labels,
)

__all__ = ["Shrinkage"]


# Bounds of a tau_S^2: a deviation of 0.0001, about zero, and of 1, more than accuracies allow.
_LEAST_VARIANCE, _MOST_VARIANCE = 1e-8, 1.0
# Variance that the subsets share evenly where the search starts: a deviation of 0.22 between arms.
_FIRST_TOTAL = 0.05
# Relative change of the loss at which the search ends: far below what a label changes.
_TOLERANCE = 1e-7
# Guessed attributes leave small fractions of a label in very many arms; below this an arm counts
# as unobserved. Chosen by hand: what is left out is at most a label in a hundred arms.
_LEAST_LABELS = 0.01
# Arms predicted at a time: a memory bound, 2,048 x J covariances.
_CHUNK = 2048
# Joint draws that the surface carries: standard deviations of averages are then right to 5%.
_N_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """Estimate arms by shrinking additive effects.

    Parameters
    ----------
    most_subsets
        Most subsets of attributes that get a variance each; in spaces with more, only the single
        attributes, the pairs and the arm itself have one. 63, chosen by hand, are all subsets of
        six attributes.
    most_steps
        Most L-BFGS iterations of the search for the variances; it usually ends long before.
    level
        Probability of the intervals.
    """

    most_subsets: int = 63
    most_steps: int = 200
    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the posterior surface given ``observations``."""
        seen = ArmMeans.of_arms(observations, _LEAST_LABELS)
        if not seen.n.size:
            return surface_without_labels(observations, "shrinkage", self.level)
        space = observations.space
        subsets = effect_subsets(len(space.attributes), self.most_subsets)
        effects = _Effects(space, tuple(subsets), seen)
        model = _Posterior(effects, effects.maximise(self.most_steps))
        arms = observations.support.listed_arms
        mean, variance = model.predict(arms)
        names = (":".join(space.names[k] for k in subset) for subset in subsets)
        return build_surface(
            observations,
            "shrinkage",
            mean,
            np.sqrt(variance),
            self.level,
            lambda: model.draw(arms, rng.spawn(1)[0]),
            {
                "tau": {
                    name: round(float(np.sqrt(v)), 4)
                    for name, v in zip(names, model.variances, strict=True)
                }
            },
        )


@dataclass(frozen=True)
class _Agreement:
    """Between which arms which attributes agree.

    A pattern is a number whose bit k says that attribute k agrees; ``patterns`` are those that
    occur, ``which`` (A, J) tells the pattern of each pair, ``holds`` (P, S) whether a pattern
    agrees on all attributes of a subset.
    """

    patterns: IntArray
    which: IntArray
    holds: FloatArray

    @classmethod
    def between(
        cls, first: IntArray, second: IntArray, subsets: Sequence[tuple[int, ...]]
    ) -> _Agreement:
        """Compare arms with codes ``first`` (A, K) and ``second`` (J, K)."""
        pattern = np.zeros((first.shape[0], second.shape[0]), dtype=np.int64)
        for k in range(first.shape[1]):
            pattern |= (first[:, [k]] == second[:, k]).astype(np.int64) << k
        patterns, which = np.unique(pattern, return_inverse=True)
        bits = np.asarray([sum(1 << k for k in subset) for subset in subsets], dtype=np.int64)
        holds = ((patterns[:, None] & bits) == bits).astype(np.float64)
        return cls(patterns, which.reshape(pattern.shape), holds)

    def covariance(self, variances: FloatArray) -> FloatArray:
        """Return K, shape (A, J): the variances of the subsets on which a pair agrees."""
        return np.asarray((self.holds @ variances)[self.which])

    def totals(self, weight: FloatArray) -> FloatArray:
        """Return the sum of ``weight`` (A, J) over the pairs that agree on each subset."""
        by_pattern = np.bincount(self.which.ravel(), weight.ravel(), minlength=self.patterns.size)
        return np.asarray(by_pattern @ self.holds)


@dataclass(frozen=True)
class _Effects:
    """The observed arms and on which attributes they agree."""

    space: AttributeSpace
    subsets: tuple[tuple[int, ...], ...]
    seen: ArmMeans

    @cached_property
    def agreement(self) -> _Agreement:
        return self.agreement_of(self.seen.index)

    def agreement_of(self, arms: IntArray) -> _Agreement:
        codes = self.space.codes
        return _Agreement.between(codes(arms), codes(self.seen.index), self.subsets)

    def maximise(self, most_steps: int) -> FloatArray:
        """Return the tau_S^2 of highest marginal likelihood."""
        count = len(self.subsets)
        bounds = [(np.log(_LEAST_VARIANCE), np.log(_MOST_VARIANCE))] * count
        start = np.full(count, np.log(_FIRST_TOTAL / count))
        best = minimize(
            self._loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": most_steps, "ftol": _TOLERANCE},
        )
        return np.asarray(np.exp(best.x))

    def _loss(self, log_variances: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log marginal likelihood and its gradient by log tau_S^2.

        With C = K + noise and alpha = C^-1 (y - mu), the derivative of the log likelihood is
        tau_S^2 / 2 times the sum of alpha alpha' - C^-1 over the pairs that agree on S.
        """
        variances = np.exp(log_variances)
        fitted = _Posterior(self, variances)
        inverse = cho_solve(fitted.factor, np.eye(self.seen.y.size))
        log_det = 2.0 * float(np.log(np.diag(fitted.factor[0])).sum())
        loss = 0.5 * (float((self.seen.y - fitted.mu) @ fitted.alpha) + log_det)
        rise = self.agreement.totals(np.outer(fitted.alpha, fitted.alpha) - inverse)
        return loss, -0.5 * variances * rise


@dataclass(frozen=True)
class _Posterior:
    """The posterior at given variances."""

    effects: _Effects
    variances: FloatArray

    @cached_property
    def factor(self) -> tuple[FloatArray, bool]:
        seen = self.effects.seen
        C = self.effects.agreement.covariance(self.variances)
        C[np.diag_indices_from(C)] += seen.noise / seen.n
        factor: tuple[FloatArray, bool] = cho_factor(C, lower=True)
        return factor

    @cached_property
    def mu(self) -> float:
        weight = cho_solve(self.factor, np.ones(self.effects.seen.y.size))
        return float(weight @ self.effects.seen.y / weight.sum())

    @cached_property
    def alpha(self) -> FloatArray:
        return np.asarray(cho_solve(self.factor, self.effects.seen.y - self.mu))

    def predict(self, arms: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of the accuracy of ``arms``; mu counts as unknown."""
        mean, variance = np.empty(arms.size), np.empty(arms.size)
        one = cho_solve(self.factor, np.ones(self.effects.seen.y.size))
        for part, K in self._parts(arms):
            solved = cho_solve(self.factor, K.T)
            mean[part] = self.mu + K @ self.alpha
            unexplained = self.variances.sum() - np.einsum("aj,ja->a", K, solved)
            variance[part] = unexplained + (1.0 - K @ one) ** 2 / one.sum()
        return mean, np.maximum(variance, 0.0)

    def draw(self, arms: IntArray, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """Return joint draws: draws of the prior, moved by what they miss of the labels."""
        seen = self.effects.seen
        one = cho_solve(self.factor, np.ones(seen.y.size))
        both = np.concatenate([arms, seen.index])
        prior = np.zeros((both.size, _N_DRAWS))
        for subset, variance in zip(self.effects.subsets, self.variances, strict=True):
            _, member = np.unique(group_of(self.effects.space, subset, both), return_inverse=True)
            effect = rng.standard_normal((int(member.max()) + 1, _N_DRAWS)) * np.sqrt(variance)
            prior += effect[member]
        noise = np.sqrt(seen.noise / seen.n)[:, None] * rng.standard_normal(
            (seen.y.size, _N_DRAWS)
        )
        missed = seen.y[:, None] - prior[arms.size :] - noise
        mu = one @ missed / one.sum()
        moved = cho_solve(self.factor, missed - mu)
        out = np.empty((_N_DRAWS, arms.size), dtype=np.float32)
        for part, K in self._parts(arms):
            out[:, part] = np.clip(mu + prior[: arms.size][part] + K @ moved, 0.0, 1.0).T
        return out

    def _parts(self, arms: IntArray) -> Iterator[tuple[slice, FloatArray]]:
        for start in range(0, arms.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            yield part, self.effects.agreement_of(arms[part]).covariance(self.variances)
