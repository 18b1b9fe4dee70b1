"""From a surface over predictions to one over classes: recall from what everybody can see.

Notation: an observed arm is a predicted class p with other attributes b; it has N_bp pool rows, of
which the share R_bp is right. Of the wrong rows, the class of a labelled one is known, and the
others' classes are drawn (``numerics.confusions``): W_bk wrong rows of class k. Then

    right_bk = N_bk R_bk,   size_bk = right_bk + W_bk,   recall_bk = right_bk / size_bk

in every draw. The surface's mean is the ratio of the expected sums, so that averages over the pool
are those of the observed surface: the overall accuracy is one number. G groups are the
combinations of the other attributes, K the number of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.sized_arms import SizedArms
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.confusions import (
    Mistakes,
    PredictedArms,
    draw_wrong_sizes,
    learn_sharing,
)
from accuracy_assay.numerics.grouping import sum_by_group, sum_by_number
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["LabelledClasses", "surface_by_label"]

_MOST_NUMBERS = 2**26
"""Most numbers of one table of draws: half a gigabyte. With more arms, fewer draws are used."""
_NO_ROWS = 1e-9
"""Fewest rows of an arm that exists in a draw."""
_CERTAIN = 0.9
"""Probability of its arm from which a mistake teaches how alike arms are: guesses blur arms, and
make them look more alike than they are."""
_ERRORS_TOGETHER = 2.0
"""Deviation of a guessed size beside what other calibrations say, relative to guesses that err one
by one. With it, errors counted on four tasks are 0.9 to 1.2 of what is claimed (decision 15)."""


@dataclass(frozen=True, eq=False)
class LabelledClasses:
    """The classes of labelled rows.

    Parameters
    ----------
    rows
        The rows over observed arms.
    codes
        The class of each, (m,).
    blur
        Arms whose sizes are guessed, and the variance of each size if rows are guessed one by
        one; None if every row's arm is known.
    weight
        With how many labels each speaks for the pool, (m,); None for one each.
    """

    rows: Affiliation
    codes: IntArray
    blur: tuple[IntArray, FloatArray] | None = None
    weight: FloatArray | None = None


def surface_by_label(
    observed: AccuracySurface,
    label: LabelAttribute,
    labelled: LabelledClasses,
    rng: np.random.Generator,
) -> AccuracySurface:
    """Return the surface over the classes of the labels, given the one over predictions."""
    seen = _Observed(observed, label, labelled)
    right, wrong = seen.draw(rng)
    sizes = right + wrong
    expected_right = seen.expected_right
    expected_size = expected_right + seen.shared_out(wrong.mean(axis=0))
    of_class = right.sum(axis=1) / np.maximum(sizes.sum(axis=1), _NO_ROWS)
    recall = np.where(sizes > _NO_ROWS, right / np.maximum(sizes, _NO_ROWS), of_class[:, None, :])
    mean = expected_right / np.maximum(expected_size, _NO_ROWS)
    return _listed(seen, mean, expected_size, recall, sizes, of_class)


@dataclass(frozen=True, eq=False)
class _Observed:
    """The pool's observed arms, and what the labels say about them."""

    surface: AccuracySurface
    label: LabelAttribute
    labelled: LabelledClasses

    @property
    def is_pool(self) -> bool:
        return self.surface.details.get("target") == "pool"

    @property
    def n_classes(self) -> int:
        return self.label.attribute.size

    @cached_property
    def in_pool(self) -> IntArray:
        return np.flatnonzero(self.surface.support > 0.0)

    @cached_property
    def _codes(self) -> IntArray:
        return self.label.observed.codes(self.surface.arms[self.in_pool])

    @cached_property
    def _grouped(self) -> tuple[IntArray, IntArray]:
        others = np.delete(self._codes, self.label.column, axis=1)
        groups, group = np.unique(others, axis=0, return_inverse=True)
        return groups, group.reshape(-1)

    @cached_property
    def arms(self) -> PredictedArms:
        groups, group = self._grouped
        predicted = self._codes[:, self.label.column]
        return PredictedArms(groups[group], group, predicted, self.n_classes)

    @property
    def groups(self) -> IntArray:
        """The other attributes of each group, (G, attributes - 1)."""
        return self._grouped[0]

    @cached_property
    def _can_be_right(self) -> BoolArray:
        return self.arms.predicted < self.n_classes

    @cached_property
    def _size(self) -> FloatArray:
        return self.surface.support[self.in_pool]

    def _by_class(self, right: FloatArray) -> FloatArray:
        """Return right rows (..., A) by group and class, (..., G, K)."""
        table = np.zeros((*right.shape[:-1], self.arms.n_groups, self.n_classes))
        at = self._can_be_right
        table[..., self.arms.group[at], self.arms.predicted[at]] = right[..., at]
        return table

    @cached_property
    def _rate(self) -> FloatArray:
        """Draws of the accuracy of each observed arm, (S, A)."""
        most = max(_MOST_NUMBERS // max(self.arms.n_groups * self.n_classes, 1), 2)
        drawn = np.clip(draws_of(self.surface)[:most, self.in_pool], 0.0, 1.0)
        return np.where(self._can_be_right, drawn, 0.0)

    def _draw_sizes(self, rng: np.random.Generator) -> FloatArray:
        """Return draws of the pool rows of each observed arm, (S, A), or (1, A) if known.

        Other calibrations move them along with the rates; how many rows have a prediction is
        known.
        """
        if self.labelled.blur is None:
            return self._size[None]
        arms, variance = self.labelled.blur
        of_arm = np.zeros(self._size.size)
        of_arm[np.searchsorted(self.surface.arms[self.in_pool], arms)] = variance
        n_draws, doubt = self._rate.shape[0], self._doubt
        z = rng.standard_normal((n_draws, of_arm.size))
        size = self._size + _ERRORS_TOGETHER * np.sqrt(of_arm) * z
        if doubt is not None:
            size += doubt.directions(n_draws) @ (doubt.size[:, self.in_pool] - self._size)
        size = np.maximum(size, 0.0)
        for p in np.unique(self.arms.predicted):
            at = self.arms.predicted == p
            total = np.maximum(size[:, at].sum(axis=1, keepdims=True), _NO_ROWS)
            size[:, at] *= self._size[at].sum() / total
        return size

    @property
    def _doubt(self) -> Doubt | None:
        return None if self.surface.joint is None else self.surface.joint.doubt

    @property
    def expected_right(self) -> FloatArray:
        """Expected right rows, (G, K)."""
        return self._by_class(self._size * self.surface.mean[self.in_pool])

    @cached_property
    def entries(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Observed arm, class and number of labels of each labelled row and arm it may have."""
        rows = self.labelled.rows
        arm = np.searchsorted(self.surface.arms[self.in_pool], rows.indices)
        return arm, self.labelled.codes[rows.row_index], rows.weights

    def _mistakes(self, least: float = 0.0, *, is_weighed: bool = True) -> Mistakes:
        """Return the labelled mistakes whose arm has at least some probability."""
        arm, label, weight = self.entries
        is_wrong = (self.arms.predicted[arm] != label) & (weight >= least)
        if is_weighed and self.labelled.weight is not None:
            weight = weight * self.labelled.weight[self.labelled.rows.row_index]
        kind, total = sum_by_number((arm * self.n_classes + label)[is_wrong], weight[is_wrong])
        return Mistakes(kind // self.n_classes, kind % self.n_classes, total)

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return draws of the right and of the wrong rows by group and class, (S, G, K) each."""
        counted, size = self._drawn_mistakes(rng), self._draw_sizes(rng)
        mistakes = counted if self.labelled.weight is None else self._mistakes()
        known = counted.by_arm(self._size.size, self.n_classes) * self.is_pool
        settled_rows = known.sum(axis=1).T
        unknown = np.maximum(size * (1.0 - self._rate) - settled_rows, 0.0)
        right = size * self._rate
        if self.is_pool:
            # A wrong row has one class: with fractions of rows no class would ever be free of
            # mistakes.
            unknown = np.floor(unknown + rng.random(unknown.shape))
            right = np.maximum(size - settled_rows - unknown, 0.0)
        sharing = learn_sharing(self.arms, self._mistakes(_CERTAIN))
        wrong = draw_wrong_sizes(self.arms, mistakes, sharing, unknown, rng, are_rows=self.is_pool)
        settled = np.zeros((self.arms.n_groups, *known.shape[1:]))
        np.add.at(settled, self.arms.group, known)
        by_draw = settled if settled.ndim == 2 else np.moveaxis(settled, 2, 0)
        return self._by_class(right), wrong + by_draw

    def _drawn_mistakes(self, rng: np.random.Generator) -> Mistakes:
        """Return the labelled mistakes; where arms are guessed, one arm of each in every draw.

        A mistake is the likelier an arm's the more often the service errs there.
        """
        rows = self.labelled.rows
        if rows.is_exact:
            return self._mistakes(is_weighed=False)
        arm, label, weight = self.entries
        of_row = rows.row_index
        is_wrong = self.arms.predicted[arm] != label
        n_draws, n_classes = self._rate.shape[0], self.n_classes
        kind, which = np.unique((arm * n_classes + label)[is_wrong], return_inverse=True)
        arm, weight, of_row = arm[is_wrong], weight[is_wrong], of_row[is_wrong]
        start = np.flatnonzero(np.diff(of_row, prepend=-1))
        count, draws = np.zeros((kind.size, n_draws)), np.arange(n_draws)
        for at in np.split(np.arange(of_row.size), start[1:]):
            chance = np.cumsum(weight[at] * (1.0 - self._rate[:, arm[at]] + _NO_ROWS), axis=1)
            drawn = (chance < chance[:, -1:] * rng.random((n_draws, 1))).sum(axis=1)
            count[which[at[drawn]], draws] += 1.0
        return Mistakes(kind // n_classes, kind % n_classes, count)

    def shared_out(self, wrong: FloatArray) -> FloatArray:
        """Return the expected wrong rows by class, (G, K), shared out as ``wrong`` is.

        The observed surface knows how many there are in each group; draws know it less exactly.
        """
        every = sum_by_group(self.arms.group, self._size, self.arms.n_groups)
        expected = every - self.expected_right.sum(axis=1)
        return np.asarray(wrong * (expected / np.maximum(wrong.sum(axis=1), _NO_ROWS))[:, None])


def _listed(
    seen: _Observed,
    mean: FloatArray,
    size: FloatArray,
    recall: FloatArray,
    sizes: FloatArray,
    of_class: FloatArray,
) -> AccuracySurface:
    """Return the surface of tables over groups and classes: (G, K) and, of draws, (S, G, K).

    Arms whose other attributes no pool row has are taken for the average of their class,
    ``of_class`` (S, K).
    """
    label, observed = seen.label, seen.surface
    space, n_draws = label.space, recall.shape[0]
    each = np.insert(
        np.repeat(seen.groups, seen.n_classes, axis=0),
        label.column,
        np.tile(np.arange(seen.n_classes), seen.groups.shape[0]),
        axis=1,
    )
    occupied = space.arm_index(each)
    arms = Support.count(space, None, occupied).listed_arms
    at = np.searchsorted(arms, occupied)
    of_arm = space.codes(arms)[:, label.column]
    draws = of_class[:, of_arm].astype(np.float32)
    draws[:, at] = recall.reshape(n_draws, -1)
    rows = np.zeros((n_draws, arms.size), np.float32)
    rows[:, at] = sizes.reshape(n_draws, -1)
    support, middle = np.zeros(arms.size), draws.mean(axis=0, dtype=np.float64)
    support[at], middle[at] = size.reshape(-1), np.clip(mean.reshape(-1), 0.0, 1.0)
    tail = (1.0 - observed.level) / 2.0
    lower, upper = np.quantile(draws, [tail, 1.0 - tail], axis=0).astype(np.float64)
    n, correct = _counts(seen, arms, occupied)
    return AccuracySurface(
        space,
        arms,
        n,
        correct,
        support,
        middle,
        draws.std(axis=0, dtype=np.float64),
        np.minimum(lower, middle),
        np.maximum(upper, middle),
        observed.level,
        draws,
        observed.details,
        observed.memory,
        SizedArms(middle, support, draws, rows, observed.joint),
    )


def _counts(seen: _Observed, arms: IntArray, occupied: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the labels of each listed arm, and how many of them agree with the prediction."""
    arm, label, count = seen.entries
    place = np.searchsorted(arms, occupied[seen.arms.group[arm] * seen.n_classes + label])
    is_right = seen.arms.predicted[arm] == label
    n = sum_by_group(place, count, arms.size)
    return n, sum_by_group(place, count * is_right, arms.size)
