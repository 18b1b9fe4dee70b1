"""Surfaces when they are due: after each round for the questions, at any time for the user."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from accuracy_assay.assay.affiliations import Affiliations, OnCalibration
from accuracy_assay.assay.fits import Fit, Fits, Snapshot
from accuracy_assay.assay.journal import Journal
from accuracy_assay.assay.ledger import Ledger, Resolved
from accuracy_assay.assay.pool_rows import PoolRows
from accuracy_assay.assay.predicting import predictions_in_pool
from accuracy_assay.assay.problem import Predictions, Problem
from accuracy_assay.domain.events import Fitted
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.protocols import Calibration
from accuracy_assay.spec.model import ServiceSection, Spec

__all__ = ["Guidance"]

_log = logging.getLogger(__name__)


@dataclass
class Guidance:
    """Everything between the events and the surfaces of the services."""

    spec: Spec
    rows: PoolRows
    journal: Journal
    fits: Fits
    cache: Path | None = None
    worker: ThreadPoolExecutor | None = None
    _problems: dict[str, tuple[bool, Problem]] = field(default_factory=dict)
    _posing: threading.Lock = field(default_factory=threading.Lock)
    _is_queued: threading.Event = field(default_factory=threading.Event)

    @cached_property
    def affiliations(self) -> Affiliations:
        """The arms of the instances; calibrated when first needed."""
        return Affiliations.prepare(self.spec, self.rows, self.cache)

    def calibrate(self, on_progress: OnCalibration | None) -> Calibration | None:
        """Return what the arms of guessed attributes rest on; learned now if it was not yet."""
        if "affiliations" not in vars(self):
            self.affiliations = Affiliations.prepare(self.spec, self.rows, self.cache, on_progress)
        return self.affiliations.calibration

    @cached_property
    def _in_pool(self) -> Mapping[str, Predictions]:
        columns = [s for s in self.spec.service if s.column is not None]
        return {s.name: predictions_in_pool(s, self.rows) for s in columns}

    def predictions(self, service: ServiceSection, ledger: Ledger) -> Predictions:
        """Return what a service has predicted so far."""
        if service.name in self._in_pool:
            return self._in_pool[service.name]
        return ledger.predictions.get(service.name, {})

    def surface(self, service: ServiceSection) -> AccuracySurface:
        """Return the surface of all labels so far."""
        return self.fits.surface(self._snapshot(service))

    def last_made(self, service: ServiceSection, ledger: Ledger) -> Fitted | None:
        """Return how the last surface was made: the latest of this process or of any other."""
        own = self.fits.latest(service.name)
        made = [own.made] if own is not None and own.made.n_labels else []
        made += [ledger.fits[service.name]] if service.name in ledger.fits else []
        return max(made, key=lambda fitted: fitted.seen_seq, default=None)

    def steering(self, ledger: Ledger) -> tuple[ServiceSection, ...]:
        """Return the services whose surfaces can guide this round; another first in each."""
        services = self.spec.service
        turn = ledger.n_rounds % len(services)
        in_turn = (*services[turn:], *services[:turn])
        return tuple(s for s in in_turn if self._is_ready(s, ledger)) or services[:1]

    def guide(self, service: ServiceSection) -> Fit:
        """Return the fit to choose by: the latest, or a new one when a round has come in."""
        latest = self.fits.latest(service.name)
        if latest is not None and (self.worker is not None or not self._has_news(latest)):
            return latest
        seen = self._snapshot(service)
        if len(seen.predictions) < len(seen.labels):
            seen = Snapshot(seen.problem, {}, {}, 0)  # choose without labels that have no score
        return latest if latest is not None and not self._is_due(latest, seen) else self._fit(seen)

    def _has_news(self, latest: Fit) -> bool:
        """Return whether a fit may be due, without looking at every label."""
        service = latest.posed.service
        with self.journal.reading() as ledger:
            seed = sum(self.rows.ids[row] not in ledger.answers for row in self.rows.seed_labels)
            n_new = abs(len(ledger.answers) + seed - latest.made.n_labels)
            is_complete = len(self.predictions(service, ledger)) >= self.rows.n_rows
        was_complete = self._problems[service.name][0]
        return n_new >= self.spec.assay.labels_per_fit or is_complete != was_complete

    def fit_behind(self) -> None:
        """Let the background look for fits that are due, where there is one."""
        if self.worker is not None and not self._is_queued.is_set():
            self._is_queued.set()
            self.worker.submit(self._fit_what_is_due)

    def _fit_what_is_due(self) -> None:
        self._is_queued.clear()
        try:
            for service in self.spec.service:
                seen, latest = self._snapshot(service), self.fits.latest(service.name)
                is_scored = len(seen.predictions) == len(seen.labels)
                if is_scored and (latest is None or self._is_due(latest, seen)):
                    self._fit(seen)
        except AssayError as error:
            _log.warning("a fit in the background failed: %s", error)

    def _snapshot(self, service: ServiceSection) -> Snapshot:
        with self.journal.reading() as ledger:
            known = self.predictions(service, ledger)
            labels = {
                row: Resolved(label, {}, {label: 1})
                for row, label in self.rows.seed_labels.items()
            }
            for instance in ledger.answers:
                labels[self.rows.row_of[instance]] = ledger.resolve(instance)
            ids = (self.rows.ids[row] for row in labels)
            predictions = {i: known[i] for i in ids if i in known}
            seen_seq = ledger.seen_seq(service.name)
            is_complete = len(known) >= self.rows.n_rows
        return Snapshot(self._problem(service, known, is_complete), labels, predictions, seen_seq)

    def _problem(self, service: ServiceSection, known: Predictions, is_complete: bool) -> Problem:
        """Return the problem of a service; posed anew once it has predicted everything."""
        with self._posing:
            cached = self._problems.get(service.name)
            if cached is None or cached[0] != is_complete:
                told = known if is_complete else {}
                posed = Problem.pose(self.spec, service, self.affiliations, told)
                cached = self._problems[service.name] = (is_complete, posed)
            return cached[1]

    def _is_ready(self, service: ServiceSection, ledger: Ledger) -> bool:
        """Return whether a service has predicted all that is labelled."""
        known = self.predictions(service, ledger)
        seed = (self.rows.ids[row] for row in self.rows.seed_labels)
        return all(i in known for i in (*ledger.answers, *seed))

    def _is_due(self, latest: Fit, seen: Snapshot) -> bool:
        n_new = abs(len(seen.labels) - latest.made.n_labels)
        return n_new >= self.spec.assay.labels_per_fit or latest.posed is not seen.problem

    def _fit(self, seen: Snapshot) -> Fit:
        fit = self.fits.guide(seen)
        with self.journal.reading() as ledger:
            before = ledger.fits.get(fit.made.service)
            if seen.labels and (before is None or before.seen_seq < fit.made.seen_seq):
                self.journal.append(fit.made)
        return fit
