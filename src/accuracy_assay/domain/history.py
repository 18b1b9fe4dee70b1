"""History: scores of earlier services on the same rows, which say how hard each row is.

What was hard for others is mostly hard for a new service. Their scores are known for every pool
row without a label of the new one, so they make free signals (`accuracy_assay.domain.strata`): the
row's mean score, which says how hard it is, and its place along the few directions in which
services differ most beside that, which say for whom. Labels of the new service teach how these
count; many are condensed into one score (`accuracy_assay.study.read.condense`).

Notation: n rows, h earlier services; X (n, h) are their scores less each one's mean, 0 where one
is missing; the directions are eigenvectors of X'X, as in a truncated singular value decomposition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.runtime.arrays import FloatArray

__all__ = [
    "HISTORY",
    "check_history",
    "history_signals",
    "refuse_own_scores",
    "with_history",
]

HISTORY = "scores of earlier services"
"""Name of the first signal, how hard a row is; those of the directions start with it."""

_LEVELS, _PLACES = 12, 8
"""Most classes of how hard a row is, and of its place along a direction."""
_DIRECTIONS = 8
"""Most directions beside the mean. docs/decisions/0014 has the errors with more and fewer."""
_VOID = 1e-9
"""Share of the scores' variance below which a direction is rounding error."""
_DECIMALS = 9
"""Decimals to which rows are compared, so that sums in another order tie."""
_COPIED_SCORES = 200
"""Labelled rows at which an earlier score that always equals the score counts as a copy, as for a
judge."""


def history_signals(n_services: int) -> tuple[str, ...]:
    """Return the names of the signals that so many earlier services make.

    Examples
    --------
    >>> history_signals(0), history_signals(1)
    ((), ('scores of earlier services',))
    """
    if not n_services:
        return ()
    n_directions = min(_DIRECTIONS, n_services - 1)
    return (HISTORY, *(f"{HISTORY}, direction {k + 1}" for k in range(n_directions)))


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
    """Return the tables of one assay with the signals of a history, unchanged without any.

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
    usual = _means(known[0])
    names = history_signals(len(history))
    directions = _directions(np.nan_to_num(known[0] - usual), len(names) - 1)
    placed = [_places(scores - usual, directions) for scores in known]
    most = [_LEVELS, *[_PLACES] * directions.shape[1]]
    edges = [_edges(column, k) for column, k in zip(placed[0].T, most, strict=True)]
    return [
        table.with_columns(
            _classes(name, column, cut)
            for name, column, cut in zip(names, places.T, edges, strict=True)
        )
        for table, places in zip(tables, placed, strict=True)
    ]


def _numbers(column: pl.Series) -> pl.Series:
    return column.cast(pl.Float64).fill_nan(None)


def _matrix(table: pl.DataFrame, history: Sequence[str]) -> FloatArray:
    """Return the scores (n, h), NaN where one is missing."""
    columns = [_numbers(table.get_column(name)).to_numpy() for name in history]
    return np.stack(columns, axis=1).astype(np.float64)


def _means(scores: FloatArray) -> FloatArray:
    """Return each service's mean over the rows that it has, (h,); 0 without any."""
    n_known = np.maximum((~np.isnan(scores)).sum(axis=0), 1)
    return np.asarray(np.nansum(scores, axis=0) / n_known)


def _directions(X: FloatArray, count: int) -> FloatArray:
    """Return the directions after the first, which is close to the mean, (h, count).

    Their largest weight is positive. One without variance is zero, so that no row has a place.
    """
    variance, vectors = np.linalg.eigh(X.T @ X)
    found = vectors[:, ::-1][:, 1 : count + 1]
    largest = np.take_along_axis(found, np.abs(found).argmax(axis=0)[None, :], axis=0)
    is_void = variance[::-1][1 : count + 1] <= _VOID * variance.sum()
    return np.asarray(np.where(is_void, 0.0, found * np.sign(largest)))


def _places(centred: FloatArray, directions: FloatArray) -> FloatArray:
    """Return each row's mean, and its place along each direction, (n, 1 + count)."""
    n_known = np.maximum((~np.isnan(centred)).sum(axis=1), 1)
    X = np.nan_to_num(centred)
    level = X.sum(axis=1) / n_known
    places = np.concatenate([level[:, None], X @ directions], axis=1)
    return np.asarray(places.round(_DECIMALS))


def _edges(column: FloatArray, most: int) -> FloatArray:
    """Return the lower ends of all classes but the first; equal values share a class.

    A value belongs to the part of the pool, cut into ``most`` equal ones, in which its middle is.
    """
    values, count = np.unique(column, return_counts=True)
    middle = (np.cumsum(count) - count / 2.0) / max(column.size, 1)
    part = (middle * most).astype(np.int64)
    return values[1:][np.diff(part) > 0]


def _classes(name: str, column: FloatArray, edges: FloatArray) -> pl.Series:
    """Return the class of each value, as ordered texts."""
    names = [f"class {k + 1}" for k in range(edges.size + 1)]
    codes = np.searchsorted(edges, column, side="right")
    return pl.Series(names, dtype=pl.Enum(names)).gather(codes).alias(name)
