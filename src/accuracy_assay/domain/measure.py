"""Measures other than accuracy: rates of a confusion table, and conditions that choose rows.

A measure is the average of a score over the rows that qualify (``protocols.MeasureRule``). Ours
are rates of a class C, written ``name:C``:

    recall, true-positive-rate      of the rows whose truth is C, those predicted C
    false-negative-rate             of the same rows, those predicted otherwise
    false-positive-rate             of the rows whose truth is not C, those predicted C
    true-negative-rate              of the same rows, those predicted otherwise
    precision                       of the rows predicted C, those whose truth is C
    false-discovery-rate            of the same rows, those whose truth is otherwise

A condition on columns (``where``) selects rows. It is an SQL expression, which Polars parses;
nothing else is executed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import normal_column, normal_text

__all__ = [
    "ACCURACY",
    "Condition",
    "ConfusionRate",
    "false_discovery_rate",
    "false_negative_rate",
    "false_positive_rate",
    "precision",
    "recall",
    "true_negative_rate",
]


ACCURACY = "accuracy"
"""What a surface shows unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An SQL condition on the columns of a table, such as ``truth == 'yes' AND age < 30``."""

    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names."""
        return tuple(dict.fromkeys(self._expression().meta.root_names()))

    def holds(self, frame: pl.DataFrame) -> pl.Series:
        """Return the rows in which it holds; it does not hold if a value is missing.

        Raises
        ------
        InputError
            If it is not a condition on columns of the table.
        """
        missing = [name for name in self.columns if name not in frame.columns]
        if missing:
            raise UnknownNameError(
                "column of where", missing[0], frame.columns, hint="Put texts in 'quotes'."
            )
        try:
            found = frame.select(self._expression().alias("holds")).to_series()
        except pl.exceptions.PolarsError as error:
            raise self._refusal(str(error).splitlines()[0]) from None
        if found.dtype != pl.Boolean:
            raise self._refusal(f"it gives {found.dtype}, not true or false")
        if found.len() != frame.height:
            raise self._refusal("it names no column")
        return found.fill_null(value=False)

    def _expression(self) -> pl.Expr:
        try:
            return pl.sql_expr(self.text)
        except pl.exceptions.PolarsError as error:
            raise self._refusal(str(error).splitlines()[0]) from None

    def _refusal(self, reason: str) -> InputError:
        return InputError(
            f"where must be a condition such as truth == 'yes' AND age < 30; got {self.text!r}: "
            f"{reason}."
        )


@dataclass(frozen=True, slots=True)
class ConfusionRate:
    """A rate of a confusion table: which rows qualify for it, and which of them count.

    Parameters
    ----------
    decided_by
        Whether the truth or the prediction decides which rows qualify.
    is_of_class
        Whether rows qualify if that side is the class, or if it is not.
    counts_class
        Whether rows count if the other side is the class, or if it is not.
    of
        The class.
    """

    decided_by: Literal["truth", "prediction"]
    is_of_class: bool
    counts_class: bool
    of: str

    @property
    def is_error(self) -> bool:
        """Whether the sides differ in the rows that count, so lower is better."""
        return self.is_of_class != self.counts_class

    def deciding(self, columns: Columns) -> tuple[str, ...]:
        """Return the column that decides whether a row qualifies.

        Raises
        ------
        InputError
            If the columns of truth and prediction are not both known.
        """
        return (self._sides(columns)[0],)

    def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return which rows qualify."""
        return self.is_class(rows, self._sides(columns)[0]) == self.is_of_class

    def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return which rows count, as one and zero."""
        found = self.is_class(rows, self._sides(columns)[1]) == self.counts_class
        return found.cast(pl.Float64)

    def is_class(self, rows: pl.DataFrame, column: str) -> pl.Series:
        """Return in which rows a column holds the class."""
        found = normal_column(rows.get_column(column)) == normal_text(self.of)
        return found.fill_null(value=False)

    def _sides(self, columns: Columns) -> tuple[str, str]:
        """Return the column that decides, and the other."""
        truth, prediction = columns.y_true, columns.y_pred
        if truth is None or prediction is None:
            raise InputError(
                f"a measure of class {self.of!r} must have columns of truth and prediction; got "
                f"y_true={truth!r}, y_pred={prediction!r}."
            )
        return (truth, prediction) if self.decided_by == "truth" else (prediction, truth)


recall = partial(ConfusionRate, "truth", True, True)
false_negative_rate = partial(ConfusionRate, "truth", True, False)
false_positive_rate = partial(ConfusionRate, "truth", False, True)
true_negative_rate = partial(ConfusionRate, "truth", False, False)
precision = partial(ConfusionRate, "prediction", True, True)
false_discovery_rate = partial(ConfusionRate, "prediction", True, False)
