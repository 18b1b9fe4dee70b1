"""Every extension point of the package, on one page.

An implementation is a frozen dataclass whose fields are its settings. It takes values in and
returns new ones; nothing is changed in place, so nothing can be "not fitted yet". Protocols that
can be asked for by ``isinstance`` are optional: what they offer is used where it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.domain.events import Event, Recorded
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.question import LABEL, Question, QuestionType
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "Calibration",
    "Calibrator",
    "Candidates",
    "CountingStrategy",
    "DoubtfulCalibration",
    "EmbeddingEstimator",
    "Estimator",
    "EvalLog",
    "KeptCalibration",
    "LabelTask",
    "Labeler",
    "Layers",
    "MeanScoreEstimator",
    "MeasureRule",
    "NetworkCalibration",
    "OnSteps",
    "Picks",
    "Prediction",
    "Returned",
    "RowReader",
    "Service",
    "ServiceColumns",
    "SharedStrategy",
    "Store",
    "Strategy",
    "StreamedCalibration",
]

Layers: TypeAlias = tuple[tuple[FloatArray, FloatArray], ...]
"""Hidden layers of a network, each weights (in, out) and bias (out,), followed by a rectifier."""

OnSteps: TypeAlias = Callable[[int, int, str], None]
"""Called from time to time with (steps done, steps at most, a remark)."""


class Estimator(Protocol):
    """Turns labelled instances into an accuracy surface."""

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        """Return the surface given ``observations``.

        ``previous`` is a surface that this estimator made from fewer labels of the same assay;
        an iterative estimator may start from what it left there. An estimator that knows what
        error to expect of itself says so (``AccuracySurface.expected_macro_mse``), and one whose
        arms are correlated leaves a joint posterior for strategies (``domain.posterior``).
        """
        ...


@dataclass(frozen=True, eq=False)
class Candidates:
    """Questions that may be asked now, as columns.

    Parameters
    ----------
    instances
        Row number in the pool of the instance that each question is about, (n,).
    affiliation
        The n sparse rows over cells of these instances.
    n_strata
        Number of signal strata; `arm` and `over_arms` spare a strategy the arithmetic of cells.
    pending
        Rows of instances whose labels are on their way: held by an annotator, or told and not in
        the surface yet. Their labels will teach what they teach, whatever they say, so a strategy
        counts them as seen.
    count
        How many instances of the same cells each candidate stands for, (n,), so that a large pool
        is chosen from by its cells; None for one each. Only a `CountingStrategy` is given it.
    price
        What each question costs, (n,), in labels; None for 1 each. A strategy that weighs what
        answers teach weighs it per price.
    types, type_index
        What may be asked and of whom, and which of these each question is, (n,); by default every
        question asks anyone for a label.
    confirm_price
        What it costs to have each attribute confirmed with a label, (K,), in labels; infinite for
        one that is not to be asked for, None where none is.
    """

    instances: IntArray
    affiliation: Affiliation
    n_strata: int = 1
    pending: Affiliation = field(default_factory=lambda: Affiliation.exact([]))
    count: IntArray | None = None
    price: FloatArray | None = None
    types: tuple[QuestionType, ...] = (LABEL,)
    type_index: IntArray | None = None
    confirm_price: FloatArray | None = None

    @property
    def n_left(self) -> IntArray:
        """How many instances each candidate stands for, (n,); a copy."""
        if self.count is None:
            return np.ones(self.instances.size, dtype=np.int64)
        return np.array(self.count, dtype=np.int64)

    @property
    def arm(self) -> IntArray:
        """The arm of each candidate, the most probable one where it is guessed, (n,)."""
        return self.affiliation.argmax() // self.n_strata

    def over_arms(self, n_strata: int = 1) -> Candidates:
        """Return the same questions with rows over arms in place of cells.

        Or over the cells of fewer strata, those that come first: of signals without clusters.
        """
        per_cell = self.n_strata // n_strata
        arms, pending = (
            Affiliation(rows.indptr, rows.indices // per_cell, rows.weights, rows.dropped)
            for rows in (self.affiliation, self.pending)
        )
        return replace(self, affiliation=arms, n_strata=n_strata, pending=pending)

    def question(
        self, position: int, instance: str, confirm: Mapping[str, float] | None = None
    ) -> Question:
        """Return one of the questions as a value; ``instance`` is the id of its instance.

        ``confirm`` are the attributes to confirm with it and their prices.
        """
        which = 0 if self.type_index is None else int(self.type_index[position])
        price = 1.0 if self.price is None else float(self.price[position])
        return Question(
            instance, self.types[which].asks, self.types[which].of, price, confirm or {}
        )


@dataclass(frozen=True, eq=False)
class Picks:
    """What a strategy picked: positions among the candidates and why.

    ``probability`` is that with which each pick was made, given the picks before it: one for a
    deterministic rule. ``least`` is the least that any candidate had at that pick: zero, as by
    default, where some could not be picked. A design-based check rests on picks that could have
    been any candidate (``metrics.design_check``). Where a candidate stands for several instances
    it may be picked as often, the chances are those of one of them, and ``rank`` says which of
    those that are left then, counted from 0 in the order of the pool. ``at_random`` says which
    picks were drawn from all candidates alike, by chance alone; none, where it is None.
    ``confirm`` holds the positions of the attributes that are best confirmed with each pick; it is
    empty where none are.
    """

    positions: IntArray
    probability: FloatArray
    reason: tuple[str, ...]
    least: FloatArray | None = None
    rank: IntArray | None = None
    at_random: BoolArray | None = None
    confirm: tuple[tuple[int, ...], ...] = ()


class Strategy(Protocol):
    """Chooses the questions that are worth asking: by default, instances that are worth a label.

    ``is_random`` says whether every instance is as likely as any other, whatever the surface:
    errors then fall at another pace than with chosen labels.
    """

    @property
    def is_random(self) -> bool:
        """Whether the surface plays no part in the choice."""
        ...

    def choose(
        self,
        surface: AccuracySurface,
        candidates: Candidates,
        n: int,
        rng: np.random.Generator,
    ) -> Picks:
        """Return at most ``n`` candidates, none twice."""
        ...


@runtime_checkable
class CountingStrategy(Strategy, Protocol):
    """A strategy that heeds ``Candidates.count`` and says ``Picks.rank``."""

    @property
    def is_counting(self) -> bool:
        """Whether a candidate may stand for several instances."""
        ...


@runtime_checkable
class SharedStrategy(Strategy, Protocol):
    """A strategy that can weigh what one label teaches about several services."""

    def choose_shared(
        self,
        surfaces: Sequence[AccuracySurface],
        candidates: Sequence[Candidates],
        n: int,
        rng: np.random.Generator,
    ) -> Picks:
        """Return at most ``n`` candidates; one surface and one set of candidates per service.

        The candidates are the same instances in the same order, over each service's own cells.
        """
        ...


@runtime_checkable
class EmbeddingEstimator(Estimator, Protocol):
    """An estimator that embeds arms by a network, which may start from a calibration's."""

    def starting_from(self, layers: Layers) -> Estimator:
        """Return the estimator with ``layers`` as the start, unless the user gave it another."""
        ...


@runtime_checkable
class MeanScoreEstimator(Estimator, Protocol):
    """An estimator that also fits what several services share: their mean score on each row."""

    def for_mean_scores(self) -> Estimator:
        """Return the estimator for scores that are means of right and wrong answers."""
        ...


class Calibration(Protocol):
    """Attribute evidence made honest: P(a|x)."""

    def affiliation(self, evidence: Evidence, known: IntArray | None = None) -> Affiliation:
        """Return sparse rows over arms; ``known`` (n, K) holds certain codes, -1 elsewhere."""
        ...


@runtime_checkable
class StreamedCalibration(Calibration, Protocol):
    """A calibration that holds the arms of few rows at a time, however many there are."""

    def stream(self, evidence: Evidence, known: IntArray | None = None) -> Iterator[Affiliation]:
        """Yield what `affiliation` returns, some rows after another."""
        ...


@runtime_checkable
class DoubtfulCalibration(Calibration, Protocol):
    """A calibration that knows what others, which its gold rows allow as well, would say."""

    def other_weights(self, evidence: Evidence, rows: Affiliation) -> FloatArray | None:
        """Return the weights of the entries of affiliated ``rows`` under each, (B, entries).

        None if there are no others.
        """
        ...


@runtime_checkable
class NetworkCalibration(Calibration, Protocol):
    """A calibration that may have learned a network over attribute values."""

    @property
    def hidden_layers(self) -> Layers | None:
        """The network without its output, over the one-hot values of all attributes, if any."""
        ...


@runtime_checkable
class KeptCalibration(Calibration, Protocol):
    """A calibration that can be written to a file, and says what it is worth."""

    @property
    def report(self) -> Any:
        """What was measured on held-out rows of the seed set."""
        ...

    def save(self, path: str | Path) -> None:
        """Write the calibration to a file that `registry.load_calibration` reads."""
        ...


class Calibrator(Protocol):
    """Learns a calibration from a seed set with gold attributes and an unlabelled pool."""

    def fit(
        self,
        seed: Evidence,
        gold: IntArray,
        pool: Evidence,
        rng: np.random.Generator,
        on_steps: OnSteps | None = None,
    ) -> Calibration:
        """Return the calibration; ``gold`` (m, K) are the seed set's attribute codes."""
        ...


class RowReader(Protocol):
    """Reads the files of another tool: evaluation logs, run folders, other kinds of tables."""

    def reads(self, path: Path) -> bool:
        """Return whether a file or a folder is one of its own.

        It is asked of every path that a user names, and of what a folder holds: it looks at the
        name first, at a few bytes where the name is not enough, and never fails.
        """
        ...

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some files and folders, all of them its own, one row per item.

        An item that occurs in several files, such as those of several services, is one row.
        Raises an `InputError` that names the file where one is damaged.
        """
        ...


class MeasureRule(Protocol):
    """A measure other than accuracy: the average of a score over the rows that qualify.

    Of what follows its name after a colon, as in ``recall:yes``, it is told by a setting ``of``.
    """

    @property
    def is_error(self) -> bool:
        """Whether it is an error rate, so lower is better."""
        ...

    def deciding(self, columns: Columns) -> Sequence[str]:
        """Return the columns that decide whether a row qualifies.

        Where the label is not among them, the pool's own rows that qualify count.
        """
        ...

    def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return which rows qualify, one boolean per row."""
        ...

    def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return the score of each row, in [0, 1]; it counts where the row qualifies."""
        ...


class Store(Protocol):
    """Keeps the events of assays, each a list that only grows.

    What `create` and `append` returned from is on disk. Numbers run from 1 without gaps, and an
    event is seen only after all before it.
    """

    def create(self, assay: str, events: Sequence[Event]) -> int:
        """Start an assay with its first events and return the last number; never twice."""
        ...

    def append(self, assay: str, events: Sequence[Event], expected_seq: int | None = None) -> int:
        """Add events, all or none, and return the last number.

        With ``expected_seq``, a `StaleError` is raised unless that is the last number so far.
        """
        ...

    def read(self, assay: str, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the events from number ``from_seq`` on, in order.

        Where one is not what was written, a `DamageError` names it and holds those before it.
        """
        ...

    def now(self) -> float:
        """Return the time by the clock that dates the events, seconds since 1970."""
        ...

    def list(self) -> tuple[str, ...]:
        """Return the names of the assays, sorted."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


@dataclass(frozen=True)
class Prediction:
    """What a service says of the row at ``position``: a text, and how sure it is if it says so."""

    position: int
    prediction: str
    confidence: float | None = None


class Service(Protocol):
    """The black box whose accuracy is assayed."""

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        """Yield predictions in groups, as soon as they are there and in any order.

        The caller stores a group before it asks for the next, so a service starts no new work
        in between. Rows that could not be predicted are left out, and a `ServiceError` that says
        why is raised after the last group.
        """
        ...


@dataclass(frozen=True)
class LabelTask:
    """One instance for an annotator: what to show, and what the other tool may keep.

    ``show`` has entries (medium, column, value), the medium being text, image, audio or table;
    ``predictions`` is what services say (service, prediction, confidence) and is empty unless the
    user wants annotators to see it; ``annotator`` is who the task is for, and who its answer is by
    unless the tool says otherwise.
    """

    id: str
    show: tuple[tuple[str, str, object], ...]
    arm: str
    why: str
    predictions: tuple[tuple[str, str, float | None], ...] = ()
    annotator: str | None = None


@dataclass(frozen=True)
class Returned:
    """One answer that came back from another tool; no label means that it was skipped."""

    id: str
    label: str | None
    annotator: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None


class Labeler(Protocol):
    """A labelling tool that is reached through files."""

    def write(self, tasks: Sequence[LabelTask], choices: Sequence[str], path: Path) -> None:
        """Write tasks for the tool, whole or not at all."""
        ...

    def read(self, path: Path) -> Sequence[Returned]:
        """Return the answers in a file of the tool; tasks without one are left out."""
        ...
