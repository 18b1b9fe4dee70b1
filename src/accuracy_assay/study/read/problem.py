"""The estimation problem: from rows to observations, and from rows to candidates.

This is the one way from a table to an estimator: whatever is read becomes a `Problem`.

Notation: a row's cell is its arm together with its stratum of the free signals. Rows are numbered
with the pool first; a row may stand for several equal ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support, over_cells
from accuracy_assay.domain.judge_share import GradedByModel
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.label_count import LABELS_WORTH
from accuracy_assay.domain.label_surface import LabelledClasses, surface_by_label
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.part_judged import PartJudged
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.strata import stratify
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.grouping import sum_by_group, sum_by_number
from accuracy_assay.numerics.soft_scores import SoftScores
from accuracy_assay.protocols import Candidates
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.arm_opinions import mean_by_arm
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.condense import condense_strata, is_crowded, predict_score

__all__ = ["LabelledProblem", "LabelledRows", "Problem", "SoftRows"]

_ROWS_AT_ONCE = 20_000
"""Pool rows that other calibrations weigh at a time: some hundred megabytes if guesses are flat.
"""


@dataclass(frozen=True, eq=False)
class Problem:
    """What fits and choices need, besides the labels.

    Parameters
    ----------
    arms
        The arms of all rows.
    strata, stratum
        The space of the free signals' strata and the stratum of each row (n,); None without
        signals.
    support
        What the pool says about the cells.
    candidate
        The pool's rows over cells, before any label.
    count
        How many equal rows each row of the pool stands for, (n_pool,); None for one each.
    has_pool
        Whether ``arms`` includes the pool's rows. A pool read in parts has only its support, and
        no candidates.
    """

    arms: Arms
    strata: AttributeSpace | None
    stratum: IntArray | None
    support: Support
    candidate: Affiliation
    count: FloatArray | None = None
    has_pool: bool = True

    @classmethod
    def build(
        cls,
        arms: Arms,
        strata: AttributeSpace | None = None,
        stratum: IntArray | None = None,
        *,
        count: FloatArray | None = None,
        is_pool: bool = True,
    ) -> Problem:
        """Count the pool's cells.

        Parameters
        ----------
        arms, strata, stratum
            See the class.
        count
            How many equal rows each row of the pool stands for, (n_pool,); one by default.
        is_pool
            Whether accuracies are those of the pool's own rows rather than the rates behind them.
        """
        candidate = over_cells(arms.candidate, strata, _part(stratum, slice(0, arms.n_pool)))
        weights = candidate.weights
        if count is not None:
            weights = weights * count[candidate.row_index]
        support = Support.count(arms.space, strata, candidate.indices, weights, is_pool=is_pool)
        others = _other_sizes(arms, candidate, support.cells, count)
        return cls(arms, strata, stratum, replace(support, others=others), candidate, count)

    @classmethod
    def of_rows(
        cls, space: AttributeSpace, rows: pl.DataFrame, signals: Sequence[str] = ()
    ) -> Problem:
        """Return the problem of a pool whose attributes are all known, such as a task's.

        Examples
        --------
        >>> from accuracy_assay import Attribute
        >>> rows = pl.DataFrame({"sex": ["F", "M", "M"]})
        >>> problem = Problem.of_rows(AttributeSpace((Attribute("sex", ("F", "M")),)), rows)
        >>> problem.observe(np.array([0, 2]), [1.0, 0.0]).overall_accuracy
        0.5
        """
        strata = stratify(rows, signals)
        stratum = None if strata is None else strata.arm_index(strata.encode(rows))
        arms = Arms.exact(space, space.encode(rows), rows.height)
        return cls.build(arms, strata, stratum)

    @classmethod
    def of_support(cls, arms: Arms, stratum: IntArray | None, support: Support) -> Problem:
        """Return the problem of a pool that was counted elsewhere.

        ``arms`` and ``stratum`` are those of the labelled rows only.
        """
        no_rows = Affiliation.exact([])
        return cls(arms, support.strata, stratum, support, no_rows, has_pool=False)

    def condensed(
        self, rows: IntArray, score: npt.ArrayLike, count: npt.ArrayLike | None = None
    ) -> Problem:
        """Return the problem with one or two signals if there are too many strata.

        What replaces the signals is learned from the labelled rows (m,), with the sum of the
        scores of each and the number of its labels, one by default
        (`accuracy_assay.study.read.condense`); without labels no signal is left. With few signals
        the problem stays as it is. Where arms are guessed, signals give an opinion of each arm
        (`accuracy_assay.study.read.arm_opinions`).
        """
        if self.strata is None or self.stratum is None:
            return self
        if self.arms.calibration is not None and self.support.signals:
            return self._with_opinion(rows, score, count)
        if not is_crowded(self.strata):
            return self
        if not self.has_pool:
            return self  # condensed already, before the cells of parts were counted
        right = np.asarray(score, dtype=np.float64)
        labels = np.ones(right.shape) if count is None else np.asarray(count, np.float64)
        made = condense_strata(self.strata, self.stratum, rows, right, labels - right)
        found = Problem.build(self.arms, *made, count=self.count, is_pool=self.support.is_pool)
        if self.support.others is None or not self.candidate.is_exact:
            return found
        others = np.zeros((len(self.support.others), found.support.cells.size))
        was, cell = np.unique(self.candidate.indices, return_index=True)
        now = np.searchsorted(found.support.cells, found.candidate.indices[cell])
        for other, each in zip(others, self.support.others, strict=True):
            np.add.at(other, now, each[np.searchsorted(self.support.cells, was)])
        return replace(found, support=replace(found.support, others=others))

    def _with_opinion(
        self, rows: IntArray, score: npt.ArrayLike, count: npt.ArrayLike | None
    ) -> Problem:
        """Return the problem without signals, with what they make of each arm as a whole.

        How many rows of each stratum a guessed arm has is guessed too, and too blurred to average
        over. But how correct an arm's rows look tells arms apart, and the labels say how far.
        """
        assert self.strata is not None
        assert self.stratum is not None
        n_signals, codes = len(self.support.signals), self.strata.codes(self.stratum)
        found = self._without_signals(codes[:, n_signals:])
        if not rows.size:
            return found
        right = np.asarray(score, dtype=np.float64)
        labels = np.ones(right.shape) if count is None else np.asarray(count, np.float64)
        # Of a pool that was counted elsewhere only the cells are known.
        cells = self.strata.codes(self.support.cells % self.support.n_strata)
        every = np.concatenate([codes, cells])[:, :n_signals]
        said = predict_score(self.support.signals, every, rows, right, labels - right)
        if self.has_pool:
            opinion = mean_by_arm(self.arms.candidate, said[: self.arms.n_pool], self.count)
        else:
            chance = self.support.size / (1.0 + np.exp(-said[codes.shape[0] :]))
            total = sum_by_group(self.support.arm_of_cell, chance, self.support.arms.size)
            opinion = total / self.support.arm_size
        return replace(found, support=replace(found.support, opinion=opinion))

    def _without_signals(self, clusters: IntArray) -> Problem:
        """Return the problem with clusters as its only strata, given the code of each row."""
        support = self.support.with_clusters_only()
        stratum = None if support.strata is None else support.strata.arm_index(clusters)
        candidate = self.candidate
        if self.has_pool:
            of_pool = _part(stratum, slice(0, self.arms.n_pool))
            candidate = over_cells(self.arms.candidate, support.strata, of_pool)
        return replace(
            self, strata=support.strata, stratum=stratum, support=support, candidate=candidate
        )

    def observe(
        self,
        rows: IntArray,
        scores: npt.ArrayLike,
        affiliation: Affiliation | None = None,
        *,
        prior_strength: float = 0.1,
    ) -> Observations:
        """Return the observations of labelled rows (m,) with one score per row.

        ``affiliation`` holds their arms after labelling, by default ``arms.labelled(rows)``.
        """
        arms = self.arms.labelled(rows) if affiliation is None else affiliation
        support, cells = self._labelled(rows, arms)
        others = None if cells.is_exact else self.arms.other_weights(rows, arms)
        return Observations.from_instances(support, cells, scores, prior_strength, others)

    def observe_sums(
        self,
        rows: IntArray,
        count: npt.ArrayLike,
        score: npt.ArrayLike,
        score_sq: npt.ArrayLike,
        affiliation: Affiliation | None = None,
        *,
        prior_strength: float = 0.1,
        other_scores: Callable[[int], FloatArray] | None = None,
    ) -> Observations:
        """Return the observations of rows that each stand for ``count`` labels.

        ``score`` and ``score_sq`` are the sums of their scores and of the squares, (m,);
        ``affiliation`` is as in `observe`. ``other_scores`` returns what ``score`` is by
        so many other readings of the labels, (B, m), or by as many as it likes if given 0.
        """
        support, cells = self._labelled(rows, affiliation, count)
        if other_scores is None:
            return Observations.from_rows(support, cells, count, score, score_sq, prior_strength)
        others = None
        if not cells.is_exact:
            arms = self.arms.labelled(rows) if affiliation is None else affiliation
            others = self.arms.other_weights(rows, arms)
        read = other_scores(0 if others is None else len(others))
        return Observations.from_rows(
            support, cells, count, score, score_sq, prior_strength, others, read
        )

    def observe_soft(self, soft: SoftRows, prior_strength: float = 0.1) -> Observations:
        """Return the observations of labelled rows by what their labels are worth."""
        cells = self.cells(soft.rows)
        number = cells.indices if cells.is_exact else np.arange(soft.rows.size)
        made = soft.score(number)
        right = made.weight * made.score
        return self.observe_sums(
            soft.rows,
            made.weight,
            right,
            right,
            prior_strength=prior_strength,
            other_scores=None if made.away is None else made.others,
        )

    def limit(
        self, rows: IntArray, weight: FloatArray, affiliation: Affiliation | None = None
    ) -> FloatArray:
        """Return weights of labelled rows (m,) that add up to no more rows than their cells have.

        ``affiliation`` is as in `observe`. Rows whose cell is guessed keep their weight.
        """
        cells = self.cells(rows, affiliation)
        if not (cells.is_exact and cells.n_rows):
            return weight
        listed, place = np.unique(cells.indices, return_inverse=True)
        total = sum_by_group(place, weight, listed.size)
        has = np.maximum(
            self.support.rows_in(listed), sum_by_group(place, np.ones(place.size), listed.size)
        )
        return np.asarray(weight * np.minimum(has / np.maximum(total, 1.0), 1.0)[place])

    @property
    def blur(self) -> tuple[IntArray, FloatArray] | None:
        """Arms of the pool, and the variance of each size from guesses; None if all are known."""
        rows = self.candidate
        if rows.is_exact:
            return None
        arm, variance = rows.indices // self.support.n_strata, rows.weights * (1.0 - rows.weights)
        return sum_by_number(arm, variance)

    def cells(self, rows: IntArray, affiliation: Affiliation | None = None) -> Affiliation:
        """Return the cells of labelled rows (m,), as `observe` counts them."""
        return self._labelled(rows, affiliation)[1]

    def candidates(self, free: IntArray, pending: IntArray | None = None) -> Candidates:
        """Return rows of the pool as candidates for a strategy.

        ``pending`` are rows whose labels are on their way.
        """
        waiting = np.zeros(0, dtype=np.int64) if pending is None else pending
        return Candidates(
            free, self.candidate.take(free), self.support.n_strata, self.candidate.take(waiting)
        )

    def _labelled(
        self, rows: IntArray, affiliation: Affiliation | None, count: npt.ArrayLike | None = None
    ) -> tuple[Support, Affiliation]:
        """Return the rows over cells, and the support with room for all labelled rows."""
        arms = self.arms.labelled(rows) if affiliation is None else affiliation
        cells = over_cells(arms, self.strata, _part(self.stratum, rows))
        if not (cells.is_exact and cells.n_rows):
            return self.support, cells
        size = cells.weights if count is None else np.asarray(count, dtype=np.float64)
        return self.support.with_at_least(cells.indices, size), cells


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """What is known about labelled rows.

    Parameters
    ----------
    rows
        Their numbers, (m,).
    score
        The score of each, or the sum of its scores, (m,).
    count, score_sq
        Labels that a row stands for, and the sum of the squares of their scores, (m,); None if
        each row has one label.
    """

    rows: IntArray
    score: FloatArray
    count: FloatArray | None = None
    score_sq: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class SoftRows:
    """Labelled rows whose labels are not certain: their numbers (m,), and their scores by cell.

    ``score`` takes a number for the cell of each.
    """

    rows: IntArray
    score: Callable[[IntArray], SoftScores]


@dataclass(frozen=True, eq=False)
class LabelledProblem:
    """A problem, and the labels among its rows.

    Where an attribute is the label, the problem is over predictions, and ``by_label`` says what
    the attribute is and which classes the labelled rows have.
    If equal rows are merged, ``places`` returns the problem's row of each row of the pool and of
    each labelled row, as they were given. ``missing`` counts labelled rows without an answer, if
    that decides their score; ``judged`` rows with an opinion of judges that scored only some;
    ``graded`` says that a model gave all scores. ``soft`` has scores that count in place of the
    labels', which then only say how many there are.
    """

    problem: Problem
    labels: LabelledRows
    by_label: tuple[LabelAttribute, LabelledClasses] | None = None
    places: Callable[[], tuple[IntArray, IntArray]] | None = None
    missing: MissingAnswers | None = None
    trust: LabelTrust | None = None
    judged: PartJudged | None = None
    graded: GradedByModel | None = None
    soft: SoftRows | None = None

    def condensed(self) -> LabelledProblem:
        """Return the problem with as many signals as the labels support."""
        known = self.labels
        problem = self.problem.condensed(known.rows, known.score, known.count)
        return self if problem is self.problem else replace(self, problem=problem)

    def weighed(self, rows: IntArray, score: FloatArray, weight: FloatArray) -> LabelledProblem:
        """Return the problem with labels (m,) that speak for more or fewer rows than one each.

        The labels of a cell never speak for more rows than it has.
        """
        limited = self.problem.limit(rows, weight)
        known = LabelledRows(rows, limited * score, limited, limited * score**2)
        return replace(self, labels=known)

    def observe(self, prior_strength: float = 0.1) -> Observations:
        """Return the observations, with as many signals as the labels support."""
        problem = self.condensed().problem
        if self.soft is not None:
            return problem.observe_soft(self.soft, prior_strength)
        return self._observe_labels(problem, prior_strength)

    def _observe_labels(self, problem: Problem, prior_strength: float = 0.1) -> Observations:
        known = self.labels
        if known.count is None or known.score_sq is None:
            return problem.observe(known.rows, known.score, prior_strength=prior_strength)
        return problem.observe_sums(
            known.rows, known.count, known.score, known.score_sq, prior_strength=prior_strength
        )

    def shown(self, surface: AccuracySurface, rng: np.random.Generator) -> AccuracySurface:
        """Return the surface that was asked for, given the one that was fitted.

        Labels are counted one by one, rather than by what they are worth.
        """
        if self.soft is not None:
            counts = self._observe_labels(self.problem).per_arm().on(surface.arms)
            counted = replace(surface, n=counts.n, correct=counts.correct)
            return counted.with_details(**{LABELS_WORTH: surface.n_labels})
        return surface if self.by_label is None else surface_by_label(surface, *self.by_label, rng)


def _other_sizes(
    arms: Arms, candidate: Affiliation, cells: IntArray, count: FloatArray | None
) -> FloatArray | None:
    """Return the pool's rows in each cell by other calibrations, (B, J), some rows at a time.

    None if attributes are exact or nobody knows.
    """
    total: FloatArray | None = None
    for start in range(0, 0 if candidate.is_exact else arms.n_pool, _ROWS_AT_ONCE):
        rows = np.arange(start, min(start + _ROWS_AT_ONCE, arms.n_pool))
        of_arms, of_cells = arms.candidate.take(rows), candidate.take(rows)
        weights = arms.other_weights(rows, of_arms)
        if weights is None:
            return None
        if count is not None:
            weights = weights * count[rows][of_cells.row_index]
        at = np.searchsorted(cells, of_cells.indices)
        sums = np.stack([sum_by_group(at, each, cells.size) for each in weights])
        total = sums if total is None else total + sums
    return total


def _part(stratum: IntArray | None, rows: IntArray | slice) -> IntArray | None:
    return None if stratum is None else stratum[rows]
