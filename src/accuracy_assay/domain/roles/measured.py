"""What the rows say about columns, whatever their names: leaks, cuts of numbers, near-copies.

A leak tells the score: a metric under another name, the kind of error, a copy of the label.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import equal_columns
from accuracy_assay.domain.candidate_columns import CandidateColumn
from accuracy_assay.numerics.dependence import determined_share, explained_share
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["find_truth", "gives_away", "is_copy", "is_cut_of", "is_near_copy"]

_LEAK = 0.9
"""A column that explains this share of the variance of scores gives them away. Chosen by hand: the
strongest attributes of the tables that we know explain a fifth."""
_DETERMINED = 0.95
"""Share of its entropy at which a column counts as determined, as between attributes."""
_KEPT = 0.35
"""Share of the finer column's entropy that the coarser must keep to be a copy of it: race in three
groups for five keeps 0.9, age in three bands for six 0.4, while has-an-image says next to nothing
about the subject that determines it."""
_ROWS_PER_VALUE = 5
"""Fewest rows per value, on average, by which anything is measured: fewer fit by luck."""
_BINS = 50
"""Bins of equal share that numbers are cut into to see whether they give the score away."""
_SAME = 0.99
"""Share of rows in which a column that is the truth gives the same score as the score's column."""


def gives_away(column: pl.Series, code: IntArray, scores: FloatArray) -> bool:
    """Return whether a column says how rows were scored.

    Parameters
    ----------
    column, code
        The values of the rows with a score, as they are and coded, (n,) each.
    scores
        Their scores, (n,).
    """
    if _explains(code, scores):
        return True
    if column.dtype.is_numeric():
        return _explains(_binned(column.cast(pl.Float64).fill_null(np.nan).to_numpy()), scores)
    return _is_made_from(code, scores)


def is_copy(first: IntArray, second: IntArray) -> bool:
    """Return whether two columns say the same in other words; codes (n,) each."""
    if not (_is_measurable(first) and _is_measurable(second)):
        return False
    weight = np.ones(first.size)
    shares = determined_share(first, second, weight), determined_share(second, first, weight)
    return min(shares) >= _DETERMINED


def is_near_copy(finer: IntArray, coarser: IntArray) -> bool:
    """Return whether a column is a coarser version of another; codes (n,) each.

    The finer determines the coarser, and the coarser keeps much of what the finer says.

    Examples
    --------
    >>> race = np.array([0, 0, 0, 1, 1, 2, 3] * 10)
    >>> is_near_copy(race, np.minimum(race, 2)), is_near_copy(race, (race == 3).astype(int))
    (True, False)
    """
    if not (_is_measurable(finer) and _is_measurable(coarser)):
        return False
    weight = np.ones(finer.size)
    if determined_share(coarser, finer, weight) < _DETERMINED:
        return False
    return determined_share(finer, coarser, weight) >= _KEPT


def is_cut_of(bands: CandidateColumn, numbers: pl.Series) -> bool:
    """Return whether bands are ranges of numbers, such as age_band of age.

    Examples
    --------
    >>> age = pl.Series("age", list(range(20, 80)))
    >>> band = np.asarray(age > 50).astype(int)
    >>> is_cut_of(CandidateColumn("band", band, 2), age)
    True
    """
    if bands.edges or not _is_measurable(bands.code):
        return False
    known = ~numbers.is_null().to_numpy()
    order = np.argsort(numbers.to_numpy()[known], kind="stable")
    changes = int((np.diff(bands.code[known][order]) != 0).sum())
    return changes < np.unique(bands.code[known]).size


def find_truth(
    rows: pl.DataFrame, prediction: str, score: str, candidates: Iterable[str]
) -> str | None:
    """Return the column whose equality with the prediction is the score; None if there is none."""
    given = rows.get_column(score).cast(pl.Float64, strict=False)
    known = rows.filter(given.is_not_null()).head(_MOST_ROWS)
    scores = known.get_column(score).cast(pl.Float64)
    if scores.n_unique() < 2:
        return None
    for name in candidates:
        column = known.get_column(name)
        if column.dtype.is_nested() or column.dtype.is_float() or column.dtype.is_temporal():
            continue
        same = equal_columns(column, known.get_column(prediction)).fill_null(value=False)
        if (same.cast(pl.Float64) == scores).to_numpy().mean() >= _SAME:
            return name
    return None


_MOST_ROWS = 10_000
"""Rows looked at to find the truth: more only take time."""


def _explains(code: IntArray, scores: FloatArray) -> bool:
    return _is_measurable(code) and explained_share(scores, code) >= _LEAK


def _is_made_from(code: IntArray, scores: FloatArray) -> bool:
    """Return whether the scores determine a column, where they have few values."""
    _, score = np.unique(scores, return_inverse=True)
    if not _is_measurable(score) or np.unique(code).size < 2:
        return False
    return determined_share(code, score, np.ones(score.size)) >= _DETERMINED


def _is_measurable(code: IntArray) -> bool:
    n_values = np.unique(code).size
    return 1 < n_values <= code.size / _ROWS_PER_VALUE


def _binned(numbers: FloatArray) -> IntArray:
    """Return numbers as bins of equal share, fewer in few rows; missing ones have their own."""
    known = numbers[~np.isnan(numbers)]
    n_bins = min(_BINS, known.size // (2 * _ROWS_PER_VALUE))
    if n_bins < 2:
        return np.zeros(numbers.size, np.int64)
    edges = np.unique(np.quantile(known, np.arange(1, n_bins) / n_bins))
    code = np.searchsorted(edges, numbers, side="right")
    code[np.isnan(numbers)] = edges.size + 1
    return code.astype(np.int64)
