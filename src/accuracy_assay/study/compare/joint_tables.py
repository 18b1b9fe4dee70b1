"""The services of a table fitted together, from its rows to their surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.own_effects import design_effect
from accuracy_assay.protocols import Estimator, MeanScoreEstimator
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.study.compare.differences import SharedErrors
from accuracy_assay.study.compare.joint_answers import (
    CONSENSUS,
    JointAnswers,
    are_fitted_together,
    family_codes,
)
from accuracy_assay.study.compare.joint_draws import JointDraws
from accuracy_assay.study.compare.joint_fit import JointFit, OwnFit, RowsByArm
from accuracy_assay.study.compare.paired_tables import OnService, PairedTables
from accuracy_assay.study.fit import fit_problem
from accuracy_assay.study.read.annotations import CROWD, signal_about
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.reader import read

__all__ = ["JointTables"]

_SCORE = "__assay_score"


@dataclass(frozen=True, eq=False)
class JointTables:
    """The tables, and the family of each service, by name."""

    tables: PairedTables
    families: Mapping[str, str]

    def __post_init__(self) -> None:
        family_codes(list(self.tables.scores), self.families)

    def are_fitted_by(self, estimator: Estimator) -> bool:
        """Return whether the services are fitted together by this estimator."""
        tables = self.tables
        are_known = bool(tables.services) and tables.has_pool
        return are_fitted_together(estimator, len(tables.scores), are_known=are_known)

    def fit(
        self, how: How, on_service: OnService | None = None
    ) -> tuple[dict[str, AccuracySurface], SharedErrors]:
        """Return the surface of every service, and how their errors go together."""
        tables, mean, known = self.tables, self._mean_surface(how), self._answers
        arm, pool_arm = (tables.arms(t, mean) for t in (tables.labelled, tables.pool))
        rows, answers = RowsByArm(arm, self._scores), None
        if known is not None:
            labelled = np.arange(known.n_pool, known.codes.shape[0])
            rows = replace(rows, known=known.known(labelled, pool_arm, mean.arms.size))
            if mean.details.get("target") == "pool" and not tables.unverified:
                answers = known.rows(labelled, arm, self._scores, pool_arm)
        alone = {}
        for done, name in enumerate(tables.scores, start=1):
            alone[name] = OwnFit.of(self._alone(name, how))
            if on_service is not None:
                on_service(done, len(tables.scores))
        found = JointFit(mean, rows, self._inflation, how.seed).surfaces(alone)
        provenance = mean.details.get("provenance", {})
        trust = {name: known.details for name, known in tables.trust.items()}
        missing = {name: count.details for name, count in tables.missing.items()}
        surfaces = {
            name: surface.with_details(
                provenance={"service": name, **provenance},
                **missing.get(name, {}),
                **trust.get(name, {}),
            )
            for name, surface in found.items()
        }
        return surfaces, JointDraws(tuple(surfaces.values()), answers)

    @cached_property
    def _scores(self) -> FloatArray:
        return self.tables.expected

    def _mean_surface(self, how: How) -> AccuracySurface:
        """Return the surface of the mean score of all services."""
        assert isinstance(how.estimator, MeanScoreEstimator)
        known = self._answers
        signals = [] if known is None else [pl.Series(CONSENSUS, known.signal)]
        of_means = replace(how, estimator=how.estimator.for_mean_scores())
        said = [signal_about(name) for name in self.tables.services.values()]
        return self._surface(self._scores.mean(axis=1), signals, said, of_means)

    def _alone(self, name: str, how: How) -> AccuracySurface:
        """Return the surface of one service by its own scores, with who agrees as a signal."""
        known, tables = self._answers, self.tables
        at = list(tables.scores).index(name)
        said = [signal_about(tables.services.get(name, name))]
        signals = [] if known is None else [known.agreeing(at)]
        return self._surface(tables.scores[name], signals, said, how, name)

    def _surface(
        self,
        scores: FloatArray,
        signals: Sequence[pl.Series],
        said: Sequence[str],
        how: How,
        service: str = "",
    ) -> AccuracySurface:
        """Return the surface of labelled rows' scores (n,), given signals (N + n,).

        The mean of the columns ``said`` is what people said of the rows, where they did; the
        scores are those of a ``service`` or of all.
        """
        tables = self.tables
        columns = replace(tables.columns, score=_SCORE, y_true=None)
        pool, labelled = tables.pool, tables.labelled
        if tables.has_crowd:
            columns = replace(columns, signals=(CROWD,))
            mean = pl.mean_horizontal(said).alias(CROWD)
            pool, labelled = (table.with_columns(mean) for table in (pool, labelled))
        names = (*(signal.name for signal in signals), *columns.signals)
        columns = replace(columns, signals=names)
        pool = pool.with_columns(signal[: pool.height] for signal in signals)
        labelled = labelled.with_columns(signal[tables.pool.height :] for signal in signals)
        labelled = labelled.with_columns(pl.Series(_SCORE, scores))
        found = read(columns, labelled, pool if tables.has_pool else None, how)
        found = tables.counted(service, found)
        return fit_problem(found, columns, how)

    @cached_property
    def _answers(self) -> JointAnswers | None:
        """The answers to the pool's rows, then to the labelled ones.

        None if answers are not known for a whole pool, or are more or less the same.
        """
        tables = self.tables
        if not tables.services or not tables.has_pool or tables.columns.agreement != "equal":
            return None
        own = family_codes(list(tables.scores), self.families)
        return JointAnswers(tables.codes, tables.pool.height, own)

    @property
    def _inflation(self) -> float:
        """How much less a label is worth because rows belong together."""
        name = self.tables.columns.cluster
        if name is None:
            return 1.0
        cluster = self.tables.labelled.get_column(name).rank("dense").to_numpy()
        rest = self._scores - self._scores.mean(axis=1, keepdims=True)
        return design_effect(rest, cluster.astype(np.int64))
