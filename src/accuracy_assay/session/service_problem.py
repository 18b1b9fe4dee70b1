"""The estimation problem of one service in a session: its signals, its scores, its leaks.

Notation: the free signals of an instance are what the service itself says of it (prediction or
its form, confidence), which other services, its referees, say the same, and what its judges say.
They count only when they are known for the whole pool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.agreement import agreement, check_scores
from accuracy_assay.domain.answer_form import ANSWER_FORM, answer_form
from accuracy_assay.domain.history import HISTORY, refuse_own_scores, with_history
from accuracy_assay.domain.judges import (
    check_judge,
    opinions,
    refuse_copies,
    with_ordered_scores,
)
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.label_surface import LabelledClasses, surface_by_label
from accuracy_assay.domain.missing_answers import unanswered
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.part_judged import PartJudged
from accuracy_assay.domain.referees import referee_signal
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_texts
from accuracy_assay.numerics.soft_scores import SoftScores
from accuracy_assay.protocols import Candidates
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.cache.cells import KeptCells
from accuracy_assay.session.cache.table import KeptTable
from accuracy_assay.session.crowd_labels import CrowdLabels
from accuracy_assay.session.ledger import Resolved
from accuracy_assay.session.pool_answers import PoolAnswers
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.leaks import refuse_leak
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.tables import divide

__all__ = [
    "PREDICTION",
    "Labels",
    "Predictions",
    "ServiceProblem",
    "answers_of",
    "observed_label",
    "score_answers",
    "signals_of_service",
    "strata_of_signals",
]

Predictions = Mapping[str, tuple[str, float | None]]
"""What a service predicted, and how sure it was if it says so, by instance."""
Labels = Mapping[int, Resolved]
"""What labelled rows are taken to be, by row number."""

PREDICTION, _CONFIDENCE = "prediction of the service", "confidence of the service"
"""Names of signals."""
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
    cells
        The kinds of the rows, where a large pool is kept; the problem is then over kinds.
    build_whole
        Function that makes the problem over all rows where this one is over kinds.
    label
        The attribute that is the label, if there is one; the problem is then over predictions.
    judged
        Judges that scored only some rows and count, and how many (`session.part_judges`).
    """

    spec: Spec
    service: ServiceSection
    rows: AssayRows
    signals: pl.DataFrame | KeptTable
    problem: Problem
    cells: KeptCells | None = None
    build_whole: Callable[[], ServiceProblem] | None = None
    label: LabelAttribute | None = None
    judged: PartJudged | None = None

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
        label: LabelAttribute | None = None,
    ) -> ServiceProblem:
        """Return the problem, with as many signals as the pool has.

        ``referees`` are the other services that are compared with this one, and their answers,
        ``judges`` those who judge it, and their opinions. Beside either the predicted class says
        little more and takes most of the time, so it is left out unless the user names it; the
        same goes beside a history. Where an attribute is the label (``label``), the prediction is
        an attribute of ``arms``.
        """
        signals = signals_of_service(
            spec, service, rows, predictions, referees or {}, judges or {}, label
        )
        return cls.of_signals(spec, service, rows, arms, signals, label)

    @classmethod
    def of_signals(
        cls,
        spec: Spec,
        service: ServiceSection,
        rows: AssayRows,
        arms: Arms,
        signals: pl.DataFrame,
        label: LabelAttribute | None = None,
    ) -> ServiceProblem:
        """Return the problem with these signals, one row for each of ``rows``."""
        divided = strata_of_signals(spec, service, rows, signals)
        problem = _problem(spec, arms, *divided)
        return cls(spec, service, rows, signals, problem, label=label)

    @classmethod
    def of_cells(
        cls,
        spec: Spec,
        service: ServiceSection,
        rows: AssayRows,
        cells: KeptCells,
        build_whole: Callable[[], ServiceProblem],
    ) -> ServiceProblem:
        """Return the problem over the kinds of rows of a pool that is kept."""
        problem = _problem(spec, cells.arms, *cells.strata[service.name], cells.weight)
        signals = cells.signals[service.name]
        return cls(spec, service, rows, signals, problem, cells, build_whole)

    @property
    def signal_table(self) -> pl.DataFrame:
        """The signals of all rows."""
        signals = self.whole.signals
        assert isinstance(signals, pl.DataFrame)
        return signals

    @cached_property
    def whole(self) -> ServiceProblem:
        """The problem over all rows, whose signals are a table; it reads the pool if need be."""
        return self if self.build_whole is None else self.build_whole()

    def places(self, rows: Sequence[int] | IntArray) -> IntArray:
        """Return the rows of ``problem`` that some rows have."""
        index = np.asarray(rows, dtype=np.int64)
        return index if self.cells is None else self.cells.kinds_of(index)

    def candidates(self, free: IntArray, pending: IntArray) -> Candidates:
        """Return rows as what a strategy chooses from; labels of ``pending`` are on their way."""
        found = self.problem.candidates(self.places(free), self.places(pending))
        return replace(found, instances=free)

    def counted(self, taken: IntArray, pending: IntArray) -> Candidates:
        """Return the kinds of a pool that is kept, with how many rows are not ``taken``."""
        assert self.cells is not None
        every = np.arange(self.cells.n_kinds)
        found = self.problem.candidates(every, self.places(pending))
        return replace(found, count=self.cells.left(taken))

    def without_leak(self, labels: Labels, predictions: Predictions) -> ServiceProblem:
        """Return the problem without a prediction that, with an attribute, tells the score.

        That happens where an attribute is the label. A signal that the user named is an error.
        The form of an answer may be the answer itself, so it leaks where the prediction would.
        """
        own = {PREDICTION, ANSWER_FORM, *(self.service.signals or ())}
        columns = self.signals.columns
        names = [name for name in columns if name in own]
        judges = [j.name for j in self.spec.judges_of(self.service) if j.name in columns]
        if self.spec.pool.history and labels:
            self._refuse_own_scores(labels, predictions)
        if not (names or judges) or not labels:
            return self
        rows = sorted(labels)
        scores = pl.Series(self.scores(rows, labels, predictions))
        refuse_copies(self._signals_at(rows, judges), scores, judges)
        exact = [name for name in self.rows.space.names if name in self.rows.columns]
        every = self.rows.take(rows, exact).with_columns(self._signals_at(rows, names))
        if ANSWER_FORM in names:
            said = [predictions[self.rows.ids[row]][0] for row in rows]
            every = every.with_columns(pl.Series(ANSWER_FORM, said))
        try:
            refuse_leak(every, scores, exact, names)
        except InputError:
            if self.service.signals is not None:
                raise
            return self._without_answers()
        return self

    def _refuse_own_scores(self, labels: Labels, predictions: Predictions) -> None:
        """Raise an error if a score of the history is that of the service itself."""
        rows, names = sorted(labels), self.spec.pool.history
        scores = pl.Series(self.scores(rows, labels, predictions))
        refuse_own_scores(self.rows.take(rows, names), scores, names)

    def _without_answers(self) -> ServiceProblem:
        """Return the problem without what the service answered among its signals."""
        if isinstance(self.signals, pl.DataFrame):
            kept = self.signals.drop(PREDICTION, ANSWER_FORM, strict=False)
            divided = strata_of_signals(self.spec, self.service, self.rows, kept)
            problem = _problem(self.spec, self.problem.arms, *divided)
            return replace(self, signals=kept, problem=problem)
        assert self.cells is not None
        strata, stratum = self.problem.strata, self.problem.stratum
        if strata is not None and stratum is not None:
            kept_k = [
                k for k, name in enumerate(strata.names) if name not in (PREDICTION, ANSWER_FORM)
            ]
            codes = strata.codes(stratum)[:, kept_k]
            left = tuple(strata.attributes[k] for k in kept_k)
            strata = AttributeSpace(left) if left else None
            stratum = None if strata is None else strata.arm_index(codes)
        names = [n for n in self.signals.columns if n not in (PREDICTION, ANSWER_FORM)]
        return replace(
            self,
            signals=self.signals.select(names),
            problem=_problem(self.spec, self.cells.arms, strata, stratum, self.cells.weight),
            build_whole=lambda: self.whole._without_answers(),
        )

    def _signals_at(self, rows: Sequence[int], names: Sequence[str]) -> pl.DataFrame:
        if isinstance(self.signals, pl.DataFrame):
            return self.signals.select(names)[list(rows)] if names else pl.DataFrame()
        return self.signals.take(rows, names)

    def condensed(self, labels: Labels, predictions: Predictions) -> ServiceProblem:
        """Return the problem with one or two signals where there are too many to be crossed."""
        rows = sorted(labels)
        scores = self.scores(rows, labels, predictions)
        problem = self.problem.condensed(self.places(rows), scores)
        return self if problem is self.problem else replace(self, problem=problem)

    def observe(
        self, labels: Labels, predictions: Predictions, soft: SoftScores | None = None
    ) -> Observations:
        """Return the observations of the labelled rows, in the order of the rows.

        ``soft`` are their scores where not all labels are certain.
        """
        rows = sorted(labels)
        if soft is None:
            return self.observe_scores(labels, self.scores(rows, labels, predictions))
        right = soft.weight * soft.score
        return self.problem.observe_sums(
            self.places(rows),
            soft.weight,
            right,
            right,
            self.arms_of(rows, labels),
            other_scores=None if soft.away is None else soft.others,
        )

    def soft_scores(
        self, rows: list[int], labels: Labels, predictions: Predictions, crowd: CrowdLabels | None
    ) -> SoftScores | None:
        """Return the scores of labelled rows by what annotators' answers are worth.

        None if every label is certain, or the label reveals an attribute.
        """
        if crowd is None or crowd.is_certain or self.spec.has_label_attribute:
            return None
        ids = [self.rows.ids[row] for row in rows]
        said = [predictions[i][0] for i in ids if i in predictions]
        scores, arms = self.scores(rows, labels, predictions), self.arms_of(rows, labels)
        groups = self.rows.space.codes(arms.indices) if arms.is_exact else None
        cells = self.problem.cells(self.places(rows), arms)
        number = cells.indices if cells.is_exact else np.arange(len(rows))
        return crowd.soft(ids, said, scores, groups, number)

    def observe_scores(self, labels: Labels, scores: FloatArray) -> Observations:
        """Return the observations of the labelled rows, given their scores in this order."""
        rows = sorted(labels)
        places, arms = self.places(rows), self.arms_of(rows, labels)
        weight = self._weights(rows)
        if weight is None:
            return self.problem.observe(places, scores, arms)
        weight = self.problem.limit(places, weight, arms)
        right = weight * scores
        return self.problem.observe_sums(places, weight, right, right, affiliation=arms)

    def shown(self, fitted: AccuracySurface, labels: Labels) -> AccuracySurface:
        """Return the surface of the spec's attributes, given the one fitted to the labels."""
        if self.label is None:
            return fitted
        rows, column = sorted(labels), self.label.column
        codes = self.known_codes(rows, labels)[:, column]
        seed = self.rows.gold[rows, column] if rows else codes
        classes = LabelledClasses(
            self.arms_of(rows, labels),
            np.where(codes < 0, seed, codes),
            self.problem.blur,
            self._weights(rows),
        )
        rng = np.random.default_rng([self.spec.assay.seed, 6])
        return surface_by_label(fitted, self.label, classes, rng)

    def _weights(self, rows: list[int]) -> FloatArray | None:
        """Return with how many labels each labelled row speaks for the pool; None for one each.

        Rows of a seed set that was picked by its classes are no sample of the pool.
        """
        if self.label is None or self.spec.pool.seed_picked != "label":
            return None
        seed = np.isin(rows, list(self.rows.seed_labels))
        at = np.asarray(rows, dtype=np.int64)[seed]
        predicted = self.problem.arms.evidence.columns[self.label.column]
        weight = np.ones(len(rows))
        weight[seed] = self.label.weights(
            self.rows.gold[at, self.label.column],
            predicted[at],
            predicted[: self.rows.n_pool],
            np.random.default_rng([self.spec.assay.seed, 7]),
        )
        return weight

    def arms_of(self, rows: list[int], labels: Labels) -> Affiliation:
        """Return the arms of labelled rows, as the fit has them."""
        known = self.known_codes(rows, labels)
        if self.label is not None:
            known[:, self.label.column] = -1  # the prediction stands for it
        return self.problem.arms.labelled(self.places(rows), known)

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
    spec: Spec,
    arms: Arms,
    strata: AttributeSpace | None,
    stratum: IntArray | None,
    count: FloatArray | None = None,
) -> Problem:
    is_pool = spec.assay.target == "pool"
    return Problem.build(arms, strata, stratum, count=count, is_pool=is_pool)


def strata_of_signals(
    spec: Spec, service: ServiceSection, rows: AssayRows, signals: pl.DataFrame
) -> tuple[AttributeSpace | None, IntArray | None]:
    """Return the strata of a service's signals, and the stratum of each row."""
    judges = [judge.name for judge in spec.judges_of(service) if judge.name in signals.columns]
    (signals,) = with_ordered_scores([signals], judges)
    cluster = None if spec.pool.cluster is None else rows.frame.get_column(spec.pool.cluster)
    every = signals if cluster is None else pl.DataFrame([*signals.get_columns(), cluster])
    return divide([every], signals.columns, cluster, signals[: rows.n_pool])


def score_answers(name: str, truths: Sequence[str], predictions: Sequence[str]) -> FloatArray:
    """Return one score per pair, 0 without an answer; a function that fails is named."""
    said, meant = (pl.Series(texts, dtype=pl.String) for texts in (predictions, truths))
    is_silent = unanswered(said, meant).to_numpy()
    if is_silent.any():
        scores = np.zeros(is_silent.size)
        if not is_silent.all():
            given = (texts.filter(~is_silent).to_list() for texts in (meant, said))
            scores[~is_silent] = score_answers(name, *given)
        return scores
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


def signals_of_service(
    spec: Spec,
    service: ServiceSection,
    rows: AssayRows,
    predictions: Predictions,
    referees: Mapping[str, Predictions],
    judges: Mapping[str, Predictions],
    label: LabelAttribute | None = None,
) -> pl.DataFrame:
    """Return the columns of signals, one row for each of ``rows``, as many as the pool has."""
    signals = _own_signals(spec, service, rows, predictions, label)
    others = _opinions(rows, judges)
    agreeing = _referees(spec, rows, predictions, referees)
    others += [] if agreeing is None else [agreeing]
    others += _history(spec, rows)
    if not others:
        return signals
    if service.signals is None and PREDICTION in signals.columns:
        signals = signals.drop(PREDICTION)
    return pl.DataFrame([*signals.get_columns(), *others])


def _history(spec: Spec, rows: AssayRows) -> list[pl.Series]:
    """Return how hard each of ``rows`` was for earlier services, as ``estimate`` has it."""
    names = spec.pool.history
    if not names:
        return []
    every = rows.frame.select(names)
    return [with_history([every[: rows.n_pool], every], names)[1].get_column(HISTORY)]


def observed_label(
    spec: Spec, rows: AssayRows, predictions: Predictions
) -> tuple[LabelAttribute, IntArray] | None:
    """Return the attribute that is the label, and the class that each row is predicted to have.

    None unless the service is right exactly where its prediction names the attribute's value, and
    has answered every row.
    """
    revealed = [k for k, a in enumerate(spec.attribute) if a.from_label]
    if len(revealed) != 1 or spec.label.agreement != "equal" or not _knows_all(predictions, rows):
        return None
    texts = answers_of(predictions, rows)
    label = LabelAttribute(rows.space, revealed[0], bool(unanswered(texts).any()))
    if label.attribute.edges is not None:
        return None
    seed = list(rows.seed_labels)
    told = label.codes(pl.Series([rows.seed_labels[row] for row in seed], dtype=pl.String))
    if not np.array_equal(told, rows.gold[seed, label.column]):
        return None
    predicted = label.codes(texts)
    if spec.pool.seed_picked is None:
        label.warn_if_picked(told, predicted[: rows.n_pool])
    return label, predicted


def _own_signals(
    spec: Spec,
    service: ServiceSection,
    rows: AssayRows,
    predictions: Predictions,
    label: LabelAttribute | None,
) -> pl.DataFrame:
    """Return what the service itself says of each of ``rows``.

    Unless the user names some there are none where attributes are guessed: which signals an arm
    has would be guessed too, and estimates get worse.
    """
    if service.signals is not None:
        return rows.frame.select(service.signals)
    is_guessed = any(a.evidence or (a.from_label and label is None) for a in spec.attribute)
    if is_guessed or not _knows_all(predictions, rows):
        return pl.DataFrame()
    texts = answers_of(predictions, rows)
    columns: dict[str, pl.Series] = {}
    if label is not None:
        pass  # the prediction is an attribute
    elif texts.n_unique() <= _MOST_CLASSES:
        columns[PREDICTION] = texts
    elif (form := answer_form(texts, texts[: rows.n_pool])) is not None:
        columns[ANSWER_FORM] = form.cast(pl.String)
    confidences = _confidences(predictions, rows)
    if confidences is not None and not confidences.null_count():
        columns[_CONFIDENCE] = confidences
    return pl.DataFrame(columns)


def _knows_all(made: Predictions, rows: AssayRows) -> bool:
    return isinstance(made, PoolAnswers) or all(i in made for i in rows.ids)


def answers_of(made: Predictions, rows: AssayRows) -> pl.Series:
    """Return the answers to all rows, in their order."""
    if isinstance(made, PoolAnswers):
        return made.texts
    return pl.Series([made[i][0] for i in rows.ids], dtype=pl.String)


def _confidences(made: Predictions, rows: AssayRows) -> pl.Series | None:
    """Return how sure each answer is, null where it does not say; None where none does."""
    if isinstance(made, PoolAnswers):
        return made.confidences
    return pl.Series([made[i][1] for i in rows.ids], dtype=pl.Float64)


def _opinions(rows: AssayRows, judges: Mapping[str, Predictions]) -> list[pl.Series]:
    """Return what each judge says, one value for each of ``rows``.

    Who lacks some rows is left out here, and comes in beside the labels (`session.part_judges`).
    """
    said = {name: answers_of(made, rows) for name, made in judges.items()}
    complete = {name: texts for name, texts in said.items() if (texts != "").all()}
    columns = [opinions(texts.to_list(), name) for name, texts in complete.items()]
    for column in columns:
        check_judge(pl.DataFrame([column]), column.name, "pool")
    return columns


def _referees(
    spec: Spec, rows: AssayRows, predictions: Predictions, referees: Mapping[str, Predictions]
) -> pl.Series | None:
    """Return who agrees with the service, one value for each of ``rows``; None where none can.

    A referee that answered no row beside the pool is left out: those rows are labelled, and its
    silence there would be taken for dissent.
    """
    if not referees or not _knows_all(predictions, rows):
        return None
    said = {name: answers_of(made, rows) for name, made in referees.items()}
    has_others = rows.n_rows > rows.n_pool
    usable = {
        name: texts
        for name, texts in said.items()
        if not has_others or (texts[rows.n_pool :] != "").any()
    }
    if not usable:
        return None
    name = spec.label.agreement

    def agree(truths: Sequence[object], answers: Sequence[object]) -> FloatArray:
        return score_answers(name, as_texts(truths), as_texts(answers))

    compare = name if name == "equal" else agree
    # Whoever counts here was asked about every row, so silence is an answer of its own.
    return referee_signal(answers_of(predictions, rows), usable, compare, warn=False)
