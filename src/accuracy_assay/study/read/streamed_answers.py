"""Rows of Parquet without an answer, where they are refused or left out: counted in place."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.missing_answers import MissingAnswers, settle, unanswered_sql
from accuracy_assay.files.parquet_rows import ParquetRows

__all__ = ["find_unanswered", "only_answered"]


def find_unanswered(columns: Columns, rows: ParquetRows) -> MissingAnswers | None:
    """Return how many labelled rows have no answer; None if these count as wrong.

    Those are counted together with the scores.

    Raises
    ------
    InputError
        If they are refused, or no row is left.
    """
    rule, said, label = columns.missing_prediction, columns.y_pred, columns.label
    if rule == "wrong" or said is None or label is None or said not in rows.schema:
        return None
    is_silent = f"{rows.column(label)} IS NOT NULL AND {_is_unanswered(columns, rows)}"
    counted = rows.ask([f"count({rows.column(label)})", f"count(*) FILTER ({is_silent})"])
    of, n_silent = (int(n) for n in counted.row(0))

    def first(count: int) -> pl.Series:
        if columns.id is not None:
            found = rows.ask([rows.column(columns.id)], f"WHERE {is_silent} LIMIT {count}")
            return found.to_series().alias(columns.id)
        terms = [f"{rows.column(label)} IS NOT NULL", is_silent]
        known = rows.ask(terms).filter("c0").with_row_index("row")
        return known.filter("c1").head(count).get_column("row")

    found = settle(MissingAnswers(rule, n_silent, of), said, first)
    found.warn()
    return found


def only_answered(columns: Columns, rows: ParquetRows) -> ParquetRows:
    """Return the rows with an answer; all of them if the files do not have the answers."""
    if columns.y_pred not in rows.schema:
        return rows
    return replace(rows, where=f"NOT {_is_unanswered(columns, rows)}")


def _is_unanswered(columns: Columns, rows: ParquetRows) -> str:
    """Return the condition of a row without an answer."""
    said, truth = columns.y_pred, columns.y_true
    assert said is not None
    known = None
    if truth is not None and truth in rows.schema:
        known = (rows.column(truth), rows.schema[truth])
    return unanswered_sql((rows.column(said), rows.schema[said]), known)
