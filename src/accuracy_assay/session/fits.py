"""Surfaces of the services: fitted when they are due, kept by the events that they saw."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from accuracy_assay.domain.events import Fitted
from accuracy_assay.domain.label_count import LABELS_WORTH
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.metrics.design_check import DesignCheck, design_check
from accuracy_assay.metrics.known_to import known_to
from accuracy_assay.metrics.labels_to_halve import LABELS_TO_HALVE, labels_to_halve
from accuracy_assay.metrics.top_order import open_difference
from accuracy_assay.numerics.intervals.coupled import normal_draws
from accuracy_assay.numerics.soft_scores import SoftScores
from accuracy_assay.protocols import Estimator, MeanScoreEstimator
from accuracy_assay.registry import build_estimator, build_strategy
from accuracy_assay.runtime.version import __version__
from accuracy_assay.session.cache.entries import entry_at
from accuracy_assay.session.cache.fits import keep_fit, recall_fit
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.part_judges import with_part_judges
from accuracy_assay.session.service_problem import ServiceProblem
from accuracy_assay.session.snapshots import Snapshot, Snapshots
from accuracy_assay.spec.model import AssaySection, ServiceSection
from accuracy_assay.study.fit import start_embedding

if TYPE_CHECKING:
    from accuracy_assay.session.together import JointSurfaces

__all__ = ["Fit", "Fits", "check_by_design", "missing_answers_of", "provenance_of"]

_log = logging.getLogger(__name__)

_DRAWS = 4096
"""Draws of a ranking: a probability of 90% is known to half a point."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted surface and what it rests on.

    ``surface`` is what guides the next question, over predictions where an attribute is the label.
    ``shown`` is the surface of the spec's attributes, with its provenance, and the design-based
    check where there is one.
    ``problem`` is the service's problem, ``solved`` the one that was fitted: without leaks and
    with few signals. ``entry`` is where a fit made from scratch is kept, None if it is not.
    ``joint`` has the surfaces of all services that were fitted together with this one, None if it
    was fitted alone.
    """

    surface: AccuracySurface
    shown: AccuracySurface
    problem: ServiceProblem
    solved: ServiceProblem
    labelled: frozenset[int]
    made: Fitted
    entry: Path | None = None
    joint: JointSurfaces | None = None

    def guide(self, goal: str) -> AccuracySurface:
        """Return the surface that labels are chosen by."""
        if self.joint is None:
            return self.surface
        contest = self.joint.contest if goal == "compare" else None
        return self.joint.guide if contest is None else contest


@dataclass
class Fits:
    """The latest fit of each service.

    A surface for the user is fitted from scratch: it depends on the labels alone, and replaying
    the events gives it again. A fit that only guides the next question may start from the last
    one. ``half_widths`` are those of the spec's goal at every fit made here, by service and
    number of labels.
    """

    settings: AssaySection
    snapshots: Snapshots
    journal: Journal
    worker: ThreadPoolExecutor | None = None
    _fitting: threading.Lock = field(default_factory=threading.Lock)
    _is_queued: threading.Event = field(default_factory=threading.Event)
    half_widths: dict[str, dict[int, float]] = field(default_factory=dict)
    _cold: dict[str, Fit] = field(default_factory=dict)
    _latest: dict[str, Fit] = field(default_factory=dict)
    _kept: dict[str, tuple[Path, Fit]] = field(default_factory=dict)
    _is_kept: set[str] = field(default_factory=set)
    _may_use_kept: bool = True

    @cached_property
    def estimator(self) -> Estimator:
        """The estimator of the spec; imported when the first fit is made, for it is large."""
        return build_estimator(self.settings.estimator)

    def surface(self, service: ServiceSection) -> AccuracySurface:
        """Return the surface of all labels so far, fitted from scratch."""
        return self.cold(service).shown

    def cold(self, service: ServiceSection) -> Fit:
        """Return the fit of all labels so far, made from scratch."""
        seen = self.snapshots.take(service)
        with self._fitting:
            cold = self._cold.get(service.name)
            if cold is None or not _is_of(cold, seen):
                self._fit_anew(seen)
            return self._cold[service.name]

    def _fit_anew(self, seen: Snapshot) -> None:
        """Fit a service from scratch, with all that are fitted together with it."""
        name = seen.problem.service.name
        fits = self._fit_together(seen) if seen.beside else {name: self._fit(seen, None)}
        self._cold |= fits
        self._latest |= fits

    def to_choose_by(self, service: ServiceSection) -> Fit:
        """Return the latest fit, or a new one when a round of labels has come in."""
        latest = self.latest(service.name)
        if latest is not None and (self.worker is not None or not self._may_be_due(latest)):
            return latest
        seen = self.snapshots.take(service)
        if not seen.is_scored:
            seen = seen.without_labels()
        if latest is not None and not self._is_due(latest, seen):
            return latest
        kept = self._kept_fit(seen) if latest is None else None
        return self._go_on(seen) if kept is None else kept

    def keep(self, fit: Fit, watched: AccuracySurface) -> None:
        """Keep a fit for later processes, once a strategy has looked at it."""
        name = fit.made.service
        if fit.entry is None or self.worker is not None or name in self._is_kept:
            return
        self._is_kept.add(name)
        keep_fit(fit.entry, watched, fit.made)

    def use_own(self) -> None:
        """Make the next fits here, since what is kept of them is not enough."""
        self._may_use_kept = False
        self._kept.clear()

    def _kept_fit(self, seen: Snapshot) -> Fit | None:
        """Return the fit of just these labels that another process made, None without one."""
        entry, name = self._entry(seen), seen.problem.service.name
        if entry is None or not self._may_use_kept:
            return None
        known = self._kept.get(name)
        if known is not None and known[0] == entry:
            return known[1]
        found = recall_fit(entry, seen.problem.problem.arms.space, seen.seen_seq)
        if found is None:
            return None
        surface, made = found
        solved = self._solvable(seen)
        from accuracy_assay.session.together import JointSurfaces

        joint = JointSurfaces(surface, {}) if seen.beside else None
        labelled = frozenset(seen.labels)
        fit = Fit(surface, surface, seen.problem, solved, labelled, made, joint=joint)
        self._kept[name] = (entry, fit)
        self._note_half_width(made)
        return fit

    def _entry(self, seen: Snapshot) -> Path | None:
        """Return where the fit of a snapshot is kept; None where its pool is not."""
        kept, service = seen.problem.rows.kept, seen.problem.service.name
        if kept is None:
            return None
        labels = [
            (row, label.label, sorted(label.attributes.items()))
            for row, label in sorted(seen.labels.items())
        ]
        whose = [s.predictions for s in seen.beside.values()] or [seen.predictions]
        said = [sorted((i, *made) for i, made in each.items()) for each in whose]
        spec = seen.problem.spec.model_dump(mode="json")
        state = [__version__, kept.entry.path.name, spec, labels, said]
        if seen.crowd is not None:
            state.append(seen.crowd.state)
        if seen.partly:
            state.append(
                [sorted((i, *made) for i, made in x.items()) for x in seen.partly.values()]
            )
        return entry_at(self.snapshots.cache, "fit", [self.journal.name, service], state)

    def refresh(self, service: ServiceSection) -> Fit:
        """Return a fit of all labels so far that starts from the one before, for those who watch.

        It is recorded when a round of labels has come in since one was.
        """
        seen = self.snapshots.take(service)
        if not seen.is_scored:
            seen = seen.without_labels()
        with self.journal.reading() as ledger:
            recorded = ledger.fits.get(service.name)
        n_recorded = 0 if recorded is None else recorded.n_labels
        is_due = abs(len(seen.labels) - n_recorded) >= self.settings.labels_per_fit
        return self._go_on(seen, is_recorded=is_due, is_watched=True)

    def latest(self, service: str) -> Fit | None:
        """Return the last fit of a service, however old."""
        return self._latest.get(service)

    def last_made(self, service: ServiceSection, ledger: Ledger) -> Fitted | None:
        """Return how the last surface was made: the latest of this process or of any other."""
        own = self.latest(service.name)
        made = [own.made] if own is not None and own.made.n_labels else []
        made += [ledger.fits[service.name]] if service.name in ledger.fits else []
        return max(made, key=lambda fitted: fitted.seen_seq, default=None)

    def start_due(self) -> None:
        """Start the fits that are due in the background, where there is one."""
        if self.worker is not None and not self._is_queued.is_set():
            self._is_queued.set()
            self.worker.submit(self._fit_due)

    def _fit_due(self) -> None:
        self._is_queued.clear()
        try:
            for service in self.snapshots.spec.service:
                seen, latest = self.snapshots.take(service), self.latest(service.name)
                if seen.is_scored and (latest is None or self._is_due(latest, seen)):
                    self._go_on(seen)
        except AssayError as error:
            _log.warning("a fit in the background failed: %s", error)

    def _may_be_due(self, latest: Fit) -> bool:
        """Return whether a fit may be due, without looking at every label."""
        with self.journal.reading() as ledger:
            n_new = abs(self.snapshots.n_labels(ledger) - latest.made.n_labels)
            is_current = self.snapshots.is_current(latest.problem.service, ledger)
        return n_new >= self.settings.labels_per_fit or not is_current

    def _is_due(self, latest: Fit, seen: Snapshot) -> bool:
        n_new = abs(len(seen.labels) - latest.made.n_labels)
        return n_new >= self.settings.labels_per_fit or latest.problem is not seen.problem

    def _go_on(self, seen: Snapshot, *, is_recorded: bool = True, is_watched: bool = False) -> Fit:
        """Fit a snapshot from the fit before it, and record that it was done.

        What only watchers look at is measured for them alone: it takes as long as a small fit.
        """
        name = seen.problem.service.name
        with self._fitting:
            before = self.latest(name)
            if before is None or seen.beside:
                if before is None or not _is_of(before, seen):
                    self._fit_anew(seen)
            elif not _is_of(before, seen):
                self._latest[name] = self._fit(seen, before)
            fit = self._latest[name]
        if not is_recorded:
            return fit
        closeness = known_to(fit.shown) if is_watched and seen.labels else None
        with self.journal.reading() as ledger:
            known = ledger.fits.get(name)
            if seen.labels and (known is None or known.seen_seq < fit.made.seen_seq):
                self.journal.append(replace(fit.made, known_to=closeness))
        return fit

    def _fit_together(self, seen: Snapshot) -> dict[str, Fit]:
        """Fit all services that are fitted together with one, always from scratch."""
        started, together = time.perf_counter(), seen.together
        assert together is not None
        assert isinstance(self.estimator, MeanScoreEstimator)
        said = {name: other.predictions for name, other in seen.beside.items()}
        joint = together.fit(self.estimator, seen.labels, said, self.settings.seed)
        seconds = (time.perf_counter() - started) / len(said)
        return {
            name: self._made(other, other.problem, joint.surfaces[name], seconds, joint)
            for name, other in seen.beside.items()
        }

    def _fit(self, seen: Snapshot, before: Fit | None) -> Fit:
        started = time.perf_counter()
        solved = self._solvable(seen)
        soft = seen.soft_scores(solved, sorted(seen.labels))
        observations = solved.observe(seen.labels, seen.predictions, soft)
        is_same = before is not None and before.solved.problem.strata == solved.problem.strata
        previous = before.surface if before is not None and is_same else None
        estimator = start_embedding(self.estimator, solved.problem.arms.calibration)
        rng = np.random.default_rng(self.settings.seed)
        surface = estimator.fit(observations, rng, previous)
        fit = self._made(seen, solved, surface, time.perf_counter() - started, soft=soft)
        return fit if before is None else replace(fit, entry=None)

    def _made(
        self,
        seen: Snapshot,
        solved: ServiceProblem,
        surface: AccuracySurface,
        seconds: float,
        joint: JointSurfaces | None = None,
        soft: SoftScores | None = None,
    ) -> Fit:
        """Return a fit with its check by design, and what is recorded of it."""
        shown = solved.shown(surface, seen.labels)
        check = check_by_design(seen, surface.level)
        overall: tuple[float, float, float] | None = None
        found: dict[str, Any] = {"provenance": provenance_of(seen, self.journal)}
        found |= missing_answers_of(seen).details
        found |= {} if solved.judged is None else solved.judged.details
        if seen.crowd is not None and seen.labels:
            explains = None if soft is None else soft.explains
            found |= replace(seen.crowd.trust, explains=explains).details
        if soft is not None:
            found[LABELS_WORTH] = surface.n_labels
            shown = _with_counts(shown, solved, seen)
        if check is not None:
            known = shown.overall
            overall = (known.mean, known.lower, known.upper)
            found["design_check"] = {"mean": check.mean, **asdict(check)}
        more = self._labels_to_halve(solved.service.name, len(seen.labels), surface)
        found |= {} if more is None else {LABELS_TO_HALVE: more}
        shown = shown.with_details(**found)
        made = Fitted(
            solved.service.name,
            seen.seen_seq,
            len(seen.labels),
            seconds,
            surface.expected_macro_mse,
            overall,
            None if check is None else (check.mean, check.lower, check.upper),
            self._half_width(solved.service.name, shown, joint) if seen.labels else None,
        )
        self._note_half_width(made)
        labelled, entry = frozenset(seen.labels), self._entry(seen)
        return Fit(surface, shown, seen.problem, solved, labelled, made, entry, joint)

    def _labels_to_halve(self, name: str, n_labels: int, surface: AccuracySurface) -> float | None:
        """Return how many more labels would halve the expected error, by the fits up to this."""
        if surface.expected_macro_mse is None:
            return None
        with self.journal.reading() as ledger:
            before = ledger.expectations.get(name, {})
            known = {n: error for n, error in sorted(before.items()) if n < n_labels}
        known[n_labels] = surface.expected_macro_mse
        is_random = build_strategy(self.settings.strategy).is_random
        return labels_to_halve(list(known), list(known.values()), is_random=is_random)

    def _half_width(
        self, name: str, shown: AccuracySurface, joint: JointSurfaces | None
    ) -> float | None:
        """Return the half-width of the spec's goal, None without one.

        Of a ranking it is how far services may differ whose order is open. Services that are
        fitted one by one are taken to err on their own, which is never too sure.
        """
        if self.settings.aim is not None:
            return self.settings.aim.measure(shown)
        if self.settings.stop is None:
            return None
        if joint is not None:
            return open_difference(joint.drawn, shown.level)
        latest = {**{n: fit.shown for n, fit in self._latest.items()}, name: shown}
        every = [latest.get(service.name) for service in self.snapshots.spec.service]
        known = [surface.overall for surface in every if surface is not None]
        if len(known) < len(every):
            return None
        mean, sd = np.asarray([(e.mean, e.sd) for e in known]).T
        normals = normal_draws(_DRAWS, mean.size, self.settings.seed)
        return open_difference(mean + sd * normals, shown.level)

    def _solvable(self, seen: Snapshot) -> ServiceProblem:
        """Return the problem without leaks, and with few enough signals to cross."""
        labels, predictions = seen.labels, seen.predictions
        clean = seen.problem.without_leak(labels, predictions)
        if seen.partly:
            clean = with_part_judges(clean, labels, predictions, seen.partly)
        return clean.condensed(labels, predictions)

    def _note_half_width(self, made: Fitted) -> None:
        if made.half_width is not None:
            self.half_widths.setdefault(made.service, {})[made.n_labels] = made.half_width


def _is_of(fit: Fit, seen: Snapshot) -> bool:
    """Return whether a fit is of just what is known now."""
    return fit.made.seen_seq == seen.seen_seq and fit.problem is seen.problem


def _with_counts(
    shown: AccuracySurface, solved: ServiceProblem, seen: Snapshot
) -> AccuracySurface:
    """Return a surface whose labels are counted one by one, rather than by what they are worth."""
    scores = solved.scores(sorted(seen.labels), seen.labels, seen.predictions)
    counts = solved.observe_scores(seen.labels, scores).per_arm().on(shown.arms)
    return replace(shown, n=counts.n, correct=counts.correct)


def check_by_design(seen: Snapshot, level: float) -> DesignCheck | None:
    """Return the overall accuracy by the chances of the labels; None if they do not determine it.

    A row of the seed set was known before the first draw.
    """
    problem = seen.problem
    rows = problem.rows
    chance = {row: (0.0, 0.0) for row in rows.seed_labels if row < rows.n_pool}
    for instance, chances in seen.chances.items():
        if rows.row_of[instance] < rows.n_pool:
            chance.setdefault(rows.row_of[instance], chances)
    order = list(chance)
    labelled = [row for row in order if row in seen.labels]
    if seen.crowd is not None and not seen.crowd.is_certain:
        return None  # the chances say nothing of how far people err
    if not any(least for _, least in chance.values()) or not labelled:
        return None
    found = problem.scores(labelled, seen.labels, seen.predictions)
    score = dict(zip(labelled, found.tolist(), strict=True))
    scores = np.asarray([score.get(row, np.nan) for row in order])
    chances, least = np.asarray([chance[row] for row in order]).T
    is_pool = problem.problem.support.is_pool
    return design_check(scores, chances, least, rows.n_pool, level=level, is_pool=is_pool)


def missing_answers_of(seen: Snapshot) -> MissingAnswers:
    """Return how many labelled rows have no answer, or pool rows where these are left out."""
    rows = seen.problem.rows
    if n := rows.n_left_out:
        return MissingAnswers("drop", n, n + rows.n_pool, "pool rows", " of some service")
    n_silent = sum(not text.strip() for text, _ in seen.predictions.values())
    return MissingAnswers("wrong", n_silent, len(seen.labels))


def provenance_of(seen: Snapshot, journal: Journal) -> dict[str, Any]:
    """Return what is known of the labels and the pool behind a fit, as JSON values.

    Whoever replays the events finds the same, but for the version of the software.
    """
    problem = seen.problem
    with journal.reading() as ledger:
        n_annotators = len(ledger.n_answers)
        labelled_at, cost = ledger.labelled_at, ledger.cost.get(problem.service.name, 0.0)
    found: dict[str, Any] = {
        "assay": journal.name,
        "service": problem.service.name,
        "labels": len(seen.labels),
        "annotators": n_annotators,
        "strategy": problem.spec.assay.strategy_name,
        "seed": problem.spec.assay.seed,
        "pool_rows": problem.rows.n_pool,
        "pool_digest": problem.rows.digest,
        "version": __version__,
    }
    if labelled_at is not None:
        when = datetime.fromtimestamp(labelled_at, UTC)
        found["labelled_until"] = when.strftime("%Y-%m-%d %H:%M UTC")
    if cost:
        found["cost"] = cost
    return found
