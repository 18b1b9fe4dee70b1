"""What the columns of a table mean, said once: by a call, a command, a spec, a log or a task.

Everything that can be refused without looking at a table is refused here, so functions that take
`Columns` can rely on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

import polars as pl

from accuracy_assay.domain.agreement import Agreement, score_column
from accuracy_assay.domain.answer_form import ANSWER_FORM
from accuracy_assay.domain.evidence import columns_by_value
from accuracy_assay.domain.history import HISTORY
from accuracy_assay.domain.missing_answers import (
    MissingAnswers,
    MissingPrediction,
    check_rule,
    settle,
    unanswered,
)
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.domain.space import KINDS, Attribute
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError

__all__ = ["AnyAttribute", "Columns", "Picked"]

Picked = Literal["label", "random"]
"""How labelled rows were picked."""

AnyAttribute = str | Attribute | TextAttribute
"""An attribute by the name of its column, declared, or derived from a text."""

_LISTS = ("signals", "referees", "judges", "history", "from_label")
_SINGLE = ("score", "y_true", "y_pred", "cluster", "weight", "id", "annotator", "gold")
"""Fields that name several columns, and fields that name one."""


@dataclass(frozen=True)
class Columns:
    """What the columns of a table mean.

    Parameters
    ----------
    attributes
        Columns that span the surface: named, declared, or derived from texts.
    score
        Column of each row's agreement, in [0, 1] or boolean; empty without a label.
    y_true, y_pred, agreement
        Columns of truth and prediction, and how to compare them if there is no score.
    signals
        Columns known for every row without a label.
    referees
        Columns of other services' predictions, to compare with ``y_pred``.
    judges
        Columns with a verdict or score of the service's answer.
    history
        Columns of earlier services' scores on the same rows.
    answer_form
        Whether the form of the answers in ``y_pred`` is a signal.
    graded_by_model
        Whether the score is that of a model, which a check does not take without a certificate.
    cluster
        Column of rows that belong together and are not independent.
    evidence
        Pattern of the probability columns of each guessed attribute.
    from_label
        Attributes that are known once a row is labelled.
    picked
        How the labelled rows were picked, if an attribute is the label: ``"label"``, so many of
        each class, or ``"random"``, by nothing that needs a label. None asks, by a warning, where
        they look picked by their class.
    weight
        Column of the pool that says how many rows each row stands for.
    id
        Column that identifies a row; of a table of answers, the item.
    annotator
        Column of who gave the answer in ``y_true``: one row per answer, several per item.
    gold
        Column of the item's true answer, empty where it is not known.
    missing_prediction
        What a row with a label and without an answer in ``y_pred`` (null, NaN, blank text) is:
        ``"wrong"``, unless a column has the score; ``"refuse"``, an error; ``"drop"``, left out.

    Raises
    ------
    InputError
        If a column is given two roles that exclude each other.

    Examples
    --------
    >>> columns = Columns(("sex", "age"), "correct", signals=("confidence",))
    >>> columns.names, columns.label
    (('sex', 'age'), 'correct')
    """

    attributes: tuple[AnyAttribute, ...]
    score: str | None = None
    y_true: str | None = None
    y_pred: str | None = None
    agreement: str | Agreement = "equal"
    signals: tuple[str, ...] = ()
    referees: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    answer_form: bool = False
    graded_by_model: bool = False
    cluster: str | None = None
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)
    from_label: tuple[str, ...] = ()
    picked: Picked | None = None
    weight: str | None = None
    id: str | None = None
    annotator: str | None = None
    gold: str | None = None
    missing_prediction: MissingPrediction = "wrong"

    def __post_init__(self) -> None:
        self._normalise()
        _check_attributes(self.attributes)
        for wanting in ("referees", "answer_form"):
            if getattr(self, wanting) and self.y_pred is None:
                raise InputError(
                    f"{wanting} must have a prediction to look at; got none. Name its column: "
                    "y_pred='model_answer'."
                )
        self._check_annotators()
        if self.picked not in (None, *get_args(Picked)):
            raise UnknownNameError("picked", str(self.picked), get_args(Picked))
        if self.picked == "label" and (len(self.from_label) != 1 or self.y_pred is None):
            raise InputError(
                "picked='label' must have the attribute that is the label and a prediction; got "
                f"from_label={list(self.from_label)} and y_pred={self.y_pred!r}. Name them: "
                "from_label=['digit'], y_pred='answer'."
            )
        self._refuse_second_roles()

    @classmethod
    def of(cls, attributes: Sequence[AnyAttribute] | Columns, **given: Any) -> Columns:
        """Return the columns that a call names one by one, or passes as a whole.

        Parameters
        ----------
        attributes
            The attributes; or a `Columns`, and nothing else.
        given
            The other fields.
        """
        if isinstance(attributes, Columns):
            usual = {f.name: f.default for f in fields(cls)}
            if named := [n for n, value in given.items() if value and value != usual.get(n)]:
                raise InputError(
                    "columns must be named one by one or given as a whole; got Columns and "
                    f"{', '.join(named)}. Leave these out, or use dataclasses.replace."
                )
            return attributes
        return cls(attributes, **given)  # type: ignore[arg-type]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the attributes."""
        return tuple(a if isinstance(a, str) else a.name for a in self.attributes)

    @property
    def label(self) -> str | None:
        """The column in which a row without a label has no value."""
        return self.score or self.y_true

    @property
    def scored_by(self) -> tuple[str, ...]:
        """The columns that scores come from."""
        given = (self.y_true, self.y_pred) if self.score is None else (self.score,)
        return tuple(column for column in given if column is not None)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Attributes whose missing values are guessed."""
        declared = [a for a in self.attributes if isinstance(a, Attribute)]
        return tuple(a.name for a in declared if a.missing == "guess")

    @property
    def exact(self) -> tuple[str, ...]:
        """Attributes that are known for every row."""
        return tuple(name for name in self.names if name not in self.hidden)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Attributes that are not known for every row."""
        return tuple(dict.fromkeys([*self.from_label, *self.evidence, *self.unsure]))

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns that every row must have, labelled or not."""
        beside = (column for column in (self.cluster, self.id) if column is not None)
        return (*self.exact, *self.unsure, *beside)

    @property
    def asked_for(self) -> tuple[str, ...]:
        """The free signals as the caller named them."""
        form = [ANSWER_FORM] if self.answer_form else []
        return (*self.opinions, *self.referees, *form, *self.history)

    @property
    def opinions(self) -> tuple[str, ...]:
        """The columns of signals and judges."""
        return (*self.signals, *self.judges)

    @property
    def signal_columns(self) -> tuple[str, ...]:
        """The free signals by their columns, once all of them are columns."""
        made = [REFEREES] * bool(self.referees) + [ANSWER_FORM] * self.answer_form
        return (*self.opinions, *made, *[HISTORY] * bool(self.history))

    @property
    def is_plain(self) -> bool:
        """Whether every signal is a column of the table already."""
        return not (self.referees or self.judges or self.answer_form or self.history)

    def named_in(self, columns: Sequence[str]) -> set[str]:
        """Return those of a table's columns that have a part to play.

        Examples
        --------
        >>> asked = Columns(("age",), "correct", evidence={"age": "p_age__*"})
        >>> sorted(asked.named_in(["p_age__old", "p_age__young", "correct", "place"]))
        ['correct', 'p_age__old', 'p_age__young']
        """
        named: set[str | None] = {*self.names, *self.opinions, *self.referees, *self.history}
        named |= {self.score, self.y_true, self.y_pred, self.cluster, self.weight, self.id}
        named |= {self.annotator, self.gold}
        named |= {a.column for a in self.attributes if isinstance(a, TextAttribute)}
        for pattern in self.evidence.values():
            named |= set(columns_by_value(pattern, columns).values())
        return {column for column in columns if column in named}

    def scores(self, labelled: pl.DataFrame, *, warn: bool = True) -> pl.Series:
        """Return the score of every labelled row, unchecked."""
        return score_column(
            labelled,
            score=self.score,
            y_true=self.y_true,
            y_pred=self.y_pred,
            agree=self.agreement,
            warn=warn,
        )

    def answered(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table without the rows that have no answer, if these are left out.

        A pool may not have the column of the answers; then it stays as it is.
        """
        if self.missing_prediction != "drop" or self.y_pred not in table.columns:
            return table
        return table.filter(~self._unanswered(table))

    def missing_answers(
        self, labelled: pl.DataFrame, *, warn: bool = True
    ) -> MissingAnswers | None:
        """Return how many labelled rows have no answer; None if that decides no score.

        If they are left out, a warning says so, unless ``warn`` is off.

        Raises
        ------
        InputError
            If they are refused; it names the first.
        """
        if self.y_pred not in labelled.columns:
            return None
        is_missing = self._unanswered(labelled)
        found = MissingAnswers(self.missing_prediction, int(is_missing.sum()), labelled.height)

        def first(count: int) -> pl.Series:
            rows = is_missing.arg_true().head(count)
            return rows.alias("row") if self.id is None else labelled.get_column(self.id)[rows]

        settle(found, self.y_pred, first)
        if warn:
            found.warn()
        return None if found.rule == "wrong" and self.score is not None else found

    def _unanswered(self, table: pl.DataFrame) -> pl.Series:
        assert self.y_pred is not None
        truth = self.y_true if self.y_true in table.columns else None
        known = None if truth is None else table.get_column(truth)
        return unanswered(table.get_column(self.y_pred), known)

    def refuse(self, question: str, *fields: str) -> None:
        """Raise an error if a field is set that a question cannot take into account."""
        for name in fields:
            if value := getattr(self, name):
                shown = list(value) if isinstance(value, tuple) else value
                raise InputError(f"{name} must be left out of {question}; got {shown!r}.")

    def _check_annotators(self) -> None:
        """Refuse answers of people without what makes sense of them."""
        if self.annotator is None:
            if self.gold is not None:
                raise InputError(
                    f"gold must go with annotator, the column of who answered; got {self.gold!r} "
                    "alone. If it is the truth of every labelled row, name it as y_true."
                )
            return
        needed = {"y_true": self.y_true, "id": self.id}
        if lacking := [name for name, column in needed.items() if column is None]:
            raise InputError(
                "annotator must go with y_true (what people answered) and id (the item); got no "
                f"{' and no '.join(lacking)}."
            )
        if self.score is not None or self.from_label:
            other = "score" if self.score is not None else "from_label"
            raise InputError(f"{other} must be left out where rows are answers of annotators.")

    def _normalise(self) -> None:
        """Take lists and None where several columns may be named; refuse values of other kinds."""
        if isinstance(self.attributes, AnyAttribute) or not isinstance(self.attributes, Iterable):
            raise InputError(
                f"attributes must be a list of columns; got {self.attributes!r} alone."
            )
        object.__setattr__(self, "attributes", tuple(self.attributes))
        for name in _LISTS:
            value = getattr(self, name)
            if isinstance(value, str):
                raise InputError(f"{name} must be a list of columns; got the text {value!r}.")
            object.__setattr__(self, name, tuple(value or ()))
        for name in _SINGLE:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise InputError(f"{name} must be the name of one column; got {value!r}.")
        check_rule(self.missing_prediction)
        if not isinstance(self.evidence or {}, Mapping):
            raise InputError(
                "evidence must map guessed attributes to patterns such as 'p_age__*'; got "
                f"{self.evidence!r}."
            )
        object.__setattr__(self, "evidence", dict(self.evidence or {}))

    def _refuse_second_roles(self) -> None:
        """Refuse columns whose roles exclude each other; a prediction may also be a signal."""
        roles: dict[str | None, str] = dict.fromkeys(self.names, "an attribute")
        roles[self.score] = "the score"
        rule = "columns other than the attributes and the score"
        _refuse_taken("signals", self.signals, rule, roles)
        roles |= {self.y_true: "the truth", self.y_pred: "the prediction itself"}
        rule = "predictions of services other than the one being judged"
        _refuse_taken("referees", self.referees, rule, roles)
        roles = {**dict.fromkeys(self.signals, "a signal"), **roles}
        others: dict[str | None, str] = dict.fromkeys(self.referees, "a referee")
        rule = "columns of opinions formed without the labels"
        _refuse_taken("judges", self.judges, rule, {**roles, **others})
        judges: dict[str | None, str] = dict.fromkeys(self.judges, "a judge")
        rule = "scores of services other than the one being judged"
        _refuse_taken("history", self.history, rule, {**roles, **others, **judges})
        if self.cluster is not None:
            rule = "a column other than the attributes, the signals and the score"
            others = {**judges, **dict.fromkeys(self.history, "of the history")}
            _refuse_taken("cluster", [self.cluster], rule, {**roles, **others})


def _refuse_taken(
    what: str, names: Sequence[str], rule: str, roles: Mapping[str | None, str]
) -> None:
    """Refuse columns that repeat or have a role already."""
    _check_different(names, what)
    for name in names:
        if name in roles:
            raise InputError(
                f"{what} must be {rule}; got {name!r}, which is {roles[name]}. Leave it out."
            )


def _check_attributes(attributes: Sequence[AnyAttribute]) -> None:
    for a in attributes:
        if not isinstance(a, AnyAttribute):
            raise InputError(f"attributes must be column names or Attribute values; got {a!r}.")
        if isinstance(a, Attribute) and a.kind not in KINDS:
            raise InputError(
                f"attribute {a.name!r} must be of kind {', '.join(KINDS)}; got {a.kind!r}. For "
                f"rows that belong together, pass cluster={a.name!r}."
            )
    if not attributes:
        raise InputError("attributes must name at least one column; got none.")
    _check_different([a if isinstance(a, str) else a.name for a in attributes], "attributes")


def _check_different(names: Sequence[str], what: str) -> None:
    if len(set(names)) < len(names):
        raise InputError(f"{what} must name different columns; got {list(names)!r}.")
