"""What judge minus people is in slices of rows: the averages that a certificate asks about.

Notation: A arms with N_a rows, n_a of them labelled; d_i is judge minus people, or whether their
decisions differ. Of these rows (with a pool) a labelled row counts as it is, and a row without a
label is predicted from the effects of its arm (`numerics.clustered_effects`) and from the judge's
own score: where a judge says 0.9 it errs otherwise than where it says 0.5, and what it said is
known for every row. A slope and steps between classes of scores are learned, so that labels that
were chosen by the score, as a session does, tell the same as random ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.numerics.clustered_effects import (
    Averages,
    ClusteredEffects,
    Mixture,
    fit_clustered_effects,
)
from accuracy_assay.numerics.effect_terms import LEVEL_VARIANCE
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.judges.judged_rows import JudgedRows

__all__ = ["SliceDifferences"]

_CLASSES = 5
"""Classes of scores, equally many rows in each."""
_STEP = 0.5
"""Prior deviation of a step between classes, in deviations of one row's difference. Chosen by
hand: a judge that errs by 20 points more in one class than in the next has such a step."""


@dataclass(frozen=True, eq=False)
class SliceDifferences:
    """Judge minus people by arm; with ``is_share``, in how many rows they differ."""

    rows: JudgedRows
    rng: np.random.Generator
    is_share: bool = False

    @cached_property
    def d(self) -> FloatArray:
        """The difference in each labelled row, (m,)."""
        found = self.rows.judge - self.rows.people
        return np.abs(found) if self.is_share else found

    @cached_property
    def arms(self) -> IntArray:
        """The arms that have a row, (A,)."""
        own = self.rows.space.arm_index(self.rows.pool_codes)
        return np.unique(np.concatenate([own, self.rows.space.arm_index(self.rows.codes)]))

    @cached_property
    def labelled_arm(self) -> IntArray:
        """Position of the arm of each labelled row, (m,)."""
        return np.searchsorted(self.arms, self.rows.space.arm_index(self.rows.codes))

    @cached_property
    def pool_arm(self) -> IntArray:
        """Position of the arm of each row, (n,)."""
        return np.searchsorted(self.arms, self.rows.space.arm_index(self.rows.pool_codes))

    @cached_property
    def n_labels(self) -> FloatArray:
        """Labels of each arm, (A,)."""
        return self.labelled(np.ones(self.d.size))

    @cached_property
    def n_rows(self) -> FloatArray:
        """Rows of each arm, (A,), at least those that have a label."""
        own = sum_by_group(self.pool_arm, np.ones(self.pool_arm.size), self.arms.size)
        return np.maximum(own, self.n_labels) if self.rows.is_pool else own

    @property
    def judge_mean(self) -> FloatArray:
        """Mean score of the judge in each arm, (A,)."""
        return self._mean_covariates[:, 0]

    @cached_property
    def effects(self) -> ClusteredEffects:
        """The posterior of the arms' effects."""
        slopes = None
        if self.rows.is_pool:
            slopes = self._covariates(self.rows.judge) - self._mean_covariates[self.labelled_arm]
        return fit_clustered_effects(
            self.rows.space.codes(self.arms),
            self.labelled_arm,
            self.d,
            self.rng,
            slopes=slopes,
            cluster=self.rows.cluster,
        )

    def posterior(self, members: BoolArray) -> Mixture:
        """Return the posterior of the mean difference in slices of arms, members (Q, A)."""
        return self.effects.averages(self._averages(members))

    def _averages(self, members: BoolArray) -> Averages:
        inside = members.astype(np.float64)
        share = 1.0 / np.maximum(inside @ self.n_rows, 1.0)[:, None]
        if not self.rows.is_pool:
            weight = inside * self.n_rows * share
            none = np.zeros(weight.shape[0])
            return Averages(none, weight, np.zeros((weight.shape[0], 0)), none, none)
        left = self.n_rows - self.n_labels
        weight = inside * left * share
        known = (inside * share) @ self.labelled(self.d)
        shift = self._left_shift(left)
        noise = (inside * left * share**2).sum(axis=1)
        return Averages(known, weight, weight @ shift, noise, self._together(weight))

    def _covariates(self, scores: FloatArray) -> FloatArray:
        """Return the score, and whether it is in a higher class than each one, (n, q).

        All slopes have the same wide prior; small columns make that of the steps narrow.
        """
        edges = np.unique(np.quantile(self.rows.pool_judge, np.arange(1, _CLASSES) / _CLASSES))
        edges = edges[edges < self.rows.pool_judge.max()]
        if np.unique(self.rows.pool_judge).size <= 2:
            edges = edges[:0]  # a slope says it all
        scale = _STEP / np.sqrt(LEVEL_VARIANCE)
        return np.column_stack([scores, scale * (scores[:, None] > edges)])

    @cached_property
    def _mean_covariates(self) -> FloatArray:
        """Mean covariates of each arm, (A, q); those of its labels if it has no other rows."""
        every = self._covariates(self.rows.pool_judge)
        mean = [sum_by_group(self.pool_arm, column, self.arms.size) for column in every.T]
        count = sum_by_group(self.pool_arm, np.ones(self.pool_arm.size), self.arms.size)
        known = [self.labelled(column) for column in self._covariates(self.rows.judge).T]
        is_bare = (count == 0.0)[:, None]
        total = np.where(is_bare, np.stack(known, axis=1), np.stack(mean, axis=1))
        return np.asarray(total / np.where(count == 0.0, self.n_labels, count)[:, None])

    def _left_shift(self, left: FloatArray) -> FloatArray:
        """Return how far mean covariates of rows without a label are above the arm's, (A, q)."""
        mean = self._mean_covariates
        known = [self.labelled(column) for column in self._covariates(self.rows.judge).T]
        total = mean * self.n_rows[:, None] - np.stack(known, axis=1)
        own = total / np.maximum(left, 1.0)[:, None] - mean
        return np.where((left > 0.0)[:, None], own, 0.0)

    def _together(self, weight: FloatArray) -> FloatArray:
        """Return the squares of the sums of weights by cluster, summed, (Q,)."""
        if self.rows.pool_cluster is None:
            return np.zeros(weight.shape[0])
        from scipy.sparse import csr_array

        _, group = np.unique(self.rows.pool_cluster, return_inverse=True)
        one = (np.ones(group.size), (group, self.pool_arm))
        counts = csr_array(one, shape=(int(group.max()) + 1, self.arms.size))
        each = weight / np.maximum(self.n_rows, 1.0)
        return np.asarray(((counts @ each.T) ** 2).sum(axis=0))

    def labelled(self, values: FloatArray) -> FloatArray:
        """Return the sums of the labelled rows' values by arm, (A,)."""
        return sum_by_group(self.labelled_arm, values, self.arms.size)
