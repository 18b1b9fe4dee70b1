"""The estimation problem of one service in a session: its signals, its scores, its leaks.

Notation: the free signals of an instance are what the service itself says of it (prediction or
its form, confidence), which other services, its referees, say the same, and what its judges say.
They count only when they are known for the whole pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.assay.ledger import Resolved
from accuracy_assay.assay.rows import AssayRows
from accuracy_assay.domain.agreement import agreement, check_scores
from accuracy_assay.domain.answer_form import ANSWER_FORM, answer_form
from accuracy_assay.domain.judges import (
    check_judge,
    opinions,
    refuse_copies,
    with_ordered_scores,
)
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.referees import referee_signal
from accuracy_assay.domain.strata import stratify
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_texts
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.arms import Arms
from accuracy_assay.study.prepare import refuse_leak
from accuracy_assay.study.problem import Problem

__all__ = ["Labels", "Predictions", "ServiceProblem", "score_answers"]

Predictions = Mapping[str, tuple[str, float | None]]
"""What a service predicted, and how sure it was if it says so, by instance."""
Labels = Mapping[int, Resolved]
"""What labelled rows are taken to be, by row number."""

_PREDICTION, _CONFIDENCE = "prediction of the service", "confidence of the service"
# More classes than these make strata so small that each label teaches little about the others;
# an attribute of as many values is refused as a categorical signal too (domain.cells). Of more the
# form of the answer is a signal.
_MOST_CLASSES = 20


@dataclass(frozen=True, eq=False)
class ServiceProblem:
    """A problem with the service that it is about.

    Parameters
    ----------
    spec, service, rows
        The spec, the service's section of it, and the tables.
    signals
        Columns of free signals, one row for each of ``rows``; without columns there are none.
    problem
        What fits and choices rest on.
    """

    spec: Spec
    service: ServiceSection
    rows: AssayRows
    signals: pl.DataFrame
    problem: Problem

    @classmethod
    def build(
        cls,
        spec: Spec,
        service: ServiceSection,
        rows: AssayRows,
        arms: Arms,
        predictions: Predictions,
        referees: Mapping[str, Predictions] | None = None,
        judges: Mapping[str, Predictions] | None = None,
    ) -> ServiceProblem:
        """Return the problem, with as many signals as the pool has.

        ``referees`` are the other services that are compared with this one, and their answers,
        ``judges`` those who judge it, and their opinions. Beside either the predicted class says
        little more and takes most of the time, so it is left out unless the user names it.
        """
        signals = _signals(spec, service, rows, predictions)
        others = _opinions(rows, judges or {})
        agreeing = _referees(spec, rows, predictions, referees or {})
        others += [] if agreeing is None else [agreeing]
        if others:
            if service.signals is None and _PREDICTION in signals.columns:
                signals = signals.drop(_PREDICTION)
            signals = pl.DataFrame([*signals.get_columns(), *others])
        return cls(spec, service, rows, signals, _problem(spec, service, rows, arms, signals))

    def without_leak(self, labels: Labels, predictions: Predictions) -> ServiceProblem:
        """Return the problem without a prediction that, with an attribute, tells the score.

        That happens where an attribute is the label. A signal that the user named is an error.
        The form of an answer may be the answer itself, so it leaks where the prediction would.
        """
        own = {_PREDICTION, ANSWER_FORM, *(self.service.signals or ())}
        names = [name for name in self.signals.columns if name in own]
        judges = [j.name for j in self.spec.judges_of(self.service) if j.name in self.signals]
        if not (names or judges) or not labels:
            return self
        rows = sorted(labels)
        scores = pl.Series(self.scores(rows, labels, predictions))
        refuse_copies(self.signals[rows], scores, judges)
        every = self.rows.frame[rows].with_columns(self.signals[rows].select(names))
        if ANSWER_FORM in names:
            said = [predictions[self.rows.ids[row]][0] for row in rows]
            every = every.with_columns(pl.Series(ANSWER_FORM, said))
        exact = [a for a in self.rows.space.names if a in every.columns]
        try:
            refuse_leak(every, scores, exact, names)
        except InputError:
            if self.service.signals is not None:
                raise
            kept = self.signals.drop(_PREDICTION, ANSWER_FORM, strict=False)
            problem = _problem(self.spec, self.service, self.rows, self.problem.arms, kept)
            return ServiceProblem(self.spec, self.service, self.rows, kept, problem)
        return self

    def condensed(self, labels: Labels, predictions: Predictions) -> ServiceProblem:
        """Return the problem with one or two signals where there are too many to be crossed."""
        rows = sorted(labels)
        scores = self.scores(rows, labels, predictions)
        problem = self.problem.condensed(np.asarray(rows, dtype=np.int64), scores)
        return self if problem is self.problem else replace(self, problem=problem)

    def observe(self, labels: Labels, predictions: Predictions) -> Observations:
        """Return the observations of the labelled rows, in the order of the rows."""
        rows = sorted(labels)
        scores = self.scores(rows, labels, predictions)
        index = np.asarray(rows, dtype=np.int64)
        arms = self.problem.arms.labelled(index, self.known_codes(rows, labels))
        return self.problem.observe(index, scores, arms)

    def scores(self, rows: list[int], labels: Labels, predictions: Predictions) -> FloatArray:
        """Return the score of each labelled row."""
        ids = [self.rows.ids[row] for row in rows]
        missing = [i for i in ids if i not in predictions]
        if missing:
            raise InputError(
                f"service {self.service.name!r} must have predicted every labelled instance; got "
                f"{len(missing)} without a prediction, such as {missing[0]!r}. "
                "Let it answer first: assay run, or Assay.predict."
            )
        truths = [labels[row].label for row in rows]
        return score_answers(self.spec.label.agreement, truths, [predictions[i][0] for i in ids])

    def known_codes(self, rows: list[int], labels: Labels) -> IntArray:
        """Return the codes (m, K) that labels reveal and annotators confirmed, -1 elsewhere."""
        space = self.rows.space
        known = np.full((len(rows), len(space.attributes)), -1, dtype=np.int64)
        for k, (section, attribute) in enumerate(
            zip(self.spec.attribute, space.attributes, strict=True)
        ):
            for m, row in enumerate(rows):
                label = labels[row]
                if attribute.name in label.attributes:
                    known[m, k] = attribute.code(label.attributes[attribute.name])
                elif section.from_label and row not in self.rows.seed_labels:
                    known[m, k] = attribute.code(label.label)
        return known


def _problem(
    spec: Spec, service: ServiceSection, rows: AssayRows, arms: Arms, signals: pl.DataFrame
) -> Problem:
    judges = [judge.name for judge in spec.judges_of(service) if judge.name in signals.columns]
    (signals,) = with_ordered_scores([signals], judges)
    cluster = None if spec.pool.cluster is None else rows.frame.get_column(spec.pool.cluster)
    strata = stratify(signals[: arms.n_pool], signals.columns, cluster)
    every = signals if cluster is None else pl.DataFrame([*signals.get_columns(), cluster])
    stratum = None if strata is None else strata.arm_index(strata.encode(every))
    return Problem.build(arms, strata, stratum, is_pool=spec.assay.target == "pool")


def score_answers(name: str, truths: Sequence[str], predictions: Sequence[str]) -> FloatArray:
    """Return one score per pair; a user's own function that fails is named."""
    compare = agreement(name)
    try:
        made = np.asarray(compare(truths, predictions), dtype=np.float64)
    except Warning:
        raise  # a warning that the caller turned into an error
    except Exception as error:  # whatever the user's function raises
        raise InputError(
            f"agreement {name!r} must take truths and predictions and return numbers; got "
            f"{type(error).__name__}: {error}."
        ) from error
    scores = check_scores(made, what=f"agreement {name!r}")
    if scores.shape != (len(truths),):
        raise InputError(
            f"agreement {name!r} must return one score per pair, shape ({len(truths)},); got "
            f"{scores.shape}."
        )
    return scores


def _signals(
    spec: Spec, service: ServiceSection, rows: AssayRows, predictions: Predictions
) -> pl.DataFrame:
    """Return the columns of signals, one row for each of ``rows``.

    Unless the user names some there are none where attributes are guessed or revealed by labels:
    which signals an arm has would be guessed too, and estimates get worse.
    """
    if service.signals is not None:
        return rows.frame.select(service.signals)
    is_guessed = any(a.evidence or a.from_label for a in spec.attribute)
    if is_guessed or any(i not in predictions for i in rows.ids):
        return pl.DataFrame()
    answers = [predictions[i] for i in rows.ids]
    columns: dict[str, list[str] | list[float]] = {}
    classes = {prediction for prediction, _ in answers}
    if len(classes) <= _MOST_CLASSES:
        columns[_PREDICTION] = [prediction for prediction, _ in answers]
    elif (form := _form(answers, rows.n_pool)) is not None:
        columns[ANSWER_FORM] = form
    confidences = [c for _, c in answers if c is not None]
    if len(confidences) == len(answers):
        columns[_CONFIDENCE] = confidences
    return pl.DataFrame(columns)


def _opinions(rows: AssayRows, judges: Mapping[str, Predictions]) -> list[pl.Series]:
    """Return what each judge says, one value for each of ``rows``.

    A judge with nothing to say of a row beside the pool is left out, as a referee is.
    """
    said = {name: [made[i][0] for i in rows.ids] for name, made in judges.items()}
    columns = [opinions(texts, name) for name, texts in said.items() if all(texts)]
    for column in columns:
        check_judge(pl.DataFrame([column]), column.name, "pool")
    return columns


def _form(answers: Sequence[tuple[str, float | None]], n_pool: int) -> list[str] | None:
    """Return the form of each answer, None where they have none to go by."""
    texts = pl.Series([prediction for prediction, _ in answers], dtype=pl.String)
    form = answer_form(texts, texts[:n_pool])
    return None if form is None else form.to_list()


def _referees(
    spec: Spec, rows: AssayRows, predictions: Predictions, referees: Mapping[str, Predictions]
) -> pl.Series | None:
    """Return who agrees with the service, one value for each of ``rows``; None where none can.

    A referee that answered no row beside the pool is left out: those rows are labelled, and its
    silence there would be taken for dissent.
    """
    beside = rows.ids[rows.n_pool :]
    usable = {
        name: made
        for name, made in referees.items()
        if not beside or any(made[i][0] for i in beside)
    }
    if not usable or any(i not in predictions for i in rows.ids):
        return None
    name = spec.label.agreement

    def agree(truths: Sequence[object], answers: Sequence[object]) -> FloatArray:
        return score_answers(name, as_texts(truths), as_texts(answers))

    return referee_signal(
        pl.Series([predictions[i][0] for i in rows.ids]),
        {who: pl.Series([made[i][0] for i in rows.ids]) for who, made in usable.items()},
        name if name == "equal" else agree,
    )
