"""The estimation problem of one service: cells, scores, observations, candidates.

Notation: an instance's cell is its arm together with the stratum of what the service itself says
of it (prediction, confidence). Signals count only when they are known for the whole pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.assay.affiliations import Affiliations
from accuracy_assay.assay.ledger import Resolved
from accuracy_assay.assay.pool_rows import PoolRows
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.agreement import agreement, check_scores
from accuracy_assay.domain.cells import Support, stratify
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Candidates
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.prepare import refuse_leak

__all__ = ["Predictions", "Problem"]

Predictions = Mapping[str, tuple[str, float | None]]

_PREDICTION, _CONFIDENCE = "prediction of the service", "confidence of the service"
_MOST_CLASSES = 20


@dataclass(frozen=True, eq=False)
class Problem:
    """What the fits and choices for one service rest on, apart from the labels."""

    spec: Spec
    service: ServiceSection
    affiliations: Affiliations
    signals: pl.DataFrame
    strata: AttributeSpace | None
    stratum: IntArray | None
    support: Support
    candidate: Affiliation

    @classmethod
    def pose(
        cls,
        spec: Spec,
        service: ServiceSection,
        affiliations: Affiliations,
        predictions: Predictions,
    ) -> Problem:
        """Return the problem, with as many signals as the pool has."""
        return cls._with(
            spec, service, affiliations, _signals(spec, service, affiliations.rows, predictions)
        )

    @classmethod
    def _with(
        cls, spec: Spec, service: ServiceSection, affiliations: Affiliations, signals: pl.DataFrame
    ) -> Problem:
        n_pool = affiliations.rows.n_pool
        strata = stratify(signals[:n_pool], signals.columns)
        stratum = None if strata is None else strata.arm_index(strata.encode(signals))
        empty = np.zeros(0, dtype=np.int64)
        bare = Support(affiliations.rows.space, strata, empty, empty.astype(float))
        cells = bare.to_cells(
            affiliations.candidate, None if stratum is None else stratum[:n_pool]
        )
        is_pool = spec.assay.target == "pool"
        support = Support.count(
            affiliations.rows.space, strata, cells.indices, cells.weights, is_pool=is_pool
        )
        return cls(spec, service, affiliations, signals, strata, stratum, support, cells)

    def without_leak(self, labels: Mapping[int, Resolved], predictions: Predictions) -> Problem:
        """Return the problem without a prediction that, with an attribute, tells the score.

        That happens where an attribute is the label. A signal that the user named is an error.
        """
        names = [n for n in self.signals.columns if n != _CONFIDENCE]
        if not names or not labels:
            return self
        rows = sorted(labels)
        scores = pl.Series(self._scores(rows, labels, predictions))
        every = self.affiliations.rows.frame[rows].with_columns(self.signals[rows].select(names))
        exact = [a for a in self.affiliations.rows.space.names if a in every.columns]
        try:
            refuse_leak(every, scores, exact, names)
        except InputError:
            if self.service.signals is not None:
                raise
            kept = self.signals.drop(_PREDICTION)
            return self._with(self.spec, self.service, self.affiliations, kept)
        return self

    def observe(self, labels: Mapping[int, Resolved], predictions: Predictions) -> Observations:
        """Return the observations of the labelled rows, in the order of the rows."""
        rows = sorted(labels)
        scores = self._scores(rows, labels, predictions)
        index = np.asarray(rows, dtype=np.int64)
        arms = self.affiliations.labelled(index, self._known(rows, labels))
        stratum = None if self.stratum is None else self.stratum[index]
        cells = self.support.to_cells(arms, stratum)
        support = self.support
        if cells.is_exact and cells.n_rows:
            support = support.with_at_least(cells.indices, cells.weights)
        return Observations.from_instances(support, cells, scores)

    def candidates(self, free: IntArray) -> Candidates:
        """Return pool rows as what a strategy chooses from."""
        return Candidates(free, self.candidate.take(free), self.support.n_strata)

    def _scores(
        self, rows: list[int], labels: Mapping[int, Resolved], predictions: Predictions
    ) -> FloatArray:
        ids = [self.affiliations.rows.ids[row] for row in rows]
        missing = [i for i in ids if i not in predictions]
        if missing:
            raise InputError(
                f"service {self.service.name!r} must have predicted every labelled instance; got "
                f"{len(missing)} without a prediction, such as {missing[0]!r}. "
                "Let it answer first: assay run, or Assay.predict."
            )
        truths = [labels[row].label for row in rows]
        return _agreement(self.spec.label.agreement, truths, [predictions[i][0] for i in ids])

    def _known(self, rows: list[int], labels: Mapping[int, Resolved]) -> IntArray:
        """Return the codes (m, K) that labels reveal and annotators confirmed, -1 elsewhere."""
        space = self.affiliations.rows.space
        known = np.full((len(rows), len(space.attributes)), -1, dtype=np.int64)
        for k, (section, attribute) in enumerate(
            zip(self.spec.attribute, space.attributes, strict=True)
        ):
            for m, row in enumerate(rows):
                label = labels[row]
                if attribute.name in label.attributes:
                    known[m, k] = attribute.code(label.attributes[attribute.name])
                elif section.from_label and row not in self.affiliations.rows.seed_labels:
                    known[m, k] = attribute.code(label.label)
        return known


def _agreement(name: str, truths: list[str], predictions: list[str]) -> FloatArray:
    """Return one score a pair; a user's own function that fails is named."""
    compare = agreement(name)
    try:
        made = np.asarray(compare(truths, predictions), dtype=np.float64)
    except Exception as error:  # whatever the user's function raises
        raise InputError(
            f"agreement {name!r} must take truths and predictions and return numbers; got "
            f"{type(error).__name__}: {error}."
        ) from error
    scores = check_scores(made, what=f"agreement {name!r}")
    if scores.shape != (len(truths),):
        raise InputError(
            f"agreement {name!r} must return one score a pair, shape ({len(truths)},); got "
            f"{scores.shape}."
        )
    return scores


def _signals(
    spec: Spec, service: ServiceSection, rows: PoolRows, predictions: Predictions
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
    told = [predictions[i] for i in rows.ids]
    columns: dict[str, list[str] | list[float]] = {}
    classes = {prediction for prediction, _ in told}
    if len(classes) <= _MOST_CLASSES:
        columns[_PREDICTION] = [prediction for prediction, _ in told]
    confidences = [c for _, c in told if c is not None]
    if len(confidences) == len(told):
        columns[_CONFIDENCE] = confidences
    return pl.DataFrame(columns)
