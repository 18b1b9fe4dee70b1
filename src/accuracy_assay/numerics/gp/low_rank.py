"""The posterior of very many cells: a prior of low rank, nested effects and each cell's rest.

Notation: see the sub-package. Besides: the prior of the pool's T cells is F z + r, with z normal
(``prior_factor``) and r the nested effects: those of arms, of an attribute of very many values,
and what F leaves of each cell (``nested_effects``). That rest counts in full at each cell but not
between cells (the fully independent conditional of Snelson and Ghahramani, 2006, with Cholesky
pivots for inducing points). U (J, rank) holds the rows of F at the J observed cells, and
A = I + U' Q U is the precision of z given the labels. The posterior of eta is again such a sum,

    eta = mean + R x + sum over levels of (loading times the effect of the cell's group) + rest,

so a product with its covariance costs T rank, and no array has the size of all pairs of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import expit

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.gp.anova import MEAN_LOGIT
from accuracy_assay.numerics.gp.nested_effects import Level, NestedEffects
from accuracy_assay.numerics.gp.newton import (
    LEAST_STEP,
    MOST_STEPS,
    NEARLY_THERE,
    TINY,
    step_size,
)
from accuracy_assay.numerics.gp.prior_factor import Factor, PriorFactor
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["LowRankPosterior", "fit_low_rank"]

_STRIP = 128
"""Rows of a triangular matrix that are multiplied together, without the zeros beside them."""
_CELLS_AT_ONCE = 8192
"""Rows of the factor in 64 bits at a time: 64 MB with a rank of 1,024."""


@dataclass(frozen=True, eq=False)
class LowRankPosterior:
    """The posterior of eta at the pool's cells.

    Parameters
    ----------
    mean, rest
        Mean, and variance of what cells do not share, (T,).
    R
        What they share, (T, rank).
    levels, loadings
        Groups of cells, and how far each cell moves with its group's effect of variance one.
    g
        Slope of the log-likelihood at the observed cells, (J,), for the next search.
    conditioned
        What the labels say about cells outside the pool.
    """

    mean: FloatArray
    R: npt.NDArray[np.float32]
    levels: Sequence[Level]
    loadings: Sequence[FloatArray]
    rest: FloatArray
    g: FloatArray
    conditioned: _Conditioned

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of eta, (T,)."""
        shared = np.einsum("tm,tm->t", self.R, self.R, dtype=np.float64)
        for c in self.loadings:
            shared += c * c
        return np.asarray(shared + self.rest)

    def times(self, x: FloatArray) -> FloatArray:
        """Return C x for the columns of a matrix, (T, m)."""
        total = (self.R @ (self.R.T @ x.astype(np.float32))).astype(np.float64)
        total += self.rest[:, None] * x
        for level, c in zip(self.levels, self.loadings, strict=True):
            total += c[:, None] * level.add_up(c[:, None] * x)[level.group]
        return np.asarray(total)

    def between(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return C between cells at two sets of positions, (m, n)."""
        C = (self.R[rows] @ self.R[columns].T).astype(np.float64)
        for level, c in zip(self.levels, self.loadings, strict=True):
            same = level.group[rows][:, None] == level.group[columns][None, :]
            C += np.where(same, c[rows][:, None] * c[columns], 0.0)
        C += np.where(rows[:, None] == columns, self.rest[rows][:, None], 0.0)
        return C

    def within(self, index: IntArray) -> FloatArray:
        """Return C among the cells of each row of ``index`` (a, c), (a, c, c)."""
        part = self.R[index]
        C = np.einsum("acm,adm->acd", part, part, optimize=True).astype(np.float64)
        for level, c in zip(self.levels, self.loadings, strict=True):
            group = level.group[index]
            same = group[:, :, None] == group[:, None, :]
            C += np.where(same, c[index][:, :, None] * c[index][:, None, :], 0.0)
        C += (index[:, :, None] == index[:, None, :]) * self.rest[index][:, :, None]
        return np.asarray(C)

    def elsewhere(
        self, F: Factor, rest: FloatArray, groups: Sequence[IntArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of eta at cells without labels, (m,) each.

        Parameters
        ----------
        F, rest
            Their rows of the prior's factor, and the variance that they share with no label.
        groups
            Their group on each level; -1 for one without labels, whose variance is in ``rest``.
        """
        mean, spread = self.conditioned.far_away(F, groups)
        return mean, rest + spread

    def draw(self, count: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """Return draws of eta, (S, T)."""
        x = rng.standard_normal((count, self.R.shape[1]), dtype=np.float32)
        total = x @ self.R.T
        for level, c in zip(self.levels, self.loadings, strict=True):
            effect = rng.standard_normal((count, level.s.size), dtype=np.float32)
            for drawn, each in zip(total, effect, strict=True):
                drawn += c * each[level.group]
        for drawn in total:  # one at a time: no second array of this size
            drawn += self.mean + np.sqrt(self.rest) * rng.standard_normal(self.rest.size)
        return total


def fit_low_rank(
    prior: PriorFactor,
    levels: Sequence[Level],
    observed: IntArray,
    y: FloatArray,
    n: FloatArray,
    start: FloatArray,
) -> LowRankPosterior:
    """Return the posterior of eta at the cells of ``prior``, whose factor is overwritten.

    Parameters
    ----------
    prior, levels
        The prior of the pool's cells, and the effects that they share within groups.
    observed
        Positions of the observed cells, (J,).
    y, n
        Their successes and trials.
    start
        A guess of g, (J,), used if it helps.
    """
    search = _ModeSearch(prior, [level.take(observed) for level in levels], observed, y, n)
    f = search.run(start)
    rho = expit(MEAN_LOGIT + f)
    W = n * rho * (1.0 - rho)
    at_mode = _LowRankCurvature(search, W)
    _, a, _ = at_mode.condition(search.data(f, W))
    # The skewness of the likelihood moves the mean by C tilt (see ``laplace.mean_shift``), as data
    # of tilt / W would.
    tilt = -0.5 * at_mode.variance * (1.0 - 2.0 * rho)
    _, weights, z = at_mode.condition(search.data(f, W) + tilt)
    conditioned = _Conditioned(at_mode, weights, z)
    number = np.full(prior.rest.size, -1)
    number[observed] = np.arange(observed.size)
    F, mean = prior.F, np.empty(number.size)
    for begin in range(0, number.size, _CELLS_AT_ONCE):
        rows = slice(begin, begin + _CELLS_AT_ONCE)
        groups = [level.group[rows] for level in levels]
        mean[rows], F[rows] = conditioned.at(F[rows].astype(np.float64), groups, number[rows])
    effects = at_mode.effects
    rest, shares = prior.rest.copy(), np.ones(number.size)
    rest[observed] = effects.left
    shares[observed] = 1.0 / (1.0 + effects.rest * effects.W)
    loadings = effects.loadings(levels, shares)
    return LowRankPosterior(mean, F, levels, loadings, rest, a, conditioned)


class _ModeSearch:
    """The Newton search for the mode, f = K a, which `laplace.find_mode` does densely."""

    def __init__(
        self,
        prior: PriorFactor,
        levels: Sequence[Level],
        observed: IntArray,
        y: FloatArray,
        n: FloatArray,
    ) -> None:
        self.U = prior.F[observed].astype(np.float64)
        self.rest, self.levels = prior.rest[observed], levels
        self.y, self.n = y, n

    def times(self, a: FloatArray) -> FloatArray:
        """Return K a."""
        effects = NestedEffects(self.rest, self.levels, np.zeros_like(self.rest))
        return np.asarray(self.U @ (self.U.T @ a) + effects.times(a[:, None])[:, 0])

    def data(self, f: FloatArray, W: FloatArray) -> FloatArray:
        """Return the normal data of precision W that would have the labels' slope at f."""
        slope = self.y - self.n * expit(MEAN_LOGIT + f)
        return np.asarray(f + slope / np.maximum(W, TINY))

    def height(self, f: FloatArray, a: FloatArray) -> float:
        eta = MEAN_LOGIT + f
        return float(self.y @ eta - self.n @ np.logaddexp(0.0, eta) - 0.5 * f @ a)

    def run(self, start: FloatArray) -> FloatArray:
        """Return f at the mode."""
        zero = np.zeros_like(start)
        f = self.times(start)
        a, f = (start, f) if self.height(f, start) > self.height(zero, zero) else (zero, zero)
        curvature, before, last = self._curvature(f), np.inf, np.inf
        for _ in range(MOST_STEPS):
            there, there_a, _ = curvature.condition(self.data(f, curvature.effects.W))
            to_f, to_a = there - f, there_a - a
            largest = float(np.abs(to_f).max())
            if not np.isfinite(largest):
                raise ConvergenceError(
                    "the search for the posterior must stay finite; got a step that is not. "
                    "Check the labels for extreme weights."
                )
            size = step_size(self.height, f, a, to_f, to_a)
            a, f = a + size * to_a, f + size * to_f
            if largest <= LEAST_STEP:
                break
            if largest > 0.5 * before:
                if last < NEARLY_THERE and largest > 0.5 * last:
                    break  # only rounding is left
                curvature, before, last = self._curvature(f), np.inf, largest
            else:
                before = largest
        return f

    def _curvature(self, f: FloatArray) -> _LowRankCurvature:
        rho = expit(MEAN_LOGIT + f)
        return _LowRankCurvature(self, self.n * rho * (1.0 - rho))


class _LowRankCurvature:
    """The solver at one W: Q and the factor of A."""

    def __init__(self, search: _ModeSearch, W: FloatArray) -> None:
        self.search = search
        self.effects = NestedEffects(search.rest, search.levels, W)
        self.QU = self.effects.solve(search.U)
        A = search.U.T @ self.QU
        A[np.diag_indices_from(A)] += 1.0
        self.root = cholesky(A, lower=True, overwrite_a=True, check_finite=False)

    def condition(self, data: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return f given normal data of precision W, with a, f = K a, and the factors z.

        a is the residual of the data over its variance, and f is added up from z and the effects:
        K a would magnify rounding, by millions if labels are millions.
        """
        z = cho_solve((self.root, True), self.QU.T @ data, check_finite=False)
        along = self.search.U @ z
        a = self.effects.solve((data - along)[:, None])[:, 0]
        return along + self.effects.times(a[:, None])[:, 0], a, z

    @property
    def variance(self) -> FloatArray:
        """Posterior variance of eta at the observed cells, (J,)."""
        effects, search = self.effects, self.search
        loose = search.U - effects.times(self.QU)
        R = solve_triangular(self.root, loose.T, lower=True)
        shares = 1.0 / (1.0 + effects.rest * effects.W)
        total = (R * R).sum(axis=0) + effects.left
        for c in effects.loadings(search.levels, shares):
            total += c * c
        return np.asarray(total)


@dataclass(frozen=True, eq=False)
class _Conditioned:
    """What the labels say about any cells, given their rows of the factor.

    Parameters
    ----------
    at_mode
        The curvature at the mode.
    weights
        The posterior mean as weights of the kernel's columns, (J,).
    z
        The factors' part of it, (rank,).
    """

    at_mode: _LowRankCurvature
    weights: FloatArray
    z: FloatArray

    @cached_property
    def _reached(self) -> list[tuple[FloatArray, FloatArray]]:
        """By level, what each group's effect adds to the mean, (G,), and takes from F, (G, m)."""
        effects = self.at_mode.effects
        return [
            (
                effects.reach(level, self.weights[:, None])[:, 0],
                effects.reach(level, self.at_mode.QU),
            )
            for level in effects.levels
        ]

    def at(
        self, F: FloatArray, groups: Sequence[IntArray], number: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return mean and R of cells.

        Parameters
        ----------
        F
            Their rows of the factor, which are overwritten.
        groups
            Their group on each level; -1 if it has no label.
        number
            Which observed cell each is, -1 for none.
        """
        mean = MEAN_LOGIT + F @ self.z
        at = np.flatnonzero(number >= 0)
        seen, rest = number[at], self.at_mode.effects.rest
        mean[at] += rest[seen] * self.weights[seen]
        F[at] -= rest[seen][:, None] * self.at_mode.QU[seen]
        mean += self._add_groups(F, groups)
        return mean, solve_triangular(self.at_mode.root, F.T, lower=True).T

    def far_away(self, F: Factor, groups: Sequence[IntArray]) -> tuple[FloatArray, FloatArray]:
        """Return mean and shared variance of cells without labels, whose F is overwritten.

        A is at least the identity, so products with the inverse of its root are exact enough in
        32 bits, and far faster than substitution: arms without rows may be tens of thousands.
        """
        mean = MEAN_LOGIT + (F @ self.z.astype(np.float32)).astype(np.float64)
        mean += self._add_groups(F, groups)
        spread, inverse = np.zeros(mean.size), self._inverse_root
        for end in range(_STRIP, inverse.shape[0] + _STRIP, _STRIP):
            R = F[:, :end] @ inverse[end - _STRIP : end, :end].T  # the rest of the strip is zero
            spread += np.einsum("tm,tm->t", R, R)
        return mean, spread

    @cached_property
    def _inverse_root(self) -> Factor:
        root = self.at_mode.root
        inverse = solve_triangular(root, np.eye(root.shape[0]), lower=True)
        return np.asarray(inverse, np.float32)

    def _add_groups(self, F: FloatArray | Factor, groups: Sequence[IntArray]) -> FloatArray:
        """Return what the effects of groups add to the mean; what they take from F is taken."""
        mean = np.zeros(F.shape[0])
        for group, (gain, loss) in zip(groups, self._reached, strict=True):
            known = np.flatnonzero(group >= 0)
            mean[known] += gain[group[known]]
            F[known] -= loss[group[known]]
        return mean
