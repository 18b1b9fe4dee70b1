"""The labelled instances: which cells each may belong to, and how well the service did on it.

Notation: R rows; row r stands for ``count[r]`` instances with equal affiliation. Their agreements
sum to ``score[r]``, the squares to ``score_sq[r]``. Exact attributes collapse to one row per
observed cell. The paper's fractional counts are ``n_a = sum_r P(a|r) count_r`` and
``c_a = sum_r P(a|r) score_r``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["ArmCounts", "Observations"]


@dataclass(frozen=True, eq=False)
class ArmCounts:
    """Fractional counts of arms: ``n`` labels whose agreement sums to ``correct``, all (A,)."""

    arms: IntArray
    n: FloatArray
    correct: FloatArray

    def on(self, arms: IntArray) -> ArmCounts:
        """Return the counts of ``arms``, zero where nothing was observed."""
        if self.arms.size == 0:
            return ArmCounts(arms, np.zeros(arms.shape), np.zeros(arms.shape))
        position = np.searchsorted(self.arms, arms)
        position[position == self.arms.size] = 0
        found = self.arms[position] == arms
        return ArmCounts(
            arms,
            np.where(found, self.n[position], 0.0),
            np.where(found, self.correct[position], 0.0),
        )


@dataclass(frozen=True, eq=False)
class Observations:
    """What an estimator sees.

    Parameters
    ----------
    support
        The occupied cells of the pool and their sizes.
    affiliation
        R sparse rows over cells.
    count, score, score_sq
        Instances that a row stands for, and the sum and sum of squares of their agreement, (R,).
    prior_strength
        The paper's lambda: pseudo-labels of overall accuracy that the paper's estimators add to
        every arm.
    others
        Weights of the affiliation's entries by other calibrations of guessed attributes, (B,
        entries); None if attributes are exact or nobody knows.
    other_scores
        ``score`` by other readings of labels that are not certain, (B, R); None if all are.
    """

    support: Support
    affiliation: Affiliation
    count: FloatArray
    score: FloatArray
    score_sq: FloatArray
    prior_strength: float = 0.1
    others: FloatArray | None = None
    other_scores: FloatArray | None = None

    def __post_init__(self) -> None:
        shape = (self.affiliation.n_rows,)
        for name in ("count", "score", "score_sq"):
            array = getattr(self, name)
            if array.shape != shape:
                raise InputError(f"{name} must have shape {shape}; got {array.shape}.")
            array.setflags(write=False)
        if self.other_scores is not None and self.other_scores.shape[1:] != shape:
            raise InputError(
                f"other_scores must have one for each row, {shape}; got "
                f"{self.other_scores.shape[1:]}."
            )
        if not self.prior_strength >= 0.0:
            raise InputError(f"prior_strength must be at least 0; got {self.prior_strength}.")

    @classmethod
    def exact(
        cls,
        support: Support,
        cells: npt.ArrayLike,
        count: npt.ArrayLike,
        score: npt.ArrayLike,
        score_sq: npt.ArrayLike,
        prior_strength: float = 0.1,
        other_scores: FloatArray | None = None,
    ) -> Observations:
        """Build observations with known cells; equal cells are merged."""
        unique, inverse = np.unique(np.asarray(cells, dtype=np.int64), return_inverse=True)

        def total(values: npt.ArrayLike) -> FloatArray:
            return sum_by_group(inverse, values, unique.size)

        rows = Affiliation.exact(unique)
        sums = total(count), total(score), total(score_sq)
        read = None if other_scores is None else np.stack([total(b) for b in other_scores])
        return cls(support, rows, *sums, prior_strength, other_scores=read)

    @classmethod
    def from_instances(
        cls,
        support: Support,
        affiliation: Affiliation,
        scores: npt.ArrayLike,
        prior_strength: float = 0.1,
        others: FloatArray | None = None,
    ) -> Observations:
        """Build observations from one affiliation row and one score per instance."""
        score = check_scores(scores)
        if score.shape != (affiliation.n_rows,):
            raise InputError(
                f"scores must be one score per instance, shape ({affiliation.n_rows},); got "
                f"{score.shape}."
            )
        one = np.ones(score.shape)
        return cls.from_rows(support, affiliation, one, score, score**2, prior_strength, others)

    @classmethod
    def from_rows(
        cls,
        support: Support,
        affiliation: Affiliation,
        count: npt.ArrayLike,
        score: npt.ArrayLike,
        score_sq: npt.ArrayLike,
        prior_strength: float = 0.1,
        others: FloatArray | None = None,
        other_scores: FloatArray | None = None,
    ) -> Observations:
        """Build observations from rows of ``count`` instances each; equal rows are merged.

        ``others`` are the weights of the entries by other calibrations, (B, entries), and
        ``other_scores`` what ``score`` is by other readings of the labels, (B, rows).
        """
        if affiliation.is_exact:
            cells = affiliation.indices
            return cls.exact(support, cells, count, score, score_sq, prior_strength, other_scores)
        merged, group, first = _merge_equal_rows(affiliation)
        kept = None if others is None else others[:, _entries_of(affiliation, first)]

        def total(values: npt.ArrayLike) -> FloatArray:
            return sum_by_group(group, values, merged.n_rows)

        sums = total(count), total(score), total(score_sq)
        read = None if other_scores is None else np.stack([total(b) for b in other_scores])
        return cls(support, merged, *sums, prior_strength, kept, read)

    @property
    def space(self) -> AttributeSpace:
        """The attribute space."""
        return self.support.space

    @property
    def n_labels(self) -> float:
        """Number of labelled instances."""
        return float(self.count.sum())

    @property
    def overall_accuracy(self) -> float:
        """Mean agreement of the labelled instances; one half if there are none."""
        return float(self.score.sum() / self.count.sum()) if self.count.sum() > 0 else 0.5

    def per_arm(self) -> ArmCounts:
        """Return the paper's fractional counts of the observed arms, without the prior."""
        row = self.affiliation.row_index
        arm = self.affiliation.indices // self.support.n_strata
        arms, inverse = np.unique(arm, return_inverse=True)
        weight = self.affiliation.weights

        def total(values: FloatArray) -> FloatArray:
            return sum_by_group(inverse, weight * values[row], arms.size)

        return ArmCounts(arms, total(self.count), total(self.score))

    def merge(self, other: Observations) -> Observations:
        """Return the observations of both, over this support."""
        joined = Affiliation.concatenate([self.affiliation, other.affiliation])
        merged, group, _ = _merge_equal_rows(joined)

        def total(name: str) -> FloatArray:
            values = np.concatenate([getattr(self, name), getattr(other, name)])
            return sum_by_group(group, values, merged.n_rows)

        return Observations(
            self.support,
            merged,
            total("count"),
            total("score"),
            total("score_sq"),
            self.prior_strength,
        )


def _merge_equal_rows(rows: Affiliation) -> tuple[Affiliation, IntArray, IntArray]:
    """Return the distinct rows, which of them each row equals, and the first row of each."""
    if rows.is_exact:
        unique, first, group = np.unique(rows.indices, return_index=True, return_inverse=True)
        return Affiliation.exact(unique), group.astype(np.int64), first.astype(np.int64)
    seen: dict[bytes, int] = {}
    first_rows: list[int] = []
    group = np.empty(rows.n_rows, dtype=np.int64)
    for i in range(rows.n_rows):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        key = rows.indices[part].tobytes() + rows.weights[part].tobytes()
        group[i] = seen.setdefault(key, len(first_rows))
        if group[i] == len(first_rows):
            first_rows.append(i)
    first = np.asarray(first_rows, dtype=np.int64)
    return rows.take(first), group, first


def _entries_of(rows: Affiliation, chosen: IntArray) -> IntArray:
    """Return the entries of some rows, in their order."""
    start, length = rows.indptr[chosen], np.diff(rows.indptr)[chosen]
    before = np.cumsum(length) - length
    return np.asarray(np.arange(length.sum()) + np.repeat(start - before, length))
