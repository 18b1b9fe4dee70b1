"""Measures other than accuracy: the average of a score over the rows that qualify.

A measure says which rows qualify and what their score is. Named ones are of a class C, written
``name:C``:

    recall, true-positive-rate      of the rows whose truth is C, those predicted C
    false-negative-rate             of the same rows, those predicted otherwise
    false-positive-rate             of the rows whose truth is not C, those predicted C
    true-negative-rate              of the same rows, those predicted otherwise
    precision                       of the rows predicted C, those whose truth is C
    false-discovery-rate            of the same rows, those whose truth is otherwise

Any other is a condition on columns (``where``) beside a score or an agreement. Conditions are SQL
expressions, read by Polars; nothing is executed that is not one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import normal_column, normal_text

__all__ = ["ACCURACY", "MEASURES", "Condition", "Measure", "Side"]

ACCURACY = "accuracy"
"""What a surface shows unless it says otherwise."""

Side = Literal["truth", "prediction"]
MEASURES: dict[str, tuple[Side, bool, bool]] = {
    "recall": ("truth", True, True),
    "true-positive-rate": ("truth", True, True),
    "false-negative-rate": ("truth", True, False),
    "false-positive-rate": ("truth", False, True),
    "true-negative-rate": ("truth", False, False),
    "precision": ("prediction", True, True),
    "false-discovery-rate": ("prediction", True, False),
}
"""By name: the column that decides whether a row qualifies, whether it must hold the class, and
whether the other column must hold it for a score of one."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An SQL condition on the columns of a table, such as ``truth == 'yes' AND age < 30``."""

    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names."""
        return tuple(dict.fromkeys(self._expression().meta.root_names()))

    def holds(self, frame: pl.DataFrame) -> pl.Series:
        """Return in which rows it holds; where a value is missing it does not.

        Raises
        ------
        InputError
            If it is no condition on columns of the table.
        """
        missing = [name for name in self.columns if name not in frame.columns]
        if missing:
            raise UnknownNameError(
                "column of where", missing[0], frame.columns, hint="Texts stand in 'quotes'."
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
class Measure:
    """Which rows qualify, and what their score is.

    Parameters
    ----------
    name
        What it is called, such as ``recall:yes``; accuracy where only the rows are chosen.
    where
        A condition that rows must meet, None for none.
    decides, other
        Of a named measure: the column that decides whether a row qualifies, and the other of
        truth and prediction.
    """

    name: str = ACCURACY
    where: Condition | None = None
    decides: str | None = None
    other: str | None = None

    @classmethod
    def read(
        cls, name: str | None, where: str | None, *, y_true: str | None, y_pred: str | None
    ) -> Measure:
        """Return a measure by its name and condition.

        Examples
        --------
        >>> Measure.read("recall:yes", None, y_true="truth", y_pred="said").words
        "recall of 'yes'"

        Raises
        ------
        InputError
            If the name is unknown, has no class, or lacks the columns of truth and prediction.
        """
        condition = None if where is None else Condition(where)
        if name is None or name == ACCURACY:
            return cls(ACCURACY, condition)
        kind, _, positive = name.partition(":")
        kind = kind.replace("_", "-")
        if kind not in MEASURES:
            raise UnknownNameError("measure", name, [ACCURACY, *(f"{m}:CLASS" for m in MEASURES)])
        if not positive:
            raise InputError(
                f"measure must name a class, such as {kind}:yes; got {name!r}. Which class counts "
                "as found?"
            )
        if y_true is None or y_pred is None:
            raise InputError(
                f"measure {name!r} must have the columns of truth and prediction; got "
                f"y_true={y_true!r}, y_pred={y_pred!r}."
            )
        sides = (y_true, y_pred) if MEASURES[kind][0] == "truth" else (y_pred, y_true)
        return cls(f"{kind}:{positive}", condition, *sides)

    @property
    def kind(self) -> str:
        """The name without its class."""
        return self.name.partition(":")[0]

    @property
    def is_error(self) -> bool:
        """Whether it is a rate of errors, of which less is better."""
        return self.kind.startswith("false-")

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return self.name if self.decides is None else f"{self.kind} of {self._positive!r}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that decide whether a row qualifies."""
        named = () if self.decides is None else (self.decides,)
        return (*named, *(() if self.where is None else self.where.columns))

    def qualifies(self, frame: pl.DataFrame) -> pl.Series:
        """Return which rows qualify."""
        found = pl.repeat(value=True, n=frame.height, eager=True)
        if self.decides is not None:
            found = self._is_class(frame, self.decides) == MEASURES[self.kind][1]
        return found if self.where is None else found & self.where.holds(frame)

    def scores(self, frame: pl.DataFrame) -> pl.Series | None:
        """Return the score of rows that qualify; None where the measure leaves it to others."""
        if self.other is None:
            return None
        found = self._is_class(frame, self.other) == MEASURES[self.kind][2]
        return found.cast(pl.Float64).alias("score")

    def side(self, frame: pl.DataFrame, side: Side) -> pl.Series:
        """Return in which rows the truth, or the prediction, is the class of the measure."""
        is_deciding = MEASURES[self.kind][0] == side
        column = self.decides if is_deciding else self.other
        assert column is not None
        return self._is_class(frame, column)

    @property
    def _positive(self) -> str:
        return self.name.partition(":")[2]

    def _is_class(self, frame: pl.DataFrame, column: str) -> pl.Series:
        values = frame.get_column(column)
        return (normal_column(values) == normal_text(self._positive)).fill_null(value=False)
