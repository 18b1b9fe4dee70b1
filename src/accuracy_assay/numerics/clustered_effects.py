"""Random effects of arms on one number per row, where rows of a cluster go together.

    d_i = x_i' u + noise_i,   u_p ~ t_4(0, t_kind(p) s^2),   Var(noise) = s^2,
    correlation of the noise of two rows of one cluster: r

One noise variance s^2 is shared by all rows: weighing each arm by a variance of its own would
favour arms that happen to have shown no difference yet. Effects have Student's t distribution with
four degrees of freedom (Lange, Little and Taylor, 1989), since a few arms may be far off and most
not at all: a normal one would draw the few inwards and widen the many. It is a normal one whose
variance has a scale of its own for each term, found by expectation and maximisation. The variances
t of the kinds of terms and r have weak priors and are integrated out: draws around the maximum of
the marginal likelihood, weighted by the posterior.

Notation: m rows, A arms, P terms; X (m, P) sparse holds the terms of each row
(`numerics.effect_terms`, a term of its own per labelled arm, and slopes). With n_c rows in
cluster c the inverse of the noise's correlation is (I - k_c 1 1') / (1 - r),
k_c = r / (1 - r + r n_c), so sums over clusters of each size are all that is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.numerics.effect_terms import LEVEL_VARIANCE, EffectTerms
from accuracy_assay.runtime.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Averages", "ClusteredEffects", "Mixture", "fit_clustered_effects"]

_USUAL, _SPREAD = -4.0, 1.5
"""Log-normal prior of the variances of terms, as in `numerics.own_effects`."""
_BOUNDS = (-12.0, 2.0)
_USUAL_CLUSTER, _CLUSTER_SPREAD = -1.5, 1.5
"""Normal prior of the logit of r: 90% of its mass lies between 0.02 and 0.72."""
_CLUSTER_BOUNDS = (-7.0, 7.0)
_PRIOR_SQUARES, _PRIOR_LABELS = 2.0, 4.0
"""The prior of s^2: four more rows, one off by one each way and two not at all, as in Agresti and
Coull's interval. Rows that never differed yet may, and so may rows of one cluster."""
_FREEDOM, _ROUNDS = 4.0, 4
"""Degrees of freedom of the effects, and rounds that find their scales: a fifth changes none by a
tenth."""
_DRAWS = 32
"""Draws of the variances: the mean of a tail probability over them has an error of a tenth of it,
less than the choice of their prior makes."""
_STEP = 0.25
"""Step of the finite differences in log variances: the posterior is about 1 wide."""
_LEAST_CURVATURE = 0.3
"""Least curvature of the log posterior, a little less than that of the prior."""
_TINY = 1e-12
_MOST_TERMS, _MOST_OWN = 400, 400
"""Most terms with pairs, and most arms with a term of their own: a factorisation of 800 terms
takes 20 ms, and a fit some hundred."""


@dataclass(frozen=True, eq=False)
class Averages:
    """Q averages of rows that are asked about.

    Parameters
    ----------
    known : shape (Q,)
        What rows with a label contribute.
    weight : shape (Q, A)
        Weight of the expectation of each arm's other rows, sparse or dense.
    slopes : shape (Q, q)
        Weight of each slope.
    noise, together : shape (Q,)
        Squared weights of those rows, summed; squares of their sums by cluster, summed.
    """

    known: FloatArray
    weight: FloatArray
    slopes: FloatArray
    noise: FloatArray
    together: FloatArray


@dataclass(frozen=True, eq=False)
class Mixture:
    """Normal distributions with weights (S,): means and deviations of Q quantities, (S, Q)."""

    share: FloatArray
    means: FloatArray
    sds: FloatArray

    @property
    def mean(self) -> FloatArray:
        """(Q,)."""
        return np.asarray(self.share @ self.means)

    @property
    def sd(self) -> FloatArray:
        """(Q,)."""
        second = self.share @ (self.sds**2 + self.means**2)
        return np.sqrt(np.maximum(second - self.mean**2, 0.0))

    def below(self, x: FloatArray | float) -> FloatArray:
        """Return the probability of being at most x, (Q,)."""
        from scipy.special import ndtr

        return np.asarray(self.share @ ndtr((x - self.means) / np.maximum(self.sds, _TINY)))

    def quantile(self, p: float) -> FloatArray:
        """Return the quantile of each quantity, (Q,)."""
        reach = 12.0 * self.sds.max(axis=0) + 1e-9
        low, high = self.means.min(axis=0) - reach, self.means.max(axis=0) + reach
        for _ in range(60):
            middle = 0.5 * (low + high)
            is_left = self.below(middle) < p
            low, high = np.where(is_left, middle, low), np.where(is_left, high, middle)
        return np.asarray(0.5 * (low + high))


def fit_clustered_effects(
    codes: IntArray,
    arm: IntArray,
    d: FloatArray,
    rng: np.random.Generator,
    *,
    slopes: FloatArray | None = None,
    cluster: IntArray | None = None,
) -> ClusteredEffects:
    """Return the posterior of the effects.

    Parameters
    ----------
    codes
        Attribute codes of the arms, (A, K).
    arm, d
        Arm and number of each labelled row, (m,).
    rng
        Draws the variances.
    slopes
        What else is known of each labelled row, (m, q).
    cluster
        Cluster of each labelled row, (m,).
    """
    return ClusteredEffects.of(codes, arm, d, rng, slopes, cluster)


@dataclass(frozen=True, eq=False)
class _Sums:
    """What the rows of all clusters of one size add up to: their number, and products of sums."""

    size: int
    count: int
    G: FloatArray
    b: FloatArray
    yy: float


@dataclass(frozen=True, eq=False)
class _Fit:
    """The posterior at given variances."""

    t: FloatArray
    factor: FloatArray
    u: FloatArray
    s2: float
    r: float
    own: float
    log_posterior: float


@dataclass(frozen=True, eq=False)
class ClusteredEffects:
    """The posterior: fits at some variances, and the share of each."""

    terms: EffectTerms
    seen: IntArray
    n_slopes: int
    fits: tuple[_Fit, ...]
    share: FloatArray

    @classmethod
    def of(
        cls,
        codes: IntArray,
        arm: IntArray,
        d: FloatArray,
        rng: np.random.Generator,
        slopes: FloatArray | None,
        cluster: IntArray | None,
    ) -> ClusteredEffects:
        """Fit."""
        from scipy.sparse import csr_array, hstack

        terms = EffectTerms.of(codes, _MOST_TERMS)
        seen, own = np.unique(arm, return_inverse=True)
        if seen.size > _MOST_OWN:  # few labels each: what is an arm's own is noise
            seen, own = seen[:0], np.zeros(0, dtype=np.int64)
        one = (np.ones(own.size), (np.arange(own.size), own))
        parts = [terms.phi[arm], csr_array(one, shape=(arm.size, seen.size))]
        n_slopes = 0 if slopes is None else int(slopes.shape[1])
        if slopes is not None:
            parts.append(csr_array(slopes))
        problem = _Problem(terms, seen.size, n_slopes, csr_array(hstack(parts)), d, cluster)
        fits, share = problem.integrated(rng)
        return cls(terms, seen, n_slopes, fits, share)

    def averages(self, asked: Averages) -> Mixture:
        """Return the posterior of averages."""
        from scipy.linalg import solve_triangular

        weight = np.asarray(asked.weight)
        v = np.hstack([weight @ self.terms.phi.toarray(), weight[:, self.seen], asked.slopes])
        unseen = np.ones(weight.shape[1], dtype=bool)
        unseen[self.seen] = False
        # Of no arm, if none has a term of its own: then that is part of the noise.
        alone = (weight[:, unseen] ** 2).sum(axis=1) * bool(self.seen.size)
        means, sds = [], []
        for fit in self.fits:
            spread = (solve_triangular(fit.factor, v.T, lower=True) ** 2).sum(axis=0)
            noise = (1.0 - fit.r) * asked.noise + fit.r * asked.together
            means.append(asked.known + v @ fit.u)
            sds.append(np.sqrt(fit.s2 * (spread + fit.own * alone + noise)))
        return Mixture(self.share, np.array(means), np.array(sds))

    @property
    def noise_variance(self) -> float:
        """Mean of s^2."""
        return float(self.share @ [fit.s2 for fit in self.fits])

    @property
    def correlation(self) -> float:
        """Mean of r."""
        return float(self.share @ [fit.r for fit in self.fits])


@dataclass(frozen=True, eq=False)
class _Problem:
    """The rows; X has the terms, then the seen arms' own, then the slopes."""

    terms: EffectTerms
    n_seen: int
    n_slopes: int
    X: csr_array
    d: FloatArray
    cluster: IntArray | None

    @cached_property
    def _plain(self) -> _Sums:
        X, d = self.X, self.d
        return _Sums(1, d.size, (X.T @ X).toarray(), np.asarray(X.T @ d), float(d @ d))

    @cached_property
    def _clustered(self) -> list[_Sums]:
        """Sums over the clusters of each size that have several labels."""
        from scipy.sparse import csr_array

        if self.cluster is None:
            return []
        _, group = np.unique(self.cluster, return_inverse=True)
        size = np.bincount(group)
        one = (np.ones(group.size), (group, np.arange(group.size)))
        into = csr_array(one, shape=(size.size, group.size))
        Z, z = csr_array(into @ self.X), np.asarray(into @ self.d)
        found = []
        for each in np.unique(size[size > 1]).tolist():
            at = np.flatnonzero(size == each)
            part, y = Z[at], z[at]
            G, b = (part.T @ part).toarray(), np.asarray(part.T @ y)
            found.append(_Sums(int(each), at.size, G, b, float(y @ y)))
        return found

    @property
    def _n_variances(self) -> int:
        return self.terms.n_kinds + 1

    def at(self, theta: FloatArray, scale: FloatArray) -> _Fit:
        """Return the posterior at log variances, and the logit of r if rows have clusters.

        ``scale`` has that of each term, and of the seen arms' own.
        """
        from scipy.linalg import cho_solve

        r = float(1.0 / (1.0 + np.exp(-theta[-1]))) if self._clustered else 0.0
        G, b, yy = self._plain.G, self._plain.b, self._plain.yy
        log_det = 0.0
        for part in self._clustered:
            k = r / (1.0 - r + r * part.size)
            G, b, yy = G - k * part.G, b - k * part.b, yy - k * part.yy
            one = (part.size - 1.0) * np.log1p(-r) + np.log1p(r * (part.size - 1.0))
            log_det += part.count * float(one)
        own = float(np.exp(theta[self.terms.n_kinds]))
        t = np.concatenate([self.terms.variances(theta), np.full(self.n_seen, own)]) * scale
        if self.n_seen:
            own *= float(scale[-self.n_seen :].mean())  # an arm without labels may be far off too
        t = np.concatenate([t, np.full(self.n_slopes, LEVEL_VARIANCE)])
        if self._clustered:  # a row alone in its cluster has the same variance as any other
            alone = self._alone
            G = (G - alone.G) / (1.0 - r) + alone.G
            b = (b - alone.b) / (1.0 - r) + alone.b
            yy = (yy - alone.yy) / (1.0 - r) + alone.yy
        precision = G + np.diag(1.0 / t)
        factor: FloatArray = np.asarray(np.linalg.cholesky(precision), dtype=np.float64)
        u = np.asarray(cho_solve((factor, True), b))
        squares = max(yy - float(b @ u), 0.0) + _PRIOR_SQUARES / (1.0 - r)
        n = self.d.size + _PRIOR_LABELS
        s2 = squares / n
        log_det += 2.0 * float(np.log(np.diag(factor)).sum()) + float(np.log(t).sum())
        found = -0.5 * (log_det + n * np.log(s2)) - self._prior(theta)
        return _Fit(t, factor, u, s2, r, own, float(found))

    @cached_property
    def _alone(self) -> _Sums:
        """Sums over the rows that are alone in their cluster."""
        assert self.cluster is not None
        _, group, size = np.unique(self.cluster, return_inverse=True, return_counts=True)
        at = np.flatnonzero(size[group] == 1)
        X, d = self.X[at], self.d[at]
        return _Sums(1, at.size, (X.T @ X).toarray(), np.asarray(X.T @ d), float(d @ d))

    def _prior(self, theta: FloatArray) -> float:
        off = (theta[: self._n_variances] - _USUAL) / _SPREAD
        found = 0.5 * float(off @ off)
        if self._clustered:
            found += 0.5 * ((float(theta[-1]) - _USUAL_CLUSTER) / _CLUSTER_SPREAD) ** 2
        return found

    def integrated(self, rng: np.random.Generator) -> tuple[tuple[_Fit, ...], FloatArray]:
        """Return fits at draws of the variances, and their posterior shares."""
        from scipy.optimize import minimize

        start = [_USUAL] * self._n_variances
        bounds = [_BOUNDS] * self._n_variances
        if self._clustered:
            start, bounds = [*start, _USUAL_CLUSTER], [*bounds, _CLUSTER_BOUNDS]
        best, scale = np.array(start), np.ones(self.terms.kind.size + self.n_seen)
        for k in range(_ROUNDS + 1):
            scale = self._scales(best, scale) if k else scale
            loss = partial(self._loss, scale=scale)
            best = np.asarray(minimize(loss, best, method="L-BFGS-B", bounds=bounds).x)
        low, high = np.array(bounds).T
        half = np.linalg.cholesky(np.linalg.inv(self._curvature(best, scale)))
        z = rng.standard_normal((_DRAWS // 2, best.size))
        z = np.concatenate([z, -z])
        draws = np.clip(best + z @ half.T, low, high)
        fits = tuple(self.at(theta, scale) for theta in draws)
        log_share = np.array([fit.log_posterior for fit in fits]) + 0.5 * (z**2).sum(axis=1)
        share = np.exp(np.minimum(log_share - np.median(log_share), _MOST_LOG_SHARE))
        return fits, share / share.sum()

    def _loss(self, theta: FloatArray, scale: FloatArray) -> float:
        return -self.at(theta, scale).log_posterior

    def _scales(self, theta: FloatArray, scale: FloatArray) -> FloatArray:
        """Return the scale of each effect's variance, given what it is taken to be."""
        fit, n = self.at(theta, scale), scale.size
        inverse = np.linalg.inv(fit.factor)
        square = fit.u**2 / fit.s2 + (inverse**2).sum(axis=0)
        found = (_FREEDOM + square[:n] * scale / fit.t[:n]) / (_FREEDOM + 1.0)
        found[: self.terms.kind.size][self.terms.kind == 0] = 1.0  # the level is as good as free
        return np.asarray(found)

    def _curvature(self, best: FloatArray, scale: FloatArray) -> FloatArray:
        """Return the negative second derivatives of the log posterior, made positive."""
        size = best.size

        def f(*steps: tuple[int, float]) -> float:
            theta = best.copy()
            for k, step in steps:
                theta[k] += step
            return self._loss(theta, scale)

        middle, H = f(), np.zeros((size, size))
        up = [f((k, _STEP)) for k in range(size)]
        down = [f((k, -_STEP)) for k in range(size)]
        for k in range(size):
            H[k, k] = (up[k] + down[k] - 2.0 * middle) / _STEP**2
            for j in range(k):
                both = f((k, _STEP), (j, _STEP)) - up[k] - up[j] + middle
                H[k, j] = H[j, k] = both / _STEP**2
        values, vectors = np.linalg.eigh(H)
        return np.asarray((vectors * np.maximum(values, _LEAST_CURVATURE)) @ vectors.T)


_MOST_LOG_SHARE = 2.0
"""Most that a draw may outweigh the middle one, as a logarithm: truncated importance sampling
(Ionides, 2008), so that no single draw is the posterior."""
