"""An attribute that is the label, and the prediction that stands in for it until there is one.

Of a row without a label nobody knows such an attribute, but everybody knows what the service
answered, and the service is right exactly where the two are equal. So a fit takes the prediction
for an exact attribute (the *observed* space), and `domain.label_surface` adds up what it found
over the classes that the rows may have.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.missing_answers import unanswered
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.picked_classes import picked_weights
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["LabelAttribute", "PickedByClassWarning"]

_OTHER, _NOTHING = "another answer", "no answer"
_FEW_LABELS = 5
"""Fewest labels of each class from which classes of one size are no accident."""
_UNEQUAL = 1.5
"""Ratio of the largest and the smallest predicted class from which the pool has classes of
different sizes."""


class PickedByClassWarning(UserWarning):
    """Labelled rows that look as if they had been picked by their class."""


@dataclass(frozen=True)
class LabelAttribute:
    """The attribute of a space that is the label.

    Parameters
    ----------
    space
        The space of the surface.
    column
        Position of the attribute in it.
    has_silence
        Whether some rows have no answer, which is then a prediction of its own.
    """

    space: AttributeSpace
    column: int
    has_silence: bool = False

    @property
    def attribute(self) -> Attribute:
        """The attribute."""
        return self.space.attributes[self.column]

    @cached_property
    def observed(self) -> AttributeSpace:
        """The space with the predicted class, another answer or none in the attribute's place."""
        name = f"predicted {self.attribute.name}"
        while name in self.space.names:
            name += "*"
        values = [str(value) for value in self.attribute.values]
        for beside in (_OTHER, _NOTHING)[: 1 + self.has_silence]:
            while beside in values:
                beside += "*"
            values.append(beside)
        attributes = list(self.space.attributes)
        attributes[self.column] = Attribute(name, tuple(values))
        return AttributeSpace(tuple(attributes))

    def codes(self, answers: pl.Series) -> IntArray:
        """Return the class that each answer names, the number of classes for none of them.

        No answer has the next number, if that is a prediction of its own.
        """
        found = {value: self._code(value) for value in answers.drop_nulls().unique().to_list()}
        codes = answers.replace_strict(
            list(found), list(found.values()), default=self.attribute.size, return_dtype=pl.Int64
        )
        named = np.array(codes.to_numpy(), dtype=np.int64)
        if self.has_silence:
            named[unanswered(answers).to_numpy()] = self.attribute.size + 1
        return named

    def rename(self, names: Iterable[str]) -> dict[str, str]:
        """Return the observed name of the attribute, if it is among some names."""
        own = self.attribute.name
        return {own: self.observed.names[self.column]} if own in names else {}

    def decides(self, label: IntArray, predicted: IntArray, scores: npt.ArrayLike) -> bool:
        """Return whether scores (m,) are 1 where label and prediction are equal, else 0."""
        return bool(np.array_equal(np.asarray(scores), label == predicted))

    def warn_if_picked(self, labels: IntArray, predicted: IntArray) -> None:
        """Warn if labelled rows look picked by their class: as many of each, unlike the pool.

        ``labels`` are their classes, (m,), ``predicted`` those that the pool's rows are predicted
        to have, (n,).
        """
        found = np.bincount(labels, minlength=self.attribute.size)
        pool = np.bincount(predicted, minlength=self.attribute.size)[: self.attribute.size]
        is_even = found.min() >= _FEW_LABELS and found.max() - found.min() <= 1
        if is_even and pool.max() > _UNEQUAL * max(int(pool.min()), 1):
            warnings.warn(
                f"the labelled rows have {found.min()} of each value of "
                f"{self.attribute.name!r}, the pool is predicted to have {pool.min():,} to "
                f"{pool.max():,}: if they were picked by their label, the overall accuracy is "
                "that of such a mix. Then say so, picked='label' (seed_picked in a spec); if they "
                "were not, 'random'.",
                PickedByClassWarning,
                stacklevel=2,
            )

    def weights(
        self, labels: IntArray, predicted: IntArray, pool: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return the weights of rows that were picked by their class, (m,).

        ``labels`` and ``predicted`` are theirs, ``pool`` the predicted classes of the pool's rows.
        """
        n_answers = self.observed.attributes[self.column].size
        counts = np.zeros((self.attribute.size, n_answers))
        np.add.at(counts, (labels, predicted), 1.0)
        answers = np.bincount(pool, minlength=n_answers).astype(np.float64)
        return np.asarray(picked_weights(counts, answers, rng)[labels, predicted])

    def evidence(self, known: Evidence, predicted: IntArray) -> Evidence:
        """Return what is known of rows, with the predicted classes (n,) as an exact attribute."""
        columns = list(known.columns)
        columns[self.column] = predicted
        return Evidence(self.observed, tuple(columns))

    def gold(self, codes: IntArray, predicted: IntArray) -> IntArray:
        """Return codes (n, K) with the predicted classes in the attribute's place."""
        replaced = codes.copy()
        replaced[:, self.column] = predicted
        return replaced

    def _code(self, value: object) -> int:
        try:
            return self.attribute.code(value)
        except InputError:
            return self.attribute.size
