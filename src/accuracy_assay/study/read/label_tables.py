"""Tables with an attribute that is the label: read by what the service predicted instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.label_surface import LabelledClasses
from accuracy_assay.domain.missing_answers import unanswered
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.spaces import guessed_space
from accuracy_assay.study.read.tables import LabelledTables

__all__ = ["LabelTables", "find_label", "label_in"]


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
    if pool is None or columns.y_pred not in pool.columns:
        return None
    space = guessed_space(columns.attributes, tables.parts, columns.evidence)
    label = label_in(columns, space, tables.labelled, tables.scores.to_numpy(), pool)
    if label is None:
        return None
    codes = label.attribute.encode(tables.labelled.get_column(label.attribute.name))
    label.warn_if_picked(codes, label.codes(pool.get_column(columns.y_pred)))
    return LabelTables(tables, label)


@dataclass(frozen=True, eq=False)
class LabelTables:
    """Labelled rows and a pool, and the attribute that is the label."""

    tables: LabelledTables
    label: LabelAttribute

    @cached_property
    def observed(self) -> LabelledTables:
        """The tables with the predicted class as an exact attribute."""
        tables, observed = self.tables, self.label.observed
        columns = replace(tables.columns, attributes=observed.attributes, from_label=())
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
        attribute = self.label.attribute
        codes = attribute.encode(labelled.get_column(attribute.name))
        classes = LabelledClasses(rows, codes, found.problem.blur)
        return replace(found, by_label=(self.label, classes))

    def _with_prediction(self, table: pl.DataFrame) -> pl.DataFrame:
        y_pred = self.tables.columns.y_pred
        assert y_pred is not None
        attribute = self.label.observed.attributes[self.label.column]
        values = pl.Series(attribute.name, [str(v) for v in attribute.values], dtype=pl.String)
        codes: IntArray = self.label.codes(table.get_column(y_pred))
        return table.with_columns(values.gather(codes).alias(attribute.name))
