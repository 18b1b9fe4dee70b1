"""Averages over arms: the factors that they come from, made from the posterior of cells.

A surface answers by these factors before and after it is saved (``domain.factored_arms``). Only a
pool of more arms than a file holds is averaged from its cells.

Notation: an average with weights w (A,) over listed arms gives cell t the weight omega (T,), w of
its arm times the cell's share there. With the terms of ``logistic_terms`` and the deviation of
eta, v = omega term_1 / sd is the linear part, C v its covariance with every logit and Z = v' eta
standardised; r (T,) is the correlation of each logit with Z, and

    a_k = sum over cells of omega term_k r^k    (see ``numerics.intervals.weighted_sum``)

The rest is each cell's own variance, and the coins of rows without a label.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky
from scipy.sparse import csr_array

from accuracy_assay.domain.averages import Draws
from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.drawn_arms import DrawnArms
from accuracy_assay.domain.factored_arms import FactoredArms, OtherOverall, interval_by_draws
from accuracy_assay.estimators.anova.arm_summary import MOST_DRAWN_ARMS, ArmSummary
from accuracy_assay.estimators.anova.low_rank_node import LowRankNode, fit_low_rank_node
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.estimators.anova.node import Node
from accuracy_assay.numerics.intervals.weighted_sum import Interval, SumParts, sum_interval
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["ArmAverages"]

_MOST_EXACT_FACTORS = 1024
"""Up to this many arms there are as many factors as arms, above it this many factors: a file of
5,000 arms grows by 10 MB."""
_JITTER = 1e-9
"""Relative to the mean variance of a covariance: covers rounding."""
_ROUNDING = 1e-6
"""Of a number of rows: sums of fractions are off by less."""
_LEAST_VARIANCE = 1e-24
"""Smallest variance of an average: a known one has zero, which would make 0 / 0."""


@dataclass(frozen=True, eq=False)
class ArmAverages:
    """Averages of the arms of a fitted model.

    Parameters
    ----------
    model, summary
        The model, and what it says about each arm.
    draws
        Returns the joint draws of all arms that a file keeps, for averages of few arms.
    """

    model: AnovaModel
    summary: ArmSummary
    draws: Callable[[], Draws]

    @cached_property
    def _to_cells(self) -> csr_array:
        """The weight of each cell in its pool arm, (A_pool, T)."""
        support = self.model.support
        every = np.arange(support.cells.size)
        return csr_array((self.summary.weight, (support.arm_of_cell, every)))

    @property
    def doubt(self) -> Doubt | None:
        """What other calibrations of guessed attributes would say, None if nobody knows."""
        return self.summary.doubt

    @cached_property
    def _support(self) -> FloatArray:
        """Pool rows of the listed arms, (A,)."""
        return self.model.support.size_of(self.model.support.listed_arms)

    def intervals(self, weight: FloatArray, level: float) -> list[Interval]:
        """Return the intervals of averages, one per row of ``weight`` (m, A)."""
        if self.summary.in_pool.size > MOST_DRAWN_ARMS:
            return self._from_cells(weight, level)
        factored = self.factored()
        if factored is not None:
            return factored.intervals(weight, level)
        if self.doubt is not None:
            arms = DrawnArms(self.summary.mean, self._support, self.draws, self.doubt)
            return arms.intervals(weight, level)
        mean, drawn = weight @ self.summary.mean, self.draws()
        return [
            interval_by_draws(drawn, row, float(m), level)
            for row, m in zip(weight, mean, strict=True)
        ]

    def factored(self) -> FactoredArms | None:
        """Return the joint posterior of the listed arms by factors, made once.

        If arms are few enough, the factors are exact over all nodes; else they are of low rank at
        the best node, with one more for the mean of each. None if neither is possible.
        """
        return self._factored

    @cached_property
    def _factored(self) -> FactoredArms | None:
        summary, model = self.summary, self.model
        n_pool = summary.in_pool.size
        if n_pool <= _MOST_EXACT_FACTORS:
            F, terms = self._exact_factors()
        else:
            node = self._low_rank_node()
            if node is None or len(node.posterior.levels) > (n_pool < model.support.cells.size):
                return None
            F, terms = self._factors_of(node)
        terms[:, 0] += summary.noise
        mean = summary.mean
        every = np.zeros((mean.size, 4))
        every[:, 0] = summary.sd**2  # arms outside the pool are independent
        every[summary.in_pool] = terms
        known = (every, self.draws, self._support, self.doubt)
        return FactoredArms.of_pool(mean, F.astype(np.float32), summary.in_pool, *known)

    def _exact_factors(self) -> tuple[FloatArray, FloatArray]:
        """Return a square factor of the arms' linear parts over all nodes, and their terms."""
        gather, middle = self._to_cells, self._to_cells @ self.model.moments[0]
        total = np.zeros((gather.shape[0], gather.shape[0]))
        terms = np.zeros((gather.shape[0], 4))
        for node in self.model.nodes:
            linear = gather.multiply(node.terms[:, 1] / node.logit_sd).tocsr()
            away = gather @ node.moments[0] - middle
            within = node.among(linear)
            total += node.weight * (within + np.outer(away, away))
            terms += node.weight * _arm_terms(gather, node)
        scale = np.trace(total) / total.shape[0]
        total[np.diag_indices_from(total)] += _JITTER * scale + _LEAST_VARIANCE
        terms[:, 1] = np.sqrt(np.diag(total))
        return cholesky(total, lower=True), terms

    def _factors_of(self, node: LowRankNode) -> tuple[FloatArray, FloatArray]:
        """Return factors of low rank at the best theta, and the terms of arms.

        If there are several thetas, deviations are those over all of them, and each theta's
        distance from the mean of all is one more factor.
        """
        gather, model = self._to_cells, self.model
        slope = node.terms[:, 1] / node.logit_sd
        if len(model.nodes) > 1:
            slope = slope * model.deviation_to_best
        linear = gather.multiply(slope).tocsr()
        terms = _arm_terms(gather, node)
        F = np.asarray(linear.astype(np.float32) @ node.posterior.R)
        if len(model.nodes) > 1:
            F = np.hstack([F, (gather @ model.away.T).astype(np.float32)])
        squares = linear.power(2)
        own = squares @ node.posterior.rest
        for c in node.posterior.loadings:  # the arm's own effect, which all its cells share
            own += (linear @ c) ** 2
        terms[:, 1] = np.sqrt(np.einsum("ar,ar->a", F, F, dtype=np.float64) + own)
        return F, terms

    def _low_rank_node(self) -> LowRankNode | None:
        """Return the best node at low rank; None for mixtures and clusters."""
        model, best = self.model, self.model.nodes[0]
        if isinstance(best, LowRankNode):
            return best
        rows, support = model.rows, model.support
        if rows.P is not None or support.n_clusters > 1:
            return None
        return fit_low_rank_node(
            best.fitted,
            best.pool,
            best.n_cells,
            np.searchsorted(support.cells, rows.cells),
            rows.y / rows.dispersion,
            rows.n / rows.dispersion,
            best.g[: rows.cells.size],
            rank=_MOST_EXACT_FACTORS,
        )

    def _from_cells(self, weight: FloatArray, level: float) -> list[Interval]:
        summary = self.summary
        in_pool = weight[:, summary.in_pool]
        omega = np.asarray((self._to_cells.T @ in_pool.T).T)
        rest = self._elsewhere(weight) + in_pool**2 @ summary.noise
        rest += [self._doubtful(row) for row in weight]
        return self._sums(omega, weight @ summary.mean, rest, level)

    def _sums(
        self, omega: FloatArray, mean: FloatArray, rest: FloatArray, level: float
    ) -> list[Interval]:
        """Return the intervals of sums over cells (m, T) of known means, with further variance."""
        known = mean - omega @ self.model.moments[0]
        found = [self._along(node, omega) for node in self.model.nodes]
        return [
            sum_interval(
                [SumParts(w, k + m[i], tuple(a[i]), r[i] + e) for w, m, a, r in found], level
            )
            for i, (k, e) in enumerate(zip(known, rest, strict=True))
        ]

    def other_overall(self, level: float) -> OtherOverall | None:
        """Return the overall accuracy for the other target, None if it is not known.

        Clusters of the pool are others than all that there may be; and of a pool with fewer rows
        than labels nobody knows which of its rows are labelled.
        """
        model, support = self.model, self.model.support
        if support.n_clusters > 1 or model.is_average:
            return None
        counts, (rate, spread) = model.rows.on_cells(support.cells), model.moments
        labelled = np.zeros_like(rate) if support.is_pool else counts.n
        if np.any(labelled > support.size + _ROUNDING * np.maximum(labelled, 1.0)):
            return None
        free = np.maximum(support.size - labelled, 0.0)
        total = float((labelled + free).sum())
        settled = 0.0 if support.is_pool else float(counts.y.sum())
        mean = (settled + float(free @ rate)) / total
        coin = np.maximum(rate * (1.0 - rate) - spread, 0.0) * model.rows.dispersion
        noise = 0.0 if support.is_pool else float(free @ coin) / total**2
        noise += self._doubtful(self._support / self._support.sum())
        found = self._sums(free[None] / total, np.array([mean]), np.array([noise]), level)
        lower, upper, sd = found[0]
        return mean, max(lower, 0.0), min(upper, 1.0), sd

    def _doubtful(self, weight: FloatArray) -> float:
        """Return the variance that other calibrations add to an average with weights (A,)."""
        if self.doubt is None:
            return 0.0
        return self.doubt.variance(weight, self.summary.mean, self._support)

    def _elsewhere(self, weight: FloatArray) -> FloatArray:
        """Return the variance from arms outside the pool, which are independent, (m,)."""
        parts = weight * self.summary.sd
        parts[:, self.summary.in_pool] = 0.0
        return np.asarray((parts**2).sum(axis=1))

    @staticmethod
    def _along(
        node: Node | LowRankNode, omega: FloatArray
    ) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        """Return a node's weight and, for sums over cells (m, T), mean, a (m, 3), rest (m,)."""
        terms, sd = node.terms, node.logit_sd
        linear = omega * (terms[:, 1] / sd)
        reached = node.times(linear.T).T
        length = np.sqrt(np.maximum((linear * reached).sum(axis=1), _LEAST_VARIANCE))
        r = np.clip(reached / (length[:, None] * sd), -1.0, 1.0)
        weighed = [omega * terms[:, k] for k in (1, 2, 3)]
        a = [length, *((weighed[k] * r ** (k + 1)).sum(axis=1) for k in (1, 2))]
        # The linear part lies entirely along Z; the others leave each cell's own variance.
        own = [(weighed[k] ** 2 * (1.0 - r ** (2 * k + 2))).sum(axis=1) for k in (1, 2)]
        rest = own[0] + own[1] + omega**2 @ terms[:, 0] ** 2
        return node.weight, omega @ node.moments[0], np.stack(a, axis=1), rest


def _arm_terms(gather: csr_array, node: Node | LowRankNode) -> FloatArray:
    """Return t_0, t_2 and t_3 of arms, (A, 4), as if the cells of an arm moved together."""
    terms = np.zeros((gather.shape[0], 4))
    terms[:, 0] = gather.power(2) @ node.terms[:, 0] ** 2
    for k in (2, 3):
        terms[:, k] = gather @ node.terms[:, k]
    return terms
