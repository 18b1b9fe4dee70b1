"""History: scores of earlier services on the same rows, which say how hard each row is.

What was hard for others is mostly hard for a new service. Their scores are known for every pool
row without a label of the new one, so they make a free signal (`accuracy_assay.domain.strata`):
the row's mean score, in ordered classes of about equal size. Labels of the new service teach what
each class is worth to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["HISTORY", "check_history", "refuse_own_scores", "with_history"]

HISTORY = "scores of earlier services"
"""Name of the signal that a history makes, however many services there are."""

_CLASSES = 12
"""Most classes of the mean. docs/decisions/0014 has the errors with more and fewer."""
_DECIMALS = 9
"""Decimals to which means are compared, so that sums in another order tie."""
_COPIED_SCORES = 200
"""Labelled rows at which an earlier score that always equals the score counts as a copy, as for a
judge."""


def check_history(table: pl.DataFrame, history: Sequence[str], what: str = "rows") -> None:
    """Raise an error unless columns hold scores in [0, 1] or booleans, where they have a value."""
    require_columns(table, history, what=what)
    for name in history:
        column = table.get_column(name)
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InputError(
                f"history {name!r} must hold scores in [0, 1] or booleans; got {column.dtype}. "
                "Score the answers first: 1 where they are right."
            )
        check_scores(_numbers(column).drop_nulls().to_numpy(), what=f"history {name!r}")


def refuse_own_scores(labelled: pl.DataFrame, scores: pl.Series, history: Sequence[str]) -> None:
    """Raise an error if an earlier service's scores are those of the service itself."""
    if scores.len() < _COPIED_SCORES or scores.n_unique() < 2:
        return
    own = scores.cast(pl.Float64)
    for name in history:
        if bool((_numbers(labelled.get_column(name)) == own).fill_null(value=False).all()):
            raise InputError(
                f"history {name!r} must hold the scores of another service; got the score in "
                f"each of {scores.len()} labelled rows. Leave it out."
            )


def with_history(tables: Sequence[pl.DataFrame], history: Sequence[str]) -> list[pl.DataFrame]:
    """Return the tables of one assay with the column ``HISTORY``, unchanged without a history.

    The first table is the pool, which says what is usual; all tables are cut where it is. A
    missing score is left out. Each service counts by how far it is above or below its own mean, so
    a row looks no harder because a strong service is missing; one without any is an average row.

    Examples
    --------
    >>> table = pl.DataFrame({"ada": [0, 0, 1, 1], "bob": [0, 0, 1, None]})
    >>> with_history([table], ["ada", "bob"])[0].get_column(HISTORY).to_list()
    ['class 1', 'class 1', 'class 3', 'class 2']
    """
    if not history:
        return list(tables)
    known = [_matrix(table, history) for table in tables]
    usual = _means(known[0], axis=0)
    level = [_means(scores - usual, axis=1).round(_DECIMALS) for scores in known]
    edges = _edges(level[0])
    return [
        table.with_columns(_classes(each, edges))
        for table, each in zip(tables, level, strict=True)
    ]


def _numbers(column: pl.Series) -> pl.Series:
    return column.cast(pl.Float64).fill_nan(None)


def _matrix(table: pl.DataFrame, history: Sequence[str]) -> FloatArray:
    """Return the scores of n rows by h services, (n, h), NaN where one is missing."""
    columns = [_numbers(table.get_column(name)).to_numpy() for name in history]
    return np.stack(columns, axis=1).astype(np.float64)


def _means(scores: FloatArray, axis: int) -> FloatArray:
    """Return the means of what is known along an axis; 0 where nothing is."""
    n_known = np.maximum((~np.isnan(scores)).sum(axis=axis), 1)
    return np.asarray(np.nansum(scores, axis=axis) / n_known)


def _edges(level: FloatArray) -> FloatArray:
    """Return the lower ends of all classes but the first; equal values share a class.

    A value belongs to the part of the pool, cut into equal ones, in which its middle is.
    """
    values, count = np.unique(level, return_counts=True)
    middle = (np.cumsum(count) - count / 2.0) / max(level.size, 1)
    part = (middle * _CLASSES).astype(np.int64)
    return values[1:][np.diff(part) > 0]


def _classes(level: FloatArray, edges: FloatArray) -> pl.Series:
    """Return the class of each value, as ordered texts."""
    names = [f"class {k + 1}" for k in range(edges.size + 1)]
    codes = np.searchsorted(edges, level, side="right")
    return pl.Series(names, dtype=pl.Enum(names)).gather(codes).alias(HISTORY)
