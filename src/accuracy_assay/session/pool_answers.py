"""What a service or a judge says in a column of the pool, read when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_text
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.answerers import AnswererSection

__all__ = ["PoolAnswers", "n_given"]


@dataclass(frozen=True, eq=False)
class PoolAnswers(Mapping[str, tuple[str, float | None]]):
    """Answers by instance, of every row: the text, and how sure it is if a column says so.

    A missing answer is the empty text.
    """

    section: AnswererSection
    rows: AssayRows

    def __len__(self) -> int:
        return self.rows.n_rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.ids)

    def __contains__(self, instance: object) -> bool:
        return instance in self.rows.row_of

    def __getitem__(self, instance: str) -> tuple[str, float | None]:
        row, table = self.rows.row_of[instance], self.rows.part
        if table is None:
            return self.texts[row], None if self.confidences is None else self.confidences[row]
        name = self._confidence
        said = None if name is None else table.item(row, name)
        sure = math.nan if said is None else float(said)
        return as_text(table.item(row, self._column)), sure if math.isfinite(sure) else None

    @property
    def _column(self) -> str:
        return str(self.section.column)

    @property
    def _confidence(self) -> str | None:
        return getattr(self.section, "confidence", None)

    @cached_property
    def texts(self) -> pl.Series:
        """The answers of all rows, (n,)."""
        column = self.rows.frame.get_column(self._column)
        if column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean):
            return column.cast(pl.String).fill_null("")
        if column.dtype.is_nested():
            return pl.Series([as_text(value) for value in column.to_list()], dtype=pl.String)
        values = column.unique().drop_nulls()
        texts = pl.Series([as_text(value) for value in values.to_list()], dtype=pl.String)
        return column.replace_strict(values, texts, default="", return_dtype=pl.String)

    @cached_property
    def n_given(self) -> int:
        """How many rows have an answer; all of a pool of which cells are kept."""
        if self.rows.part is not None:
            return self.rows.n_rows
        return int((self.texts != "").sum())

    @cached_property
    def confidences(self) -> pl.Series | None:
        """How sure it is of each row, (n,), null where it does not say; None without a column."""
        name = self._confidence
        if name is None:
            return None
        column = self.rows.frame.get_column(name)
        if not column.dtype.is_numeric():
            raise InputError(f"confidence column {name!r} must hold numbers; got {column.dtype}.")
        numbers = column.cast(pl.Float64)
        return pl.select(pl.when(numbers.is_finite()).then(numbers)).to_series()


def n_given(answers: Mapping[str, tuple[str, float | None]]) -> int:
    """Return how many answers somebody has given; blanks in a column are none."""
    return answers.n_given if isinstance(answers, PoolAnswers) else len(answers)
