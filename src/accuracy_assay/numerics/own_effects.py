"""What is each service's own: how far it is from the mean of all services, arm by arm.

The scores of k services on one row are split into their mean, m_i, which says how hard the row is
for all of them, and the rest, r_is = y_is - m_i. The rest of all services has one model, with
variances that are learned from all of them:

    r_is = x_is' b_s + e_s(a_i) + noise,   e_s(a) = u_0 + sum_g u_g(a) + u_own(a)

with one term u_g for each value of an attribute and for each pair of values of two, and one for
each arm. Terms of one kind have the variance t_g sigma_s^2, the noise sigma_s^2. The services have
the covariances of the noise between them, for terms as well as for noise; then the posterior of
each depends on its own scores alone (a multi-task Gaussian process without noise of its own has
that property; Helterbrand and Cressie, 1994), so the work is linear in services.

Slopes b_s of what is known about every row (x, such as how probable others make its answer) are
drawn to those of all services together.

Notation: A arms, n labelled rows, k services, q slopes, P terms; Phi (A, P) has a one for each
term of an arm. c_a labels in arm a; the mean of its rest has the variance t_own + 1 / c_a around
Phi u, in units of sigma^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.numerics.effect_terms import EffectTerms
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["OwnEffects", "Slopes", "design_effect", "fit_own_effects", "fit_slopes"]

_USUAL, _SPREAD = -4.0, 1.5
"""Log-normal prior of the variances of terms: 29 language models on 28 arms, 3 prompt forms on 124
and 4 speech services on 198 have logarithms of -3 to -6."""
_BOUNDS = (-12.0, 2.0)
_TINY = 1e-9
_PRIOR_LABELS = 4.0
"""Labels that the prior of sigma_s is worth: services that never differed from each other may yet.
A coin's rest has the variance (1 - 1 / k) / 4."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slopes b (k, q), and the variance of each, (k, q)."""

    value: FloatArray
    variance: FloatArray


def fit_slopes(x: FloatArray, rest: FloatArray) -> Slopes:
    """Return the slopes of the rest (n, k) on what is known of rows, (n, k, q).

    Each service's own least-squares slope is drawn to the common one by as much as slopes of
    services differ no more than chance would have it (moments; DerSimonian and Laird, 1986).
    """
    k, q = x.shape[1:]
    value, variance = np.zeros((k, q)), np.zeros((k, q))
    left = rest - rest.mean(axis=0)
    for j in range(q):
        away = x[:, :, j] - x[:, :, j].mean(axis=0)
        squares = np.maximum((away**2).sum(axis=0), _TINY)
        common = float((away * left).sum() / squares.sum())
        own = (away * left).sum(axis=0) / squares
        error = ((left - common * away) ** 2).mean(axis=0) / squares
        between = max(float(np.mean((own - common) ** 2 - error)), 1e-6)
        trust = between / (between + error)
        value[:, j] = common + trust * (own - common)
        variance[:, j] = trust * error
        left = left - away * value[:, j]
    return Slopes(value, variance)


def design_effect(rest: FloatArray, cluster: IntArray) -> float:
    """Return how much less a label is worth because rows of one cluster go together, at least 1.

    ``rest`` (n, k) has one intraclass correlation for all services, by analysis of variance.

    Examples
    --------
    >>> same = np.repeat([[1.0], [-1.0], [1.0], [-1.0]], 5, axis=0)
    >>> round(design_effect(same, np.repeat(np.arange(4), 5)), 6)
    5.0
    """
    _, group = np.unique(cluster, return_inverse=True)
    size = np.bincount(group).astype(np.float64)
    n, n_groups = float(group.size), size.size
    if n_groups < 2 or n_groups == group.size:
        return 1.0
    total = np.zeros((n_groups, rest.shape[1]))
    np.add.at(total, group, rest)
    mean = total / size[:, None]
    within = ((rest - mean[group]) ** 2).sum() / (n - n_groups)
    between = (size[:, None] * (mean - rest.mean(axis=0)) ** 2).sum() / (n_groups - 1.0)
    typical = (n - (size**2).sum() / n) / (n_groups - 1.0)
    shared = max(float(between - within), 0.0) / typical
    correlation = shared / max(shared + float(within), _TINY)
    return float(1.0 + correlation * ((size**2).sum() / n - 1.0))


def fit_own_effects(
    codes: IntArray, arm: IntArray, rest: FloatArray, inflation: float = 1.0
) -> OwnEffects:
    """Return the posterior of e_s(a).

    Parameters
    ----------
    codes
        Attribute codes of the arms, (A, d).
    arm
        Arm of each labelled row, (n,).
    rest
        What is left of r, (n, k).
    inflation
        How much less a label is worth because rows belong together, at least 1.
    """
    from scipy.optimize import minimize

    terms = EffectTerms.of(codes)
    data = _Data.of(codes.shape[0], arm, rest, inflation)

    def loss(theta: FloatArray) -> float:
        effects = OwnEffects(terms, data, theta)
        return effects.misfit + 0.5 * float((((theta - _USUAL) / _SPREAD) ** 2).sum())

    start = np.full(terms.n_kinds + 1, _USUAL)
    found = minimize(loss, start, method="L-BFGS-B", bounds=[_BOUNDS] * start.size)
    return OwnEffects(terms, data, np.asarray(found.x))


@dataclass(frozen=True, eq=False)
class _Data:
    """Labels and mean rest of the arms, what is left within arms, and the noise of a mean."""

    count: FloatArray
    mean: FloatArray
    within: FloatArray
    noise: FloatArray
    n_labels: int

    @classmethod
    def of(cls, n_arms: int, arm: IntArray, rest: FloatArray, inflation: float) -> _Data:
        count = sum_by_group(arm, np.ones(arm.size), n_arms)
        total = np.zeros((n_arms, rest.shape[1]))
        np.add.at(total, arm, rest)
        some = np.maximum(count, 1.0)
        mean = total / some[:, None]
        away = rest - mean[arm]
        return cls(count, mean, away.T @ away, inflation / some, arm.size)

    @cached_property
    def seen(self) -> IntArray:
        """Arms with a label."""
        return np.flatnonzero(self.count > 0.0)


@dataclass(frozen=True, eq=False)
class OwnEffects:
    """The posterior of e_s(a) at given variances.

    ``theta`` holds the logarithms of the variances of kinds of terms, and of an arm's own.
    """

    terms: EffectTerms
    data: _Data
    theta: FloatArray

    @property
    def n_services(self) -> int:
        """K."""
        return int(self.data.mean.shape[1])

    @property
    def _own(self) -> float:
        return float(np.exp(self.theta[-1]))

    @cached_property
    def _spread(self) -> FloatArray:
        """Variance of the mean rest of the arms with labels around Phi u, in units of sigma^2."""
        return self._own + self.data.noise[self.data.seen]

    @cached_property
    def _phi(self) -> csr_array:
        return self.terms.phi[self.data.seen]

    @cached_property
    def _factor(self) -> FloatArray:
        """Cholesky factor of the precision of u, (P, P)."""
        inner = (self._phi.T @ self._phi.multiply(1.0 / self._spread[:, None])).toarray()
        inner[np.diag_indices_from(inner)] += 1.0 / self.terms.variances(self.theta)
        return np.linalg.cholesky(inner)

    @cached_property
    def _projected(self) -> FloatArray:
        """The labels' pull on u, (P, k)."""
        seen = self.data.mean[self.data.seen]
        return np.asarray(self._phi.T @ (seen / self._spread[:, None]))

    @cached_property
    def _half(self) -> FloatArray:
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self._factor, self._projected, lower=True))

    @cached_property
    def _squares(self) -> FloatArray:
        """What the model leaves unexplained, (k, k), in units of the labels' own variance."""
        seen = self.data.mean[self.data.seen]
        between = seen.T @ (seen / self._spread[:, None]) - self._half.T @ self._half
        return np.asarray(between + self.data.within)

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the services' noise, (k, k)."""
        n = self.data.n_labels
        prior = 0.25 * (1.0 - 1.0 / self.n_services) * np.eye(self.n_services)
        return np.asarray((self._squares + _PRIOR_LABELS * prior) / (n + _PRIOR_LABELS))

    @property
    def misfit(self) -> float:
        """Negative log marginal likelihood of the labels, without constants."""
        log_det = 2.0 * np.log(np.diag(self._factor)).sum()
        log_det += np.log(self.terms.variances(self.theta)).sum() + np.log(self._spread).sum()
        sigma2 = np.diag(self.covariance)
        n = self.data.n_labels + _PRIOR_LABELS
        return float(0.5 * (self.n_services * log_det + n * np.log(sigma2).sum()))

    @cached_property
    def _trust(self) -> FloatArray:
        """Share of an arm's own labels in its own term, (A,)."""
        return np.where(self.data.count > 0.0, self._own / (self._own + self.data.noise), 0.0)

    @cached_property
    def mean(self) -> FloatArray:
        """Posterior mean of e, (A, k)."""
        from scipy.linalg import solve_triangular

        u = solve_triangular(self._factor.T, self._half)
        around = self.terms.phi @ u
        return np.asarray(around + self._trust[:, None] * (self.data.mean - around))

    def variance(self, weight: FloatArray) -> FloatArray:
        """Return the variance of averages of e with weights (Q, A), in units of sigma^2, (Q,)."""
        from scipy.linalg import solve_triangular

        carried = self.terms.phi.T @ (weight * (1.0 - self._trust)).T
        of_terms = (solve_triangular(self._factor, carried, lower=True) ** 2).sum(axis=0)
        return np.asarray(of_terms + weight**2 @ (self._own * (1.0 - self._trust)))

    def between(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the covariances of e in some arms with e in others, (m, n), by sigma^2."""
        left = 1.0 - self._trust
        own = np.where(rows[:, None] == columns, (self._own * left)[rows][:, None], 0.0)
        return np.asarray(self._reach[:, rows].T @ self._reach[:, columns] + own)

    def spread(self, arms: IntArray) -> FloatArray:
        """Return the variance of e in each of some arms, (m,), in units of sigma^2."""
        own = self._own * (1.0 - self._trust)
        return np.asarray(np.einsum("pa,pa->a", self._reach, self._reach)[arms] + own[arms])

    @cached_property
    def _reach(self) -> FloatArray:
        """What of the terms' doubt reaches each arm, (P, A)."""
        from scipy.linalg import solve_triangular

        carried = self.terms.phi.T.toarray() * (1.0 - self._trust)
        return np.asarray(solve_triangular(self._factor, carried, lower=True))

    def draw(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Return draws of e around its mean for one service with sigma of one, (S, A)."""
        from scipy.linalg import solve_triangular

        z = rng.standard_normal((self._factor.shape[0], n_draws))
        around = (self.terms.phi @ solve_triangular(self._factor.T, z)).T
        own = rng.standard_normal(around.shape) * np.sqrt(self._own * (1.0 - self._trust))
        return np.asarray(around * (1.0 - self._trust) + own)
