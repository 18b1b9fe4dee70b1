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

from accuracy_assay.estimators._effects import effect_subsets, group_of
from accuracy_assay.estimators._normal_arms import ArmMeans, build_surface, know_nothing
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.observations import Observations
from accuracy_assay.space import AttributeSpace
from accuracy_assay.surface import AccuracySurface

__all__ = ["Shrinkage"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LEAST_VARIANCE, _MOST_VARIANCE = 1e-8, 1.0
_FIRST_TOTAL = 0.05
_CHUNK = 2048
_N_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """Estimate arms by shrinking additive effects.

    Parameters
    ----------
    most_subsets
        Most subsets of attributes that get a variance of their own; spaces with more keep the
        single attributes, the pairs and the arm's own effect.
    level
        Probability of the intervals.
    """

    most_subsets: int = 63
    level: float = 0.9

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the posterior surface given ``observations``."""
        seen = ArmMeans.of_arms(observations)
        if not seen.n.size:
            return know_nothing(observations, "shrinkage", self.level)
        space = observations.space
        subsets = effect_subsets(len(space.attributes), self.most_subsets)
        effects = _Effects(space, tuple(subsets), seen)
        model = _Fitted(effects, effects.maximise())
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
class _Effects:
    """The observed arms and the groups that they fall into."""

    space: AttributeSpace
    subsets: tuple[tuple[int, ...], ...]
    seen: ArmMeans

    @cached_property
    def groups(self) -> list[IntArray]:
        return [group_of(self.space, subset, self.seen.index) for subset in self.subsets]

    def covariance(self, groups: Sequence[IntArray], variances: FloatArray) -> FloatArray:
        """Return K between arms with the given groups and the observed ones, shape (A, J)."""
        K = np.zeros((groups[0].size, self.seen.index.size))
        for group, own, variance in zip(groups, self.groups, variances, strict=True):
            K += variance * (group[:, None] == own)
        return K

    def maximise(self) -> FloatArray:
        """Return the tau_S^2 of highest marginal likelihood."""
        count = len(self.subsets)
        bounds = [(np.log(_LEAST_VARIANCE), np.log(_MOST_VARIANCE))] * count
        start = np.full(count, np.log(_FIRST_TOTAL / count))
        best = minimize(self._loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return np.asarray(np.exp(best.x))

    def _loss(self, log_variances: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log marginal likelihood and its gradient by log tau_S^2.

        With C = K + noise, alpha = C^-1 (y - mu) and tau_S^2 alone in S, the derivative of the
        log likelihood is tau_S^2 / 2 (alpha' M alpha - tr(C^-1 M)), M the matrix of [a_S = b_S]:
        sums over groups of arms that agree on S.
        """
        variances = np.exp(log_variances)
        fitted = _Fitted(self, variances)
        inverse = cho_solve(fitted.factor, np.eye(self.seen.y.size))
        log_det = 2.0 * float(np.log(np.diag(fitted.factor[0])).sum())
        loss = 0.5 * (float((self.seen.y - fitted.mu) @ fitted.alpha) + log_det)
        gradient = np.empty(variances.size)
        for s, group in enumerate(self.groups):
            _, member = np.unique(group, return_inverse=True)
            squares = sum_by_group(member, fitted.alpha, int(member.max()) + 1) ** 2
            trace = float(inverse[group[:, None] == group].sum())
            gradient[s] = -0.5 * variances[s] * (float(squares.sum()) - trace)
        return loss, gradient


@dataclass(frozen=True)
class _Fitted:
    """The posterior at given variances."""

    effects: _Effects
    variances: FloatArray

    @cached_property
    def factor(self) -> tuple[FloatArray, bool]:
        seen = self.effects.seen
        C = self.effects.covariance(self.effects.groups, self.variances)
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
            groups = [group_of(self.effects.space, s, arms[part]) for s in self.effects.subsets]
            yield part, self.effects.covariance(groups, self.variances)
