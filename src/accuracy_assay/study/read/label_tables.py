"""Tables with an attribute that is the label: read by what the service predicted instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.label_surface import LabelledClasses
from accuracy_assay.domain.missing_answers import unanswered
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.spaces import guessed_space
from accuracy_assay.study.read.tables import LabelledTables

__all__ = ["LabelTables", "find_label", "label_in"]

_SEED = 7
"""Of the draws behind the weights of rows that were picked by their class."""


def label_in(
    columns: Columns,
    space: AttributeSpace,
    labelled: pl.DataFrame,
    scores: FloatArray,
    pool: pl.DataFrame | None = None,
) -> LabelAttribute | None:
    """Return the attribute that is the label, None if there is none.

    It is revealed by the label, and the service is right exactly where its prediction is equal.
    The pool tells whether rows without a label have an answer.
    """
    if columns.y_pred is None or len(columns.from_label) != 1:
        return None
    said = [t.get_column(columns.y_pred) for t in (labelled, pool) if t is not None]
    has_silence = any(unanswered(answers).any() for answers in said)
    label = LabelAttribute(space, space.names.index(columns.from_label[0]), has_silence)
    known = labelled.get_column(label.attribute.name)
    if known.null_count():
        return None
    truth = label.attribute.encode(known)
    predicted = label.codes(labelled.get_column(columns.y_pred))
    return label if label.decides(truth, predicted, scores) else None


def find_label(tables: LabelledTables) -> LabelTables | None:
    """Return the tables by prediction if an attribute is the label.

    None if it is known of every row, or the pool lacks the predictions.
    """
    columns, pool = tables.columns, tables.pool
    label = None
    if pool is not None and columns.y_pred in pool.columns:
        space = guessed_space(columns.attributes, tables.parts, columns.evidence)
        label = label_in(columns, space, tables.labelled, tables.scores.to_numpy(), pool)
    if label is None or pool is None:
        if columns.picked == "label":
            raise InputError(
                "picked='label' must have a pool with the prediction of every row, scores of 1 "
                "where it equals the label, and else 0; got others. The pool shows how common "
                "each class is."
            )
        return None
    found = LabelTables(tables, label)
    if columns.picked is None:
        label.warn_if_picked(found.codes, found.predicted(pool))
    return found


@dataclass(frozen=True, eq=False)
class LabelTables:
    """Labelled rows and a pool, and the attribute that is the label."""

    tables: LabelledTables
    label: LabelAttribute

    @cached_property
    def codes(self) -> IntArray:
        """The class of each labelled row."""
        attribute = self.label.attribute
        return attribute.encode(self.tables.labelled.get_column(attribute.name))

    def predicted(self, table: pl.DataFrame) -> IntArray:
        """Return the predicted class of each row of a table."""
        assert self.tables.columns.y_pred is not None
        return self.label.codes(table.get_column(self.tables.columns.y_pred))

    @cached_property
    def observed(self) -> LabelledTables:
        """The tables with the predicted class as an exact attribute."""
        tables, observed = self.tables, self.label.observed
        columns = replace(
            tables.columns, attributes=observed.attributes, from_label=(), picked=None
        )
        assert tables.pool is not None
        labelled, pool = (self._with_prediction(t) for t in (tables.labelled, tables.pool))
        return replace(tables, columns=columns, labelled=labelled, pool=pool)

    def solve(self, found: LabelledProblem) -> LabelledProblem:
        """Return the problem of the observed tables with the classes of the labelled rows."""
        labelled = self.observed.labelled
        if self.observed.columns.hidden:
            rows = found.problem.arms.labelled(found.labels.rows)
        else:
            space = self.label.observed
            rows = Affiliation.exact(space.arm_index(space.encode(labelled)))
        weight = self._weights()
        classes = LabelledClasses(rows, self.codes, found.problem.blur, weight)
        if weight is not None:
            places = found.labels.rows if found.places is None else found.places()[1]
            found = found.weighed(places, self.tables.scores.to_numpy(), weight)
        return replace(found, by_label=(self.label, classes))

    def _weights(self) -> FloatArray | None:
        """Return the weight of each labelled row if they were picked by their class."""
        tables = self.tables
        if tables.columns.picked != "label":
            return None
        assert tables.pool is not None
        said, pool = (self.predicted(table) for table in (tables.labelled, tables.pool))
        return self.label.weights(self.codes, said, pool, np.random.default_rng(_SEED))

    def _with_prediction(self, table: pl.DataFrame) -> pl.DataFrame:
        attribute = self.label.observed.attributes[self.label.column]
        values = pl.Series(attribute.name, [str(v) for v in attribute.values], dtype=pl.String)
        return table.with_columns(values.gather(self.predicted(table)).alias(attribute.name))
