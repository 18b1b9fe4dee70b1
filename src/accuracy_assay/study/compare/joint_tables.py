"""The services of a table fitted together, from its rows to their surfaces.

That is done if only scores are known, or if services are many. Up to four whose answers are known
are fitted one by one: then who agrees with whom says more than what all have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import UnknownNameError
from accuracy_assay.numerics.consensus import consensus
from accuracy_assay.numerics.own_effects import design_effect
from accuracy_assay.protocols import Estimator, MeanScoreEstimator
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.differences import SharedErrors
from accuracy_assay.study.compare.joint_draws import JointDraws, RowAnswers
from accuracy_assay.study.compare.joint_fit import JointFit, KnownRows, RowsByArm
from accuracy_assay.study.compare.paired_tables import PairedTables
from accuracy_assay.study.fit import fit_problem
from accuracy_assay.study.read.annotations import CROWD, signal_about
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.reader import read

__all__ = ["JointTables"]

_SCORE = "__assay_score"
_CONSENSUS = "how probable the services make one another's answers"
_MOST_TOLD_APART = 4
"""Most services that judge one another by name: with three referees each pattern of who agrees is
a stratum (``domain.referees``). Decision 14 has the errors on both sides."""


@dataclass(frozen=True, eq=False)
class JointTables:
    """The tables, and the family of each service, by name."""

    tables: PairedTables
    families: Mapping[str, str]

    def __post_init__(self) -> None:
        for name in self.families:
            if name not in self.tables.scores:
                raise UnknownNameError("service of families", name, list(self.tables.scores))

    def are_fitted_by(self, estimator: Estimator) -> bool:
        """Return whether the services are fitted together by this estimator."""
        known = len(self.tables.services) if self.tables.has_pool else 0
        return isinstance(estimator, MeanScoreEstimator) and not 0 < known <= _MOST_TOLD_APART

    def fit(self, how: How) -> tuple[dict[str, AccuracySurface], SharedErrors]:
        """Return the surface of every service, and how their errors go together."""
        tables, mean = self.tables, self._mean_surface(how)
        arm, pool_arm = (tables.arms(t, mean) for t in (tables.labelled, tables.pool))
        rows, answers = RowsByArm(arm, self._scores), None
        if self._expected is not None:
            rows = replace(rows, known=self._known(pool_arm, mean, self._expected))
        if self._expected is not None and mean.details.get("target") == "pool":
            codes, n_pool = tables.codes, tables.pool.height
            answers = RowAnswers(arm, codes[n_pool:], self._scores, pool_arm, codes[:n_pool])
        found = JointFit(mean, rows, self._inflation, how.seed).surfaces(list(tables.scores))
        provenance = mean.details.get("provenance", {})
        trust = {} if tables.trust is None else tables.trust.details
        missing = {name: count.details for name, count in tables.missing.items()}
        surfaces = {
            name: surface.with_details(
                provenance={"service": name, **provenance}, **missing.get(name, {}), **trust
            )
            for name, surface in found.items()
        }
        return surfaces, JointDraws(tuple(surfaces.values()), answers)

    @cached_property
    def _scores(self) -> FloatArray:
        return np.stack(list(self.tables.scores.values()), axis=1)

    def _mean_surface(self, how: How) -> AccuracySurface:
        """Return the surface of the mean score of all services."""
        assert isinstance(how.estimator, MeanScoreEstimator)
        tables = self.tables
        labelled, pool = tables.labelled, tables.pool
        columns = replace(tables.columns, score=_SCORE, y_true=None)
        if self._expected is not None:
            means = pl.Series(_CONSENSUS, self._expected.mean(axis=1))
            columns = replace(columns, signals=(_CONSENSUS,))
            pool = pool.with_columns(means[: pool.height])
            labelled = labelled.with_columns(means[pool.height :])
        if tables.has_crowd:
            said = map(signal_about, tables.services.values())
            mean = pl.mean_horizontal(1.0 / (1.0 + (-pl.col(name)).exp()) for name in said)
            columns = replace(columns, signals=(*columns.signals, CROWD))
            pool, labelled = (t.with_columns(mean.alias(CROWD)) for t in (pool, labelled))
        labelled = labelled.with_columns(pl.Series(_SCORE, self._scores.mean(axis=1)))
        of_means = replace(how, estimator=how.estimator.for_mean_scores())
        found = read(columns, labelled, pool if tables.has_pool else None, of_means)
        return fit_problem(found, columns, of_means)

    @cached_property
    def _expected(self) -> FloatArray | None:
        """How probable others make each answer to the pool's and labelled rows, (N + n, k).

        None if answers are not known for a whole pool, or are more or less the same.
        """
        tables = self.tables
        if not tables.services or not tables.has_pool or tables.columns.agreement != "equal":
            return None
        known = {family: i for i, family in enumerate(sorted(set(self.families.values())))}
        own = [
            known[self.families[name]] if name in self.families else len(known) + i
            for i, name in enumerate(tables.scores)
        ]
        return consensus(tables.codes, own)

    def _known(self, pool_arm: IntArray, mean: AccuracySurface, expected: FloatArray) -> KnownRows:
        """Return what answers say about the labelled rows and the pool's arms."""
        n_pool, codes, n_arms = self.tables.pool.height, self.tables.codes, mean.arms.size
        is_contested = (codes != codes[:, :1]).any(axis=1)
        at = np.flatnonzero(is_contested[:n_pool])
        total = np.zeros((n_arms, expected.shape[1]))
        np.add.at(total, pool_arm[at], expected[at])
        count = np.bincount(pool_arm[at], minlength=n_arms).astype(np.float64)
        return KnownRows(is_contested[n_pool:], expected[n_pool:], count, total)

    @property
    def _inflation(self) -> float:
        """How much less a label is worth because rows belong together."""
        name = self.tables.columns.cluster
        if name is None:
            return 1.0
        cluster = self.tables.labelled.get_column(name).rank("dense").to_numpy()
        rest = self._scores - self._scores.mean(axis=1, keepdims=True)
        return design_effect(rest, cluster.astype(np.int64))
