"""Free signals of all kinds, checked once and made into columns: named, referees, judges, form.

Each is known for every pool row without a label. ``FreeSignals`` holds what the caller asked for;
`add` turns it into columns that ``accuracy_assay.domain.strata`` cuts into strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from accuracy_assay.domain.agreement import Agreement
from accuracy_assay.domain.answer_form import ANSWER_FORM, with_answer_form
from accuracy_assay.domain.judges import (
    check_judge,
    judge_names,
    refuse_copies,
    with_ordered_scores,
)
from accuracy_assay.domain.referees import REFEREES, with_referees
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.study.read.prepare import referee_columns, refuse_leak, signal_names

__all__ = ["FreeSignals"]


@dataclass(frozen=True)
class FreeSignals:
    """What is known of every row without a label.

    Parameters
    ----------
    signals, referees, judges
        Columns of each kind.
    y_pred, agreement
        The prediction that referees are compared with and whose form is looked at, and how.
    has_form
        Whether the form of the answer is a signal.
    """

    signals: tuple[str, ...] = ()
    referees: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    y_pred: str | None = None
    agreement: str | Agreement = "equal"
    has_form: bool = False

    @classmethod
    def check(
        cls,
        attributes: Sequence[str],
        *,
        signals: Sequence[str] | None,
        referees: Sequence[str] | None,
        judges: Sequence[str] | None,
        answer_form: bool,
        score: str | None = None,
        y_true: str | None = None,
        y_pred: str | None = None,
        agreement: str | Agreement = "equal",
    ) -> FreeSignals:
        """Return the signals that were asked for; a column that cannot be one is refused."""
        free = signal_names(signals, attributes, score)
        others = referee_columns(referees, attributes, y_pred, score=score, y_true=y_true)
        taken = dict.fromkeys(attributes, "an attribute") | dict.fromkeys(free, "a signal already")
        taken |= dict.fromkeys(others, "a referee")
        parts = ((score, "the score"), (y_true, "the truth"), (y_pred, "the prediction itself"))
        taken |= {name: part for name, part in parts if name}
        opinions = judge_names(judges, taken)
        if answer_form and y_pred is None:
            raise InputError(
                "answer_form must have a prediction to look at; got none. Name its column: "
                "y_pred='model_answer'."
            )
        return cls(
            tuple(free), tuple(others), tuple(opinions), y_pred, agreement, has_form=answer_form
        )

    @property
    def columns(self) -> list[str]:
        """The columns that signals and judges stand in."""
        return [*self.signals, *self.judges]

    @property
    def asked_for(self) -> list[str]:
        """The signals as the caller named them."""
        return [*self.columns, *self.referees, *([ANSWER_FORM] if self.has_form else ())]

    @property
    def names(self) -> list[str]:
        """The signals as they are called once they are columns."""
        made = [REFEREES] * bool(self.referees) + [ANSWER_FORM] * self.has_form
        return [*self.signals, *self.judges, *made]

    @property
    def is_columns(self) -> bool:
        """Whether all of them are columns as they stand, and nothing must be made of rows."""
        return not (self.referees or self.judges or self.has_form)

    def require(self, table: pl.DataFrame, what: str = "rows") -> None:
        """Raise an error that names the first column that a table lacks."""
        for name in self.judges:
            check_judge(table, name, what)
        compared = [self.y_pred] if self.y_pred and (self.referees or self.has_form) else []
        require_columns(table, [*self.signals, *compared, *self.referees], what=what)

    def refuse_leak(
        self,
        labelled: pl.DataFrame,
        scores: pl.Series,
        attributes: Sequence[str],
        y_true: str | None = None,
    ) -> None:
        """Raise an error where signals give the answer away."""
        checked = [*self.columns, *([self.y_pred] if self.y_pred and self.has_form else ())]
        refuse_leak(labelled, scores, attributes, checked, y_true=y_true, y_pred=self.y_pred)
        refuse_copies(labelled, scores, self.judges, y_true)

    def add(self, tables: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
        """Return tables of one assay with all ``names`` as columns; the first is the pool."""
        made = with_ordered_scores(tables, self.judges)
        made = with_referees(made, self.y_pred, self.referees, self.agreement)
        return with_answer_form(made, self.y_pred) if self.has_form else made
