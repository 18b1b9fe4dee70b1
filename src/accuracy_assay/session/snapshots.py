"""What is known of each service at one moment: labels, predictions, and the problem they pose."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.numerics.soft_scores import SoftScores
from accuracy_assay.protocols import Calibration, MeanScoreEstimator, OnSteps
from accuracy_assay.registry import build_estimator
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.cache.cells import KeptCells
from accuracy_assay.session.calibrations import read_arms
from accuracy_assay.session.crowd_labels import CrowdLabels, read_crowd
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger, Resolved
from accuracy_assay.session.part_judges import is_part, may_be_part
from accuracy_assay.session.pool_answers import PoolAnswers
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.service_problem import (
    Labels,
    Predictions,
    ServiceProblem,
    observed_label,
)
from accuracy_assay.spec.answerers import AnswererSection
from accuracy_assay.spec.model import ServiceSection, Spec
from accuracy_assay.study.read.arms import Arms

if TYPE_CHECKING:
    from accuracy_assay.session.together import Together

__all__ = ["Snapshot", "Snapshots"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that a fit of one service depends on.

    ``seen_seq`` is the number of the last event that it depends on; ``chances`` has the instances
    in the order in which they were given out or told, as the ledger does. ``beside`` has what is
    known of all services that are fitted together with this one, by name, and ``together`` their
    shared cells; empty and None if it is fitted alone. ``crowd`` is what answers of several people
    add up to; None as long as no two can be compared. ``partly`` has what judges said who have
    scored only some rows.
    """

    problem: ServiceProblem
    labels: Labels
    predictions: Predictions
    seen_seq: int
    chances: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    beside: Mapping[str, Snapshot] = field(default_factory=dict)
    together: Together | None = None
    crowd: CrowdLabels | None = None
    partly: Mapping[str, Predictions] = field(default_factory=dict)

    @property
    def is_scored(self) -> bool:
        """Whether the service has predicted all that is labelled."""
        return len(self.predictions) == len(self.labels)

    def soft_scores(self, problem: ServiceProblem, rows: list[int]) -> SoftScores | None:
        """Return the scores of labelled rows, if not all labels are certain."""
        return problem.soft_scores(rows, self.labels, self.predictions, self.crowd)

    def without_labels(self) -> Snapshot:
        """Return what is known before any label."""
        return Snapshot(self.problem, {}, {}, 0)


_Key = tuple[tuple[str, ...], frozenset[str]]
"""Services that are fitted together, and those of them that have answered every row."""


class _Seen(NamedTuple):
    """What the ledger knows of services that are fitted together, at one moment.

    ``complete`` has what those said that have answered every row, ``predictions`` what all said of
    the labelled rows.
    """

    key: _Key
    group: tuple[ServiceSection, ...]
    complete: Mapping[str, Predictions]
    labels: Labels
    predictions: Mapping[str, Predictions]
    seq: int
    chances: Mapping[str, tuple[float, float]]
    crowd: CrowdLabels | None


@dataclass
class Snapshots:
    """Reads the journal for one service at a time."""

    spec: Spec
    rows: AssayRows
    journal: Journal
    cache: Path | None = None
    _problems: dict[str, tuple[frozenset[str], ServiceProblem]] = field(default_factory=dict)
    _together: tuple[_Key, Together] | None = None
    _taken: tuple[int, Mapping[str, Snapshot]] = (-1, MappingProxyType({}))
    _building: threading.Lock = field(default_factory=threading.Lock)
    _resolved: tuple[int, Labels] = (-1, MappingProxyType({}))
    _crowd: tuple[int, CrowdLabels | None] = (-1, None)
    _recent: tuple[int | None, CrowdLabels | None] = (None, None)

    @property
    def cells(self) -> KeptCells | None:
        """The kinds of the rows, of a large pool that is kept; else None."""
        return None if self.rows.kept is None else self.rows.kept.cells

    def affiliation(self, rows: IntArray) -> Affiliation:
        """Return the arms of some rows of the pool, as they stand before any label."""
        if self.cells is None:
            return self.plain_arms.candidate.take(rows)
        return self.cells.arms.candidate.take(self.cells.kinds_of(rows))

    @cached_property
    def plain_arms(self) -> Arms:
        """The arms of the instances; only predictors need a calibration."""
        if any(a.evidence or a.missing == "guess" for a in self.spec.attribute):
            return self.arms
        raw = self.spec.assay.model_copy(update={"calibration": "raw"})
        return read_arms(self.spec.model_copy(update={"assay": raw}), self.rows)

    @cached_property
    def arms(self) -> Arms:
        """The arms of the instances; calibrated when first needed."""
        return read_arms(self.spec, self.rows, self.cache)

    def calibrate(self, on_steps: OnSteps | None) -> Calibration | None:
        """Return P(a|x), learned now if it was not yet; None where every attribute is exact."""
        if "arms" not in vars(self):
            self.arms = read_arms(self.spec, self.rows, self.cache, on_steps)
        return self.arms.calibration

    def predictions(self, service: AnswererSection, ledger: Ledger) -> Predictions:
        """Return what a service has predicted so far, or a judge of one has said of it."""
        if service.name in self._in_pool:
            return self._in_pool[service.name]
        return ledger.predictions.get(service.name, {})

    def by_service(self) -> dict[str, Predictions]:
        """Return what each service has predicted so far."""
        with self.journal.reading() as ledger:
            return {s.name: self.predictions(s, ledger) for s in self.spec.service}

    def take(self, service: ServiceSection) -> Snapshot:
        """Return what is known of a service now; the tables are read first."""
        self.rows.read_now()
        with self.journal.reading() as ledger:
            group = self.group(ledger)
            seen = self._see(group, ledger) if service in group else None
            labels = self._labels(ledger)
            predictions = self._of_labelled(service, labels, ledger)
            complete, partly = self._complete(service, ledger), self._partly(service, ledger)
            seen_seq = ledger.seen_seq(service.name, *complete, *partly)
            chances, crowd = dict(ledger.chances), self.crowd(ledger)
        if seen is not None:
            return self._take_all(seen)[service.name]
        problem = self._problem(service, complete)
        return Snapshot(
            problem, labels, predictions, seen_seq, chances, crowd=crowd, partly=partly
        )

    def crowd(self, ledger: Ledger) -> CrowdLabels | None:
        """Return what answers of several people add up to; None if no two can be compared."""
        if self._crowd[0] != ledger.seen_seq():
            says = {s.name: self.predictions(s, ledger) for s in self.spec.service}
            self._crowd = (ledger.seen_seq(), read_crowd(self.spec, self.rows, ledger, says))
        return self._crowd[1]

    def told(self, ledger: Ledger) -> Mapping[str, Resolved]:
        """Return what answered instances are taken to be, where people's reliability decides."""
        crowd = self.crowd(ledger)
        return {} if crowd is None else crowd.labels

    def recent_crowd(self, ledger: Ledger) -> CrowdLabels | None:
        """Return `crowd` as it was at most a round of answers ago, for who must not wait."""
        n_answers = ledger.n_answers.total()
        if self._recent[0] is None or abs(n_answers - self._recent[0]) >= self.spec.assay.batch:
            self._recent = (n_answers, self.crowd(ledger))
        return self._recent[1]

    def group(self, ledger: Ledger) -> tuple[ServiceSection, ...]:
        """Return the services that are fitted together now; none if each is fitted alone."""
        if not self._may_share:
            return ()
        crowd = self.crowd(ledger)
        if crowd is not None and not crowd.is_certain:
            return ()  # labels that aren't certain are read service by service
        scored = tuple(s for s in self.spec.service if self._is_scored(s, ledger))
        known = [len(self.predictions(s, ledger)) >= self.rows.n_rows for s in scored]
        from accuracy_assay.study.compare.joint_answers import are_enough

        is_enough = are_enough(len(scored), are_known=any(known))
        return scored if is_enough and self._is_for_means else ()

    @cached_property
    def _may_share(self) -> bool:
        if len(self.spec.service) < 2:
            return False
        from accuracy_assay.session.together import may_share  # what fits needs scipy

        return may_share(self.spec, self.rows)

    @cached_property
    def _is_for_means(self) -> bool:
        """Whether the estimator fits means of scores; it is imported only where it matters."""
        return isinstance(build_estimator(self.spec.assay.estimator), MeanScoreEstimator)

    def _take_all(self, seen: _Seen) -> Mapping[str, Snapshot]:
        """Return what is known of services that are fitted together; found once for all."""
        with self._building:
            if self._together is None or self._together[0] != seen.key:
                arms, complete = self.arms, seen.complete
                from accuracy_assay.session.together import Together

                built = Together.build(self.spec, seen.group, self.rows, arms, complete)
                self._together, self._taken = (seen.key, built), (-1, {})
            together = self._together[1]
            if self._taken[0] != seen.seq:
                taken: dict[str, Snapshot] = {}
                for name, problem in together.problems.items():
                    taken[name] = Snapshot(
                        problem,
                        seen.labels,
                        seen.predictions[name],
                        seen.seq,
                        seen.chances,
                        taken,
                        together,
                        seen.crowd,
                    )
                self._taken = (seen.seq, taken)
            return self._taken[1]

    def _see(self, group: tuple[ServiceSection, ...], ledger: Ledger) -> _Seen:
        """Return what the ledger knows of services that are fitted together."""
        labels = self._labels(ledger)
        names = tuple(s.name for s in group)
        said = {s.name: self._of_labelled(s, labels, ledger) for s in group}
        complete, seq = self._of_all_rows(group, ledger), ledger.seen_seq(*names)
        chances = dict(ledger.chances)
        key, crowd = (names, frozenset(complete)), self.crowd(ledger)
        return _Seen(key, group, complete, labels, said, seq, chances, crowd)

    def _of_all_rows(
        self, group: Sequence[ServiceSection], ledger: Ledger
    ) -> dict[str, Predictions]:
        """Return what those of some services said that have answered every row."""
        said = {s.name: self.predictions(s, ledger) for s in group}
        return {name: made for name, made in said.items() if len(made) >= self.rows.n_rows}

    def _of_labelled(self, service: ServiceSection, labels: Labels, ledger: Ledger) -> Predictions:
        """Return what a service said of the labelled rows that it answered."""
        known = self.predictions(service, ledger)
        ids = (self.rows.ids[row] for row in labels)
        return {i: known[i] for i in ids if i in known}

    def _labels(self, ledger: Ledger) -> Labels:
        """Return what every labelled row is taken to be; found once for all services."""
        if self._resolved[0] != ledger.seen_seq():
            labels = {
                row: Resolved(label, {}, {label: 1})
                for row, label in self.rows.seed_labels.items()
            }
            crowd = self.crowd(ledger)
            for instance in ledger.answers:
                row = self.rows.row_of[instance]
                if crowd is None:
                    labels[row] = ledger.resolve(instance)
                elif instance in crowd.labels:
                    labels[row] = crowd.labels[instance]
            self._resolved = (ledger.seen_seq(), labels)
        return self._resolved[1]

    def in_turn(self, ledger: Ledger) -> tuple[ServiceSection, ...]:
        """Return the services whose surfaces can guide this round; another first in each."""
        services = self.spec.service
        turn = ledger.n_rounds % len(services)
        ordered = (*services[turn:], *services[:turn])
        return tuple(s for s in ordered if self._is_scored(s, ledger)) or services[:1]

    def n_labels(self, ledger: Ledger) -> int:
        """Return how many rows have a label, those of the seed set included."""
        seed = sum(self.rows.ids[row] not in ledger.answers for row in self.rows.seed_labels)
        return len(ledger.answers) + seed

    def is_current(self, service: ServiceSection, ledger: Ledger) -> bool:
        """Return whether the problem of a service is still the one that was built last."""
        if service in (group := self.group(ledger)):
            key = (tuple(s.name for s in group), frozenset(self._of_all_rows(group, ledger)))
            return self._together is not None and self._together[0] == key
        known = self._problems.get(service.name)
        return known is not None and known[0] == frozenset(self._complete(service, ledger))

    @cached_property
    def _in_pool(self) -> Mapping[str, Predictions]:
        judges = (judge for s in self.spec.service for judge in self.spec.judges_of(s))
        columns = [s for s in (*self.spec.service, *judges) if s.column is not None]
        return {s.name: PoolAnswers(s, self.rows) for s in columns}

    def _is_scored(self, service: ServiceSection, ledger: Ledger) -> bool:
        known = self.predictions(service, ledger)
        if len(known) >= self.rows.n_rows:
            return True
        seed = (self.rows.ids[row] for row in self.rows.seed_labels)
        return all(i in known for i in (*ledger.answers, *seed))

    def _complete(self, service: ServiceSection, ledger: Ledger) -> dict[str, Predictions]:
        """Return what a service, its referees and its judges said; of those that know all rows.

        Who has answered some rows only is left out: they may be the labelled ones, and then
        silence tells nothing. Judges of some rows come in beside the labels (`_partly`).
        """
        asked = (service, *self.spec.referees_of(service), *self.spec.judges_of(service))
        known = {s.name: self.predictions(s, ledger) for s in asked}
        return {name: made for name, made in known.items() if len(made) >= self.rows.n_rows}

    def _partly(self, service: ServiceSection, ledger: Ledger) -> dict[str, Predictions]:
        """Return what judges said who have scored only some rows, where that can count."""
        if not (self.spec.judge and may_be_part(self.spec, self.rows)):
            return {}
        known = {j.name: self.predictions(j, ledger) for j in self.spec.judges_of(service)}
        return {
            name: said if isinstance(said, PoolAnswers) else dict(said)
            for name, said in known.items()
            if is_part(said, self.rows)
        }

    def _problem(
        self, service: ServiceSection, complete: Mapping[str, Predictions]
    ) -> ServiceProblem:
        """Return the problem of a service; built anew once another has predicted everything."""
        key = frozenset(complete)
        with self._building:
            before = self._problems.get(service.name)
            if before is None or before[0] != key:
                whole = partial(self._whole, service, complete)
                built = (
                    whole()
                    if self.cells is None
                    else ServiceProblem.of_cells(self.spec, service, self.rows, self.cells, whole)
                )
                before = self._problems[service.name] = (key, built)
            return before[1]

    def _whole(
        self, service: ServiceSection, complete: Mapping[str, Predictions]
    ) -> ServiceProblem:
        """Return the problem over all rows."""
        judges = [judge.name for judge in self.spec.judges_of(service)]
        referees = [s.name for s in self.spec.referees_of(service)]
        predictions = complete.get(service.name, {})
        by_label = observed_label(self.spec, self.rows, predictions)
        return ServiceProblem.build(
            self.spec,
            service,
            self.rows,
            self.arms
            if by_label is None
            else read_arms(self.spec, self.rows, self.cache, observed=by_label),
            predictions,
            {name: complete[name] for name in referees if name in complete},
            {name: complete[name] for name in judges if name in complete},
            None if by_label is None else by_label[0],
        )
