"""Services of a session that are fitted together: the cells that they share, and their surfaces.

They are those that the labels score, by the rule of ``compare``
(``study.compare.joint_answers``), if nothing but their answers tells them apart: attributes are
exact, and no service has signals, a confidence, judges, referees or a history of its own. Pools
that are so large that their cells are kept have services fitted one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.top_order import deciding, stakes
from accuracy_assay.numerics.own_effects import design_effect
from accuracy_assay.protocols import MeanScoreEstimator
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import (
    Labels,
    Predictions,
    ServiceProblem,
    answers_of,
)
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.compare.answers import answer_codes
from accuracy_assay.study.compare.differences import JointServices
from accuracy_assay.study.compare.joint_answers import CONSENSUS, JointAnswers, family_codes
from accuracy_assay.study.compare.joint_cells import JointCells
from accuracy_assay.study.compare.joint_draws import JointDraws, RowAnswers
from accuracy_assay.study.compare.joint_fit import JointFit, OwnFit, RowsByArm
from accuracy_assay.study.compare.responses import posterior_of
from accuracy_assay.study.read.arms import Arms

__all__ = ["JointSurfaces", "Together", "may_share"]


def may_share(spec: Spec, rows: AssayRows) -> bool:
    """Return whether nothing but their answers tells the services of a spec apart."""
    is_large = rows.kept is not None and rows.kept.cells is not None
    is_exact = not any(a.evidence or a.from_label or a.missing == "guess" for a in spec.attribute)
    is_plain = spec.assay.referees is None and not (spec.judge or spec.pool.history)
    is_plain &= all(
        own is None for s in spec.service for own in (s.referees, s.signals, s.confidence)
    )
    return len(spec.service) > 1 and is_exact and is_plain and not is_large


@dataclass(frozen=True, eq=False)
class JointSurfaces:
    """The surfaces of services fitted together, by name.

    ``guide`` is what labels are chosen by: the surface of their mean, as unsure as that of a
    typical service. ``contest`` is what they are chosen by for the goal ``compare``: the same, but
    a label is worth what it says of the order of the first services; None before any label.
    ``answers`` bound differences; None if nothing does.
    """

    guide: AccuracySurface
    surfaces: Mapping[str, AccuracySurface]
    answers: RowAnswers | None = None
    contest: AccuracySurface | None = None

    @cached_property
    def drawn(self) -> FloatArray:
        """Joint draws of the services' accuracies over the pool, (S, k)."""
        surfaces = tuple(self.surfaces.values())
        services = JointServices(surfaces, self.shared(self.surfaces))
        asked = services.over(surfaces[0].weights()[None])
        return np.asarray(asked.draw(services.normals(len(surfaces)))[:, 0])

    def shared(self, shown: Mapping[str, AccuracySurface]) -> JointDraws:
        """Return how the errors of some of the services, as they are shown, go together."""
        names, known = list(self.surfaces), self.answers
        at = [names.index(name) for name in shown]
        if known is not None:
            known = replace(
                known,
                codes=known.codes[:, at],
                scores=known.scores[:, at],
                pool_codes=known.pool_codes[:, at],
            )
        return JointDraws(tuple(shown.values()), known)


@dataclass(frozen=True, eq=False)
class Together:
    """Services over shared cells.

    Parameters
    ----------
    problems
        The problem of each service, by name; all have the same cells.
    alone
        The problem of each service by itself: who agrees with it is its signal.
    answers
        What they answered to every row; None if some are not known, or agree by degrees.
    """

    problems: Mapping[str, ServiceProblem]
    alone: Mapping[str, ServiceProblem]
    answers: JointAnswers | None

    @classmethod
    def build(
        cls,
        spec: Spec,
        services: Sequence[ServiceSection],
        rows: AssayRows,
        arms: Arms,
        complete: Mapping[str, Predictions],
    ) -> Together:
        """Return services with what those who know all rows said of them."""
        names, answers, signals = [s.name for s in services], None, pl.DataFrame()
        if spec.label.agreement == "equal" and all(name in complete for name in names):
            texts = [answers_of(complete[name], rows) for name in names]
            answers = JointAnswers(answer_codes(texts), rows.n_pool, family_codes(names, {}))
            signals = pl.DataFrame({CONSENSUS: answers.signal})
        first = ServiceProblem.of_signals(spec, services[0], rows, arms, signals)
        problems = {s.name: replace(first, service=s) for s in services}
        if answers is None:
            return cls(problems, problems, answers)
        agreeing = {s: pl.DataFrame([answers.agreeing(k)]) for k, s in enumerate(names)}
        alone = {
            s.name: ServiceProblem.of_signals(spec, s, rows, arms, agreeing[s.name])
            for s in services
        }
        return cls(problems, alone, answers)

    def fit(
        self,
        estimator: MeanScoreEstimator,
        labels: Labels,
        predictions: Mapping[str, Predictions],
        seed: int,
    ) -> JointSurfaces:
        """Return the surfaces, given labels and what each service predicted of these rows."""
        first, rows = self._first, sorted(labels)
        scores = [p.scores(rows, labels, predictions[n]) for n, p in self.problems.items()]
        table = np.stack(scores, axis=1)
        observed = first.observe_scores(labels, table.mean(axis=1))
        rng = np.random.default_rng(seed)
        mean = estimator.for_mean_scores().fit(observed, rng)
        if not rows:
            return JointSurfaces(mean, dict.fromkeys(self.problems, mean))
        arm = np.searchsorted(mean.arms, first.arms_of(rows, labels).argmax())
        pool_arm = np.searchsorted(mean.arms, first.problem.arms.candidate.argmax())
        given, known = RowsByArm(arm, table), self.answers
        at, answers = np.asarray(rows, dtype=np.int64), None
        if known is not None:
            given = replace(given, known=known.known(at, pool_arm, mean.arms.size))
            if mean.details.get("target") == "pool":
                answers = known.rows(at, arm, table, pool_arm)
        fit = JointFit(mean, given, self._inflation(at, table), seed)
        posterior = posterior_of(mean)
        cells = JointCells(fit, self._contested(posterior.support))
        alone = {
            name: OwnFit.of(
                estimator.fit(problem.observe_scores(labels, own), np.random.default_rng(seed))
            )
            for (name, problem), own in zip(self.alone.items(), scores, strict=True)
        }
        surfaces = {
            name: replace(surface, memory=cells.of_service(s, surface))
            for s, (name, surface) in enumerate(fit.surfaces(alone).items())
        }
        spread = np.sqrt((fit.deviations**2).mean(axis=1))
        guide = replace(mean, sd=spread, memory=cells.guide)
        made = JointSurfaces(guide, surfaces, answers)
        return replace(made, contest=replace(guide, memory=cells.apart(self._worth(made))))

    @property
    def _first(self) -> ServiceProblem:
        return next(iter(self.problems.values()))

    def _contested(self, support: Support) -> FloatArray:
        """Return the share of each cell's rows that services answer differently, (T,).

        It is 1 where nobody knows.
        """
        known = self.answers
        if known is None:
            return np.ones(support.cells.size)
        return self._by_cell(support, known.is_contested[: known.n_pool], 1.0)

    def _worth(self, made: JointSurfaces) -> FloatArray:
        """Return how much of the order of the first services a row of each cell decides, (T,).

        Where answers are not known that is as much as it decides of their accuracies.
        """
        posterior, known = posterior_of(made.guide), self.answers
        if known is None:
            return posterior.label_variance
        at_stake = stakes(made.drawn)
        return self._by_cell(
            posterior.support, deciding(known.codes[: known.n_pool], at_stake), 0.0
        )

    def _by_cell(
        self, support: Support, values: FloatArray | BoolArray, without: float
    ) -> FloatArray:
        """Return the mean of values of the pool's rows by cell, (T,); ``without`` rows, that."""
        problem, n_cells = self._first.problem, support.cells.size
        cells = problem.candidate.indices // (problem.support.n_strata // support.n_strata)
        at = np.searchsorted(support.cells, cells)
        total = np.bincount(at, minlength=n_cells)
        found = np.bincount(at, values, n_cells) / np.maximum(total, 1)
        return np.where(total > 0, found, without)

    def _inflation(self, rows: IntArray, scores: FloatArray) -> float:
        """How much less a label is worth because rows belong together."""
        name = self._first.spec.pool.cluster
        if name is None:
            return 1.0
        cluster = self._first.rows.frame.get_column(name)[rows.tolist()].rank("dense").to_numpy()
        rest = scores - scores.mean(axis=1, keepdims=True)
        return design_effect(rest, cluster.astype(np.int64))
