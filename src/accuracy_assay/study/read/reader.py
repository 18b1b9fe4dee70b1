"""``read``: from tables and what their columns mean to a problem with its labels.

The one way in for every question about labelled rows. Only the source decides how rows are read:
Parquet is counted in place, a large pool of guesses is read part by part, and everything else is a
frame in memory.
"""

from __future__ import annotations

from dataclasses import replace

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.judge_share import GradedByModel
from accuracy_assay.files.tables import Rows
from accuracy_assay.study.read.annotations import condense_answers
from accuracy_assay.study.read.exact_tables import read_exact
from accuracy_assay.study.read.guessed_tables import LargePool, read_guessed
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.label_tables import find_label
from accuracy_assay.study.read.lacking_pool import settle_lacking_pool
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.streamed_tables import open_tables
from accuracy_assay.study.read.tables import LabelledTables, read_tables
from accuracy_assay.study.read.texts import derive_texts

__all__ = ["read"]


def read(columns: Columns, rows: Rows, pool: Rows, how: How) -> LabelledProblem:
    """Return the problem that labelled rows and a pool pose.

    Parameters
    ----------
    columns
        What the columns of both tables mean.
    rows
        Labelled rows; those without a value in the label's column only say how common each arm
        is.
    pool
        All rows; None if only ``rows`` are known.
    how
        The calibration of guessed attributes, the seed, the target, and where rows are counted.

    Raises
    ------
    InputError
        If a column is unknown or holds invalid values.
    """
    columns, rows, pool = derive_texts(columns, rows, pool)
    found = _read(columns, rows, pool, how.about(pool))
    if columns.graded_by_model:
        found = replace(found, graded=GradedByModel(str(columns.score)))
    return settle_lacking_pool(found, is_asked=how.target is not None)


def _read(columns: Columns, rows: Rows, pool: Rows, how: How) -> LabelledProblem:
    columns, rows, pool, trust, unverified = condense_answers(columns, rows, pool)
    if trust is not None:
        tables = read_tables(columns, rows, pool)
        found = replace(_read_frames(tables, how), trust=trust)
        return found if unverified is None else unverified.count(found, tables.labelled)
    if columns.from_label and columns.y_pred is not None:
        tables = read_tables(columns, rows, pool)
        by_label = find_label(tables)
        if by_label is None:
            return _read_frames(tables, how)
        return by_label.solve(_read_frames(by_label.observed, how))
    if columns.is_plain and not columns.hidden:
        with open_tables(columns, rows, pool) as files:
            if files is not None:
                return files.read(how)
    if columns.is_plain and columns.hidden:
        large = LargePool.find(columns, rows, pool)
        if large is not None:
            return large.read(how)
    return _read_frames(read_tables(columns, rows, pool), how)


def _read_frames(tables: LabelledTables, how: How) -> LabelledProblem:
    is_guessed = bool(tables.columns.hidden)
    found = read_guessed(tables, how) if is_guessed else read_exact(tables, how.is_pool)
    return replace(found, missing=tables.missing, judged=tables.judged)
