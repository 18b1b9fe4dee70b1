"""Answers that a service did not give, and what they count as.

A service that was asked and said nothing was not right, so a row with a truth and without an
answer counts as wrong. Who leaves such rows out makes the service look better than it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, get_args

import polars as pl

from accuracy_assay.domain.detail import Detail
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.blank_texts import (
    is_blank,
    is_blank_sql,
    is_missing,
    is_missing_sql,
)
from accuracy_assay.files.texts import as_text

__all__ = [
    "MissingAnswerWarning",
    "MissingAnswers",
    "MissingPrediction",
    "check_rule",
    "settle",
    "unanswered",
    "unanswered_sql",
]

MissingPrediction = Literal["wrong", "refuse", "drop"]
"""What a row with a truth and without an answer is: a wrong answer, an error, or left out."""
_SHOWN = 3
"""Rows that an error names: enough to look them up."""


class MissingAnswerWarning(UserWarning):
    """Rows without an answer that were left out, which raises the accuracy."""


@dataclass(frozen=True, slots=True)
class MissingAnswers(Detail):
    """How many rows have no answer.

    Parameters
    ----------
    rule
        What becomes of them.
    rows, of
        How many they are, and of how many.
    what, whose
        Which rows these are, and whose answers they lack, in words.
    meaning
        What they count as, in words, if they count.

    Examples
    --------
    >>> print(MissingAnswers("wrong", 12, 400))
    12 of 400 labelled rows have no answer and count as wrong
    """

    key: ClassVar[str] = "missing_prediction"

    rule: MissingPrediction
    rows: int
    of: int
    what: str = "labelled rows"
    whose: str = ""
    meaning: str = "wrong"

    @property
    def details(self) -> dict[str, Any]:
        """What a surface's details say; nothing if every row has an answer."""
        if not self.rows:
            return {}
        usual = {f.name: f.default for f in fields(self)}
        return {self.key: {k: v for k, v in asdict(self).items() if v != usual[k]}}

    def __str__(self) -> str:
        fact = f"{self.rows:,} of {self.of:,} {self.what}"
        has, are, count = ("has", "is", "counts") if self.rows == 1 else ("have", "are", "count")
        if self.rule == "wrong":
            return f"{fact} {has} no answer{self.whose} and {count} as {self.meaning}"
        return (
            f"{fact} {has} no answer{self.whose} and {are} left out, which makes a service look "
            "better than it is"
        )

    def warn(self) -> None:
        """Warn if they are left out."""
        if self.rule == "drop" and self.rows:
            warnings.warn(f"{self}.", MissingAnswerWarning, stacklevel=4)


def check_rule(rule: object) -> None:
    """Raise an error unless it is one of the three."""
    if rule not in get_args(MissingPrediction):
        raise UnknownNameError(MissingAnswers.key, rule, get_args(MissingPrediction))


def unanswered(prediction: pl.Series, truth: pl.Series | None = None) -> pl.Series:
    """Return the rows without an answer: null, NaN, or a blank text.

    Where the truth itself is blank, such as the words spoken in a silence, a blank text is an
    answer.

    Examples
    --------
    >>> said, truth = pl.Series(["a", None, " ", ""]), pl.Series(["a", "b", "c", ""])
    >>> unanswered(said, truth).to_list()
    [False, True, True, False]
    """
    is_silence = is_blank(prediction)
    if truth is not None:
        is_silence &= ~is_blank(truth)
    return is_missing(prediction) | is_silence


def unanswered_sql(
    prediction: tuple[str, pl.DataType], truth: tuple[str, pl.DataType] | None = None
) -> str:
    """Return `unanswered` as a condition of DuckDB, given columns as terms with their types."""
    is_silence = is_blank_sql(*prediction)
    if truth is not None:
        is_silence = f"({is_silence} AND NOT {is_blank_sql(*truth)})"
    return f"({is_missing_sql(*prediction)} OR {is_silence})"


def settle(
    found: MissingAnswers,
    prediction: str,
    first: Callable[[int], pl.Series],
    where: str = "row with a label",
) -> MissingAnswers:
    """Return rows without an answer if there may be any.

    Parameters
    ----------
    found
        How many they are, and what becomes of them.
    prediction
        The column of the answers.
    first
        Function that returns the ids, or the numbers, of the first few of them.
    where
        Where there must be an answer, in words.

    Raises
    ------
    InputError
        If they are refused, or no row is left.
    """
    if found.rule == "refuse" and found.rows:
        named = first(_SHOWN)
        shown = ", ".join(as_text(value) for value in named.to_list())
        more = ", ..." if found.rows > _SHOWN else ""
        raise InputError(
            f"column {prediction!r} must have an answer in every {where}; got {found.rows:,} of "
            f"{found.of:,} without one ({named.name} {shown}{more}). With "
            "missing_prediction='wrong' they count as wrong answers, with 'drop' they are left "
            "out."
        )
    if found.rule == "drop" and found.rows == found.of:
        raise InputError(
            f"column {prediction!r} must have an answer in some {where}; got none in "
            f"{found.of:,}, and missing_prediction='drop' leaves them all out."
        )
    return found
