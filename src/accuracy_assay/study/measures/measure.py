"""What to measure instead of accuracy: a rule, a condition, and the columns they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.measure import ACCURACY, Condition
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.protocols import MeasureRule
from accuracy_assay.registry import MEASURES, MeasureChoice, build_measure

__all__ = ["Measure"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Measure:
    """Which rows qualify, and what their score is.

    Parameters
    ----------
    columns
        What the columns of the rows mean.
    words
        Its name in a sentence, such as ``recall of 'yes'``.
    rule
        The rule, None if the scores are those of accuracy.
    where
        A condition that rows must meet, None for none.
    """

    columns: Columns
    words: str = ACCURACY
    rule: MeasureRule | None = None
    where: Condition | None = None

    @classmethod
    def read(cls, choice: MeasureChoice | None, where: str | None, columns: Columns) -> Measure:
        """Return a measure by its name and condition.

        Examples
        --------
        >>> columns = Columns(("sex",), y_true="truth", y_pred="said")
        >>> Measure.read("recall:yes", None, columns).words
        "recall of 'yes'"

        Raises
        ------
        InputError
            If the name is unknown, or the rule lacks a setting or a column.
        """
        condition = None if where is None else Condition(where)
        if choice is None or choice == ACCURACY:
            return cls(columns, where=condition)
        rule = build_measure(choice)
        found = cls(columns, _words(choice, rule), rule, condition)
        _ = found.deciding  # refuses missing columns
        return found

    @property
    def is_error(self) -> bool:
        """Whether it is an error rate, so lower is better."""
        return self.rule is not None and self.rule.is_error

    @property
    def deciding(self) -> tuple[str, ...]:
        """The columns that decide whether a row qualifies."""
        named = () if self.rule is None else self._ask(self.rule.deciding, self.columns)
        return (*named, *(() if self.where is None else self.where.columns))

    def qualifies(self, rows: pl.DataFrame) -> pl.Series:
        """Return which rows qualify."""
        found = pl.repeat(value=True, n=rows.height, eager=True)
        if self.rule is not None:
            found = self._one_per_row(self._ask(self.rule.qualifies, rows, self.columns), rows)
            if found.dtype != pl.Boolean:
                raise InputError(
                    f"measure {self.words!r} must say which rows qualify by true and false; got "
                    f"{found.dtype}."
                )
            found = found.fill_null(value=False)
        return found if self.where is None else found & self.where.holds(rows)

    def scores(self, rows: pl.DataFrame) -> pl.Series | None:
        """Return the score of rows that qualify; None if it is that of accuracy."""
        if self.rule is None:
            return None
        return self._one_per_row(self._ask(self.rule.scores, rows, self.columns), rows)

    def _ask(self, question: Callable[..., _T], *about: object) -> _T:
        """Return what a rule says; one of another package may fail in any way."""
        try:
            return question(*about)
        except AssayError:
            raise
        except Exception as error:
            raise InputError(
                f"measure {self.words!r} must work on these columns; got {type(error).__name__}: "
                f"{error}."
            ) from error

    def _one_per_row(self, values: pl.Series, rows: pl.DataFrame) -> pl.Series:
        """Return what a rule, perhaps of another package, says."""
        if values.len() != rows.height:
            raise InputError(
                f"measure {self.words!r} must return one value per row; got {values.len()} for "
                f"{rows.height} rows."
            )
        return values


def _words(choice: MeasureChoice, rule: MeasureRule) -> str:
    """Return the name of a measure, with its class if it has one."""
    name = choice["name"] if isinstance(choice, Mapping) else choice
    of = getattr(rule, "of", None)
    if not isinstance(name, str):
        name = type(rule).__name__
    name = name.partition(f":{of}")[0]  # columns may follow
    name = name.replace("_", "-") if name.replace("_", "-") in MEASURES else name
    return name if of is None else f"{name} of {of!r}"
