"""What one label of each kind of instance is expected to teach about one service.

Notation: I kinds of instances (``exploration.instance_kinds``). A label of kind i succeeds with
probability sum_c P_ic rho_c. A arms, T cells, of which the kinds touch m; arm a's accuracy leans
on cell c by (rows of the cell that have no label) / N_a. M, S, D and h are those of
``numerics.gp``. One more target may stand below the arms: an average over rows of the pool, with
the weight of one row of each cell (`RowAverage`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.exploration.likely_rows import LikelyRows
from accuracy_assay.numerics.gp.variance_gain import LabelGains, MatrixRows, RelativeGains
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ExpectedGains", "RowAverage"]

_LEAST_VARIANCE = 1e-12  # of a label, as in ``LabelGains``
# Guessed kinds whose covariances are computed before they are picked: those that teach most. On
# faces the picks of a batch of 12 were among the best 33.
_LIKELY_KINDS = 48
# Pairs of cells whose covariances with all arms are in memory at once: some hundred megabytes.
_PAIRS_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class RowAverage:
    """An average over rows of the pool, such as the overall accuracy.

    Parameters
    ----------
    row
        Weight of one row of each cell, (T,).
    rows
        Rows of each cell that count and have no label, (T,); all of them without a pool.
    """

    row: FloatArray
    rows: FloatArray

    @classmethod
    def of_arms(cls, posterior: CellPosterior, weight: FloatArray) -> RowAverage:
        """Return the average with these weights of the arms, (A,), which add up to one."""
        support = posterior.support
        arm = support.arm_of_cell
        rows = posterior.unlabelled if support.is_pool else support.size
        return cls(weight[arm] / support.arm_size[arm], rows)

    @property
    def lean(self) -> FloatArray:
        """What each cell weighs in what is not known yet of the average, (T,)."""
        return self.row * self.rows


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
    average
        An average whose variance counts beside that of the arms, if any.
    """

    posterior: CellPosterior
    weight: FloatArray
    rows: Affiliation
    larger: ExpectedGains | None = None
    average: RowAverage | None = None

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

    @property
    def _n_weighing(self) -> int:
        """Number of arms that have a weight: rows of M above that of the average."""
        return int((self.weight > 0.0).sum())

    @cached_property
    def _weighing(self) -> IntArray:
        """Positions of the cells whose arms have a weight, or that weigh in the average."""
        weighs = self._row_of_arm[self.posterior.support.arm_of_cell] >= 0
        if self.average is not None:
            weighs = weighs | (self.average.lean > 0.0)
        return np.flatnonzero(weighs)

    @cached_property
    def _lean(self) -> csr_array:
        """L of the weighing arms and cells, each row times the root of its arm's weight.

        The average, where there is one, is the last row.
        """
        from scipy.sparse import csr_array

        p, support, cells = self.posterior, self.posterior.support, self._weighing
        rows = (p.unlabelled if support.is_pool else support.size)[cells]
        arm = support.arm_of_cell[cells]
        share = np.sqrt(self.weight)[arm] * rows / support.arm_size[arm]
        row, column, n_rows = self._row_of_arm[arm], np.arange(cells.size), self._n_weighing
        is_target = row >= 0
        row, column, share = row[is_target], column[is_target], share[is_target]
        if self.average is not None:
            row = np.concatenate([row, np.full(cells.size, n_rows)])
            column = np.concatenate([column, np.arange(cells.size)])
            share, n_rows = np.concatenate([share, self.average.lean[cells]]), n_rows + 1
        return csr_array((share, (row, column)), shape=(n_rows, cells.size))

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

    def promise(self, share: float = 0.0) -> FloatArray:
        """Return a quick guess of each kind's gain, (I,), to leave out those of no use.

        ``share`` is what the average counts for; guesses of either are relative to their sums.
        """
        found = [(1.0 - share, self._promise(slice(0, self._n_weighing), self._row_share))]
        if self.average is not None:
            last = slice(self._n_weighing, None)
            found += [(share, self._promise(last, self.average.row[self._touched]))]
        if len(found) == 1:
            return found[0][1]
        parts = (part / max(float(p.sum()), _LEAST_VARIANCE) * p for part, p in found if part)
        return np.asarray(sum(parts))

    def _promise(self, targets: slice, row_share: FloatArray) -> FloatArray:
        if not self.rows.is_exact:
            reach = self._reach[targets]
            longest = self._mixture @ np.sqrt(np.einsum("am,am->m", reach, reach))
            return np.asarray(longest**2 / np.maximum(self._label_variance, _LEAST_VARIANCE))
        p, cell = self.posterior, self._entry_cell
        h = row_share[self._column]
        s, D = p.variance[cell], np.maximum(p.label_variance[cell], _LEAST_VARIANCE)
        rows = p.unlabelled[cell] if p.support.is_pool else p.support.size[cell]
        settled = h**2 * (2.0 * rows * s + D - 2.0 * s) * p.support.is_pool
        return np.asarray(settled + (h * np.maximum(rows - 1.0, 0.0) * s) ** 2 / D)

    def if_told_apart(self, group: IntArray, n_groups: int, products: FloatArray) -> FloatArray:
        """Return the expected gain of a label of each kind with which some entries are told apart.

        Parameters
        ----------
        group
            Group of each entry of ``rows``, (E,), of one kind each: what an answer leaves.
        n_groups
            Their number.
        products
            The `pair_products`.
        """
        weight = np.maximum(sum_by_group(group, self.rows.weights, n_groups), _LEAST_VARIANCE)
        p, cell = self.posterior, self._entry_cell
        part = self.rows.weights / weight[group]
        rate = sum_by_group(group, part * p.rate[cell], n_groups)
        square = p.label_variance[cell] + p.rate[cell] ** 2
        D = sum_by_group(group, part * square, n_groups) - rate**2
        first, second = self._pairs
        together = group[first] == group[second]
        learned = part[first] * part[second] * products
        cut = sum_by_group(group[first], np.where(together, learned, 0.0), n_groups)
        kind = np.zeros(n_groups, dtype=np.int64)
        kind[group] = self.rows.row_index
        gain = weight * cut / np.maximum(D, _LEAST_VARIANCE)
        return sum_by_group(kind, gain, self.rows.n_rows)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """All pairs of entries of one kind, with themselves and either way round."""
        start, size = self.rows.indptr[:-1], np.diff(self.rows.indptr)
        first = np.repeat(np.arange(self.rows.indices.size), size[self.rows.row_index])
        begin = start[self.rows.row_index][first]
        within = np.arange(first.size) - np.searchsorted(first, first)
        return first, begin + within

    def pair_products(self, variance: float, share: float) -> FloatArray:
        """Return the products over the targets of the covariances with both cells of each pair.

        ``variance`` and ``share`` are as in `relative_gains`.
        """
        first, second = (self._column[at] for at in self._pairs)
        weight = np.full(self._reach.shape[0], (1.0 - share) / max(variance, _LEAST_VARIANCE))
        if self.average is not None:
            weight[self._n_weighing :] = share / max(self.average_variance(), _LEAST_VARIANCE)
        reach = np.ascontiguousarray((self._reach * np.sqrt(weight)[:, None]).T)
        products = np.empty(first.size)
        for start in range(0, first.size, _PAIRS_AT_ONCE):
            at = slice(start, start + _PAIRS_AT_ONCE)
            products[at] = np.einsum("pa,pa->p", reach[first[at]], reach[second[at]])
        return products

    def take(self, chosen: IntArray) -> ExpectedGains:
        """Return the same of some kinds."""
        return replace(self, rows=self.rows.take(chosen), larger=self)

    def of_some_arms(self, count: int) -> ExpectedGains:
        """Return the same with the weight on the kinds' own arms and ``count`` of the others.

        The part is drawn at random, always the same one, and stands for all of them with its
        weight scaled up: what a label teaches about other arms is then right on average, and what
        it settles of its own arm is exact. Kinds that are only guessed have all arms.
        """
        support = self.posterior.support
        lean = np.zeros(support.arms.size)
        if self.average is not None:
            np.add.at(lean, support.arm_of_cell, self.average.lean)
        weighs = (self.weight > 0.0) | (lean > 0.0)
        if not self.rows.is_exact or np.count_nonzero(weighs) <= count:
            return self
        its_own = np.unique(support.arm_of_cell[self._entry_cell])
        others = np.setdiff1d(np.flatnonzero(weighs), its_own)
        if others.size <= count:
            return self
        part = np.random.default_rng(0).choice(others, count, replace=False)

        def scaled(values: FloatArray) -> FloatArray:
            kept = np.zeros_like(values)
            kept[its_own] = 1.0
            kept[part] = values[others].sum() / max(float(values[part].sum()), _LEAST_VARIANCE)
            return kept

        average = self.average
        if average is not None:
            average = replace(average, rows=average.rows * scaled(lean)[support.arm_of_cell])
        weight = self.weight * scaled(self.weight)
        return replace(self, weight=weight, average=average, larger=None)

    def spread(self) -> FloatArray:
        """Return the deviation that one row of each kind adds to the average, h sqrt(D), (I,)."""
        assert self.average is not None
        h = self._mixture @ self.average.row[self._touched]
        return np.asarray(h * np.sqrt(np.maximum(self._label_variance, 0.0)))

    def relative_gains(self, variance: float, share: float) -> RelativeGains:
        """Return what labels cut of the arms' variance and of the average's, relative to them.

        ``variance`` is the weighted sum of the arms' variances now, ``share`` what the average
        counts for: 0 for the arms alone, 1 for the average alone.
        """
        found = [] if share == 1.0 else [(self.gains(), variance, 1.0 - share)]
        if share > 0.0:
            found += [(self.average_gains(), self.average_variance(), share)]
        return RelativeGains(*zip(*found, strict=True))

    def average_variance(self) -> float:
        """Return the variance of the average.

        Where the kinds touch only some of the cells that it leans on, these stand for all.
        """
        assert self.average is not None
        p, at = self.posterior, self._touched
        lean = self.average.lean
        covered = max(float(lean[at].sum()), _LEAST_VARIANCE)
        learnable = float(self._reach[-1] @ lean[at]) * float(lean[self._weighing].sum()) / covered
        coin = np.maximum(p.label_variance - p.variance, 0.0)
        noise = float((self.average.row * lean) @ coin) * p.support.is_pool
        return learnable + noise

    def gains(self) -> LabelGains:
        """Return what one label of each kind teaches about the arms."""
        arm = self.posterior.support.arm_of_cell
        return self._gains(slice(0, self._n_weighing), self._row_of_arm[arm], self._row_share)

    def average_gains(self) -> LabelGains:
        """Return what one label of each kind teaches about the average."""
        assert self.average is not None
        only = np.zeros(self.average.row.size, dtype=np.int64)
        last = slice(self._n_weighing, None)
        return self._gains(last, only, self.average.row[self._touched])

    def _gains(self, targets: slice, target_of_cell: IntArray, share: FloatArray) -> LabelGains:
        """Return what labels teach about some rows of M.

        A row of a cell (T,) is part of one of these, with a share of it by touched cell (m,).
        """
        target, h = np.full(self.rows.n_rows, -1, dtype=np.int64), np.zeros(self.rows.n_rows)
        if self.rows.is_exact and self.posterior.support.is_pool:
            target, h = target_of_cell[self._entry_cell], share[self._column]
        return LabelGains(
            M=self._of_kinds[targets],
            S=self._among_kinds,
            D=self._label_variance,
            target=target,
            h=h,
        )

    @cached_property
    def _of_kinds(self) -> FloatArray:
        """M: covariance of each target with each kind, (rows of M, I)."""
        if not self.rows.is_exact:
            return np.ascontiguousarray((self._mixture @ self._reach.T).T)
        is_same = np.array_equal(self._touched, self._entry_cell)
        return self._reach if is_same else self._reach[:, self._column]

    @cached_property
    def _among_kinds(self) -> MatrixRows:
        """S: covariance of the kinds, (I, I)."""
        if self.rows.is_exact:
            is_same = np.array_equal(self._touched, self._entry_cell)
            return self._among if is_same else self._among[np.ix_(self._column, self._column)]
        taught = np.zeros(self.rows.n_rows)
        for targets in (slice(0, self._n_weighing), slice(self._n_weighing, None)):
            M = self._of_kinds[targets]
            learned = np.einsum("ai,ai->i", M, M)
            taught += learned / max(float(learned.sum()), _LEAST_VARIANCE)
        taught /= np.maximum(self._label_variance, _LEAST_VARIANCE)
        likely = np.argsort(-taught)[:_LIKELY_KINDS]
        return LikelyRows(self._with_every_kind, likely, self.rows.n_rows)
