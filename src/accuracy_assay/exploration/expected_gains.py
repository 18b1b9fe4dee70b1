"""What one label of each kind of instance is expected to teach about one service.

Notation: I kinds of instances (``exploration.instance_kinds``). A label of kind i succeeds with
probability sum_c P_ic rho_c. A arms, T cells, of which the kinds touch m; arm a's accuracy leans
on cell c by (rows of the cell that have no label) / N_a. M, S, D and h are those of
``numerics.gp``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.exploration.likely_rows import LikelyRows
from accuracy_assay.numerics.gp.variance_gain import LabelGains, MatrixRows
from accuracy_assay.runtime.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ExpectedGains"]

_LEAST_VARIANCE = 1e-12  # of a label, as in ``LabelGains``
# Guessed kinds whose covariances are computed before they are picked: those that teach most. On
# faces the picks of a batch of 12 were among the best 33.
_LIKELY_KINDS = 48


@dataclass(frozen=True, eq=False)
class ExpectedGains:
    """What a label of each kind teaches, as one service's posterior sees it.

    Parameters
    ----------
    posterior
        The service's posterior over its cells.
    weight
        Weight of each arm of the pool, (A,).
    rows
        Each kind's row over cells.
    larger
        The same of more kinds, whose covariances with the arms serve these too.
    """

    posterior: CellPosterior
    weight: FloatArray
    rows: Affiliation
    larger: ExpectedGains | None = None

    @cached_property
    def _entry_cell(self) -> IntArray:
        """Position in the support of each entry of ``rows``."""
        return np.searchsorted(self.posterior.support.cells, self.rows.indices).astype(np.int64)

    @cached_property
    def _touched(self) -> IntArray:
        return np.flatnonzero(np.bincount(self._entry_cell))

    @cached_property
    def _column(self) -> IntArray:
        """Position among the touched cells of each entry of ``rows``."""
        column = np.zeros(self.posterior.support.cells.size, dtype=np.int64)
        column[self._touched] = np.arange(self._touched.size)
        return column[self._entry_cell]

    @cached_property
    def _mixture(self) -> csr_array:
        """P over the touched cells, (I, m)."""
        from scipy.sparse import csr_array  # not before something is chosen

        shape = (self.rows.n_rows, self._touched.size)
        return csr_array((self.rows.weights, self._column, self.rows.indptr), shape=shape)

    @cached_property
    def _row_of_arm(self) -> IntArray:
        """Row of M that each arm has, (A,); -1 for an arm of no weight, which has none."""
        return np.where(self.weight > 0.0, np.cumsum(self.weight > 0.0) - 1, -1)

    @cached_property
    def _weighing(self) -> IntArray:
        """Positions of the cells whose arms have a weight."""
        arm = self.posterior.support.arm_of_cell
        return np.flatnonzero(self._row_of_arm[arm] >= 0)

    @cached_property
    def _lean(self) -> csr_array:
        """L of the weighing arms and cells, each row times the root of its arm's weight."""
        from scipy.sparse import csr_array

        p, support, cells = self.posterior, self.posterior.support, self._weighing
        rows = (p.unlabelled if support.is_pool else support.size)[cells]
        arm = support.arm_of_cell[cells]
        share = np.sqrt(self.weight)[arm] * rows / support.arm_size[arm]
        shape = (int((self.weight > 0.0).sum()), cells.size)
        return csr_array((share, (self._row_of_arm[arm], np.arange(cells.size))), shape=shape)

    @cached_property
    def _row_share(self) -> FloatArray:
        """What one row of each touched cell weighs in its arm: root of the weight / N_a."""
        support = self.posterior.support
        arm = support.arm_of_cell[self._touched]
        return np.asarray(np.sqrt(self.weight)[arm] / support.arm_size[arm])

    @cached_property
    def _covariance(self) -> FloatArray:
        """Covariance of the weighing cells with the touched ones."""
        return self.posterior.covariance(self._weighing, self._touched)

    @cached_property
    def _reach(self) -> FloatArray:
        """Covariance of each weighing arm with the touched cells, (rows of M, m)."""
        if self._has_reach_of_larger:
            assert self.larger is not None
            at = np.searchsorted(self.larger._touched, self._touched)
            return self.larger._reach[:, at]
        return np.asarray(self._lean @ self._covariance)

    @property
    def _has_reach_of_larger(self) -> bool:
        """Whether the larger one has asked for all covariances, to promise something."""
        return self.larger is not None and not self.rows.is_exact

    @cached_property
    def _among(self) -> FloatArray:
        """Covariance of the touched cells, (m, m)."""
        if not np.isin(self._touched, self._weighing).all():
            return self.posterior.covariance(self._touched, self._touched)
        return self._covariance[np.searchsorted(self._weighing, self._touched)]

    def _with_every_kind(self, kinds: IntArray) -> FloatArray:
        """Return the covariance of some kinds with all, (k, I)."""
        part = self._mixture[kinds]
        cells = np.unique(part.indices)
        between = self.posterior.covariance(self._touched[cells], self._touched)
        return np.asarray((self._mixture @ (part[:, cells] @ between).T).T)

    @cached_property
    def _label_variance(self) -> FloatArray:
        """Variance of one label of each kind, (I,)."""
        p = self.posterior
        rate, variance = p.rate[self._touched], p.label_variance[self._touched]
        success_rate = self._mixture @ rate
        return np.asarray(self._mixture @ (variance + rate**2) - success_rate**2)

    def promise(self) -> FloatArray:
        """Return a quick guess of each kind's gain, (I,), to leave out those of no use."""
        if not self.rows.is_exact:
            longest = self._mixture @ np.sqrt(np.einsum("am,am->m", self._reach, self._reach))
            return np.asarray(longest**2 / np.maximum(self._label_variance, _LEAST_VARIANCE))
        p, cell = self.posterior, self._entry_cell
        h = self._row_share[self._column]
        s, D = p.variance[cell], np.maximum(p.label_variance[cell], _LEAST_VARIANCE)
        rows = p.unlabelled[cell] if p.support.is_pool else p.support.size[cell]
        settled = h**2 * (2.0 * rows * s + D - 2.0 * s) * p.support.is_pool
        return np.asarray(settled + (h * np.maximum(rows - 1.0, 0.0) * s) ** 2 / D)

    def take(self, chosen: IntArray) -> ExpectedGains:
        """Return the same of some kinds."""
        return ExpectedGains(self.posterior, self.weight, self.rows.take(chosen), self)

    def of_some_arms(self, count: int) -> ExpectedGains:
        """Return the same with the weight on the kinds' own arms and ``count`` of the others.

        The part is drawn at random, always the same one, and stands for all of them with its
        weight scaled up: what a label teaches about other arms is then right on average, and what
        it settles of its own arm is exact. Kinds that are only guessed have all arms.
        """
        if not self.rows.is_exact or np.count_nonzero(self.weight) <= count:
            return self
        its_own = np.unique(self.posterior.support.arm_of_cell[self._entry_cell])
        others = np.setdiff1d(np.flatnonzero(self.weight), its_own)
        if others.size <= count:
            return self
        part = np.random.default_rng(0).choice(others, count, replace=False)
        weight = np.zeros_like(self.weight)
        weight[its_own] = self.weight[its_own]
        weight[part] = self.weight[part] * (self.weight[others].sum() / self.weight[part].sum())
        return ExpectedGains(self.posterior, weight, self.rows)

    def gains(self) -> LabelGains:
        """Return what one label of each kind teaches."""
        n_kinds = self.rows.n_rows
        target, h = np.full(n_kinds, -1, dtype=np.int64), np.zeros(n_kinds)
        M, D = self._reach, self._label_variance
        S: MatrixRows
        if not self.rows.is_exact:
            M = np.ascontiguousarray((self._mixture @ M.T).T)
            learned = np.einsum("ai,ai->i", M, M) / np.maximum(D, _LEAST_VARIANCE)
            S = LikelyRows(self._with_every_kind, np.argsort(-learned)[:_LIKELY_KINDS], n_kinds)
            return LabelGains(M=M, S=S, D=D, target=target, h=h)
        S = self._among
        if not np.array_equal(self._touched, self._entry_cell):
            M, S = M[:, self._column], self._among[np.ix_(self._column, self._column)]
        if self.posterior.support.is_pool:
            target = self._row_of_arm[self.posterior.support.arm_of_cell[self._entry_cell]]
            h = self._row_share[self._column]
        return LabelGains(M=M, S=S, D=D, target=target, h=h)
