"""Surfaces of the services: fitted when they are due, kept by the events that they saw."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cached_property

import numpy as np

from accuracy_assay.assay.design import check_by_design
from accuracy_assay.assay.journal import Journal
from accuracy_assay.assay.ledger import Ledger
from accuracy_assay.assay.provenance import provenance_of
from accuracy_assay.assay.service_problem import ServiceProblem
from accuracy_assay.assay.snapshots import Snapshot, Snapshots
from accuracy_assay.domain.events import Fitted
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import build_estimator
from accuracy_assay.spec.model import AssaySection, ServiceSection
from accuracy_assay.study.embedding_start import start_embedding

__all__ = ["Fit", "Fits"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Fit:
    """A surface, the problem as it was taken and as it was solved, its rows, how it was made.

    ``shown`` is the surface with its provenance, and the design-based check where there is one.
    """

    surface: AccuracySurface
    shown: AccuracySurface
    taken: ServiceProblem
    solved: ServiceProblem
    labelled: frozenset[int]
    made: Fitted


@dataclass
class Fits:
    """The latest fit of each service.

    A surface for the user is fitted from nothing, so that it depends on the labels alone and a
    replay of the events gives it again. A fit that only guides the next question may start from
    the fit before it. ``half_widths`` are those of the spec's goal at every fit made here, by
    service and labels.
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

    @cached_property
    def estimator(self) -> Estimator:
        """The estimator of the spec; imported when the first fit is made, for it is large."""
        return build_estimator(self.settings.estimator)

    def surface(self, service: ServiceSection) -> AccuracySurface:
        """Return the surface of all labels so far, fitted from nothing."""
        return self.cold(service).shown

    def cold(self, service: ServiceSection) -> Fit:
        """Return the fit of all labels so far, made from nothing."""
        seen = self.snapshots.take(service)
        with self._fitting:
            cold = self._cold.get(service.name)
            if cold is None or cold.made.seen_seq != seen.seen_seq:
                cold = self._cold[service.name] = self._fit(seen, None)
                self._latest[service.name] = cold
            return cold

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
        return self._go_on(seen)

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
        return self._go_on(seen, is_recorded=is_due)

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
            is_current = self.snapshots.is_current(latest.taken.service, ledger)
        return n_new >= self.settings.labels_per_fit or not is_current

    def _is_due(self, latest: Fit, seen: Snapshot) -> bool:
        n_new = abs(len(seen.labels) - latest.made.n_labels)
        return n_new >= self.settings.labels_per_fit or latest.taken is not seen.problem

    def _go_on(self, seen: Snapshot, *, is_recorded: bool = True) -> Fit:
        """Fit a snapshot from the fit before it, and record that it was done."""
        name = seen.problem.service.name
        with self._fitting:
            before = self.latest(name)
            if before is not None and before.made.seen_seq == seen.seen_seq:
                fit = before
            else:
                fit = self._latest[name] = self._fit(seen, before)
                if before is None:
                    self._cold[name] = fit
        if not is_recorded:
            return fit
        with self.journal.reading() as ledger:
            known = ledger.fits.get(name)
            if seen.labels and (known is None or known.seen_seq < fit.made.seen_seq):
                self.journal.append(fit.made)
        return fit

    def _fit(self, seen: Snapshot, before: Fit | None) -> Fit:
        started = time.perf_counter()
        clean = seen.problem.without_leak(seen.labels, seen.predictions)
        solved = clean.condensed(seen.labels, seen.predictions)
        observations = solved.observe(seen.labels, seen.predictions)
        is_same = before is not None and before.solved.problem.strata == solved.problem.strata
        previous = before.surface if before is not None and is_same else None
        estimator = start_embedding(self.estimator, solved.problem.arms.calibration)
        rng = np.random.default_rng(self.settings.seed)
        surface = estimator.fit(observations, rng, previous)
        check = check_by_design(seen, surface.level)
        overall, found = None, {"provenance": provenance_of(seen, self.journal)}
        if check is not None:
            known = surface.overall
            overall = (known.mean, known.lower, known.upper)
            found["design_check"] = {"mean": check.mean, **asdict(check)}
        shown = surface.with_details(**found)
        aim = self.settings.aim
        made = Fitted(
            solved.service.name,
            seen.seen_seq,
            len(seen.labels),
            time.perf_counter() - started,
            surface.expected_macro_mse,
            overall,
            None if check is None else (check.mean, check.lower, check.upper),
            None if aim is None or not seen.labels else aim.measure(surface),
        )
        if made.half_width is not None:
            self.half_widths.setdefault(made.service, {})[made.n_labels] = made.half_width
        return Fit(surface, shown, seen.problem, solved, frozenset(seen.labels), made)
