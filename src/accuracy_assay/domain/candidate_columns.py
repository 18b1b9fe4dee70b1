"""Columns that might be attributes: their values, or why they cannot be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.space import Attribute
from accuracy_assay.files.texts import normal_column
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["CandidateColumn", "Limits", "read_columns"]

_FEW_NUMBERS = 10
"""Most distinct numbers that are values as they are; more are cut into bands."""
_BANDS = 5
"""Bands of equal share that numbers are cut into: effects that rise, fall or bend show in five,
and each keeps enough labels."""
_MOST_VALUES = 200
"""Most values of a column of texts, as for a signal: more are names or sentences."""
_ROWS_PER_VALUE = 5
"""Fewest pool rows per value, on average; with fewer the column names single rows."""


@dataclass(frozen=True, eq=False)
class CandidateColumn:
    """A column that might be an attribute.

    Parameters
    ----------
    name
        The column.
    code
        The value of every row as a number, (n,).
    size
        Number of values.
    edges
        Where numbers were cut into bands; empty if values are as they come.
    """

    name: str
    code: IntArray
    size: int
    edges: tuple[float, ...] = ()

    @property
    def as_typed(self) -> str:
        """The column as an attribute on the command line, such as ``age:30,45,60``."""
        if not self.edges:
            return self.name
        return f"{self.name}:{','.join(f'{edge:.12g}' for edge in self.edges)}"

    @property
    def attribute(self) -> str | Attribute:
        """The column as an attribute for ``estimate``."""
        if not self.edges:
            return self.name
        return Attribute(self.name, kind="continuous", edges=self.edges)


@dataclass(frozen=True, slots=True)
class Limits:
    """Up to where values are taken as they come.

    Parameters
    ----------
    few_numbers
        Most distinct numbers that are values as they are; more are cut into bands.
    bands
        Bands of equal share that numbers are cut into.
    most_values
        Most values of a column of texts.
    rows_per_value
        Fewest pool rows per value, on average.
    """

    few_numbers: int = _FEW_NUMBERS
    bands: int = _BANDS
    most_values: int = _MOST_VALUES
    rows_per_value: int = _ROWS_PER_VALUE


def read_columns(
    frame: pl.DataFrame, n_pool: int | None = None, limits: Limits | None = None
) -> tuple[list[CandidateColumn], dict[str, str]]:
    """Return the columns that might be attributes, and why each of the others cannot be.

    Parameters
    ----------
    frame
        The columns.
    n_pool
        Number of rows of the pool, the first ones, by which a column is judged; all by default.
    limits
        Up to where values are taken as they come.
    """
    limits = limits or Limits()
    found, skipped = [], {}
    for column in frame.iter_columns():
        whole = _as_values(column)
        pool = whole[:n_pool]
        reason = _unfit(column, pool, limits)
        if reason is not None:
            skipped[column.name] = reason
        elif _is_measured(pool, limits):
            found.append(_cut(whole, pool, limits.bands))
        else:
            texts = normal_column(whole).fill_null("").to_numpy().astype(str)
            values, code = np.unique(texts, return_inverse=True)
            found.append(CandidateColumn(column.name, code.astype(np.int64), values.size))
    return found, skipped


def _as_values(column: pl.Series) -> pl.Series:
    """Return a column with dates as numbers, and null for NaN."""
    if column.dtype.is_temporal():
        return column.to_physical()
    if column.dtype.is_float():
        finite = column.is_finite().fill_null(value=False)
        return column.to_frame().select(pl.when(finite).then(pl.col(column.name))).to_series()
    return column


def _is_measured(pool: pl.Series, limits: Limits) -> bool:
    return pool.dtype.is_numeric() and pool.drop_nulls().n_unique() > limits.few_numbers


def _unfit(column: pl.Series, pool: pl.Series, limits: Limits) -> str | None:
    """Return why a column cannot be an attribute, None if it can."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        return f"holds {column.dtype}, not one value per row"
    n_distinct = pool.n_unique()
    if n_distinct < 2:
        return "has one value"
    if not pool.dtype.is_float() and n_distinct == pool.len() > limits.few_numbers:
        return "is an identifier: every row has its own value"
    if _is_measured(pool, limits):
        return None
    if n_distinct > limits.most_values or n_distinct * limits.rows_per_value > pool.len():
        return f"has {n_distinct:,} values in {pool.len():,} rows: names or free text"
    return None


def _cut(column: pl.Series, pool: pl.Series, bands: int) -> CandidateColumn:
    """Return numbers in bands of equal share of the pool; missing ones are a separate band."""
    numbers = column.cast(pl.Float64).to_numpy()
    known = pool.drop_nulls().cast(pl.Float64).to_numpy()
    edges = _round(np.quantile(known, np.arange(1, bands) / bands, method="higher"))
    edges = edges[(edges > known.min()) & (edges <= known.max())]
    code = np.searchsorted(edges, numbers, side="right")
    code[np.isnan(numbers)] = edges.size + 1
    size = edges.size + 1 + int(np.isnan(numbers).any())
    return CandidateColumn(column.name, code.astype(np.int64), size, tuple(edges.tolist()))


def _round(edges: FloatArray) -> FloatArray:
    """Return edges with just enough digits to tell them apart, at least three."""
    n_apart = np.unique(edges).size
    for digits in (3, 5, 8):
        rounded = np.unique([float(f"{edge:.{digits}g}") for edge in edges])
        if rounded.size == n_apart:
            return rounded
    return np.unique(edges)
