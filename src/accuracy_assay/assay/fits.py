"""Surfaces as caches: each is keyed by the service and the events that it saw."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from accuracy_assay.assay.ledger import Resolved
from accuracy_assay.assay.problem import Predictions, Problem
from accuracy_assay.domain.events import Fitted
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Estimator
from accuracy_assay.study.embedding_start import start_embedding

__all__ = ["Fit", "Fits", "Snapshot"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What is known of one service at one moment: everything that a fit depends on."""

    problem: Problem
    labels: Mapping[int, Resolved]
    predictions: Predictions
    seen_seq: int


@dataclass(frozen=True, eq=False)
class Fit:
    """A surface, the problem as it was posed and as it was solved, and how it was made."""

    surface: AccuracySurface
    posed: Problem
    problem: Problem
    made: Fitted


@dataclass
class Fits:
    """The latest fit of each service.

    A fit starts from nothing, so that it depends on the labels alone and a replay of the events
    gives it again. One that only guides the next question may start from the fit before it.
    """

    estimator: Estimator
    seed: int
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _cold: dict[str, Fit] = field(default_factory=dict)
    _latest: dict[str, Fit] = field(default_factory=dict)

    def latest(self, service: str) -> Fit | None:
        """Return the last fit of a service, however old."""
        return self._latest.get(service)

    def surface(self, seen: Snapshot) -> AccuracySurface:
        """Return the surface of a snapshot, from the cache if it has been fitted."""
        name = seen.problem.service.name
        with self._lock:
            cached = self._cold.get(name)
            if cached is None or _is_older(cached, seen):
                cached = self._cold[name] = self._fit(seen, None)
                self._latest[name] = cached
            return cached.surface

    def guide(self, seen: Snapshot) -> Fit:
        """Return a fit of a snapshot to choose by; it may start from the one before."""
        name = seen.problem.service.name
        with self._lock:
            before = self._latest.get(name)
            if before is not None and not _is_older(before, seen):
                return before
            fit = self._latest[name] = self._fit(seen, before)
            if before is None:
                self._cold[name] = fit
            return fit

    def _fit(self, seen: Snapshot, before: Fit | None) -> Fit:
        started = time.perf_counter()
        problem = seen.problem.without_leak(seen.labels, seen.predictions)
        observations = problem.observe(seen.labels, seen.predictions)
        is_same = before is not None and before.problem.strata == problem.strata
        previous = before.surface if before is not None and is_same else None
        rng = np.random.default_rng(self.seed)
        estimator = start_embedding(self.estimator, problem.affiliations.calibration)
        surface = estimator.fit(observations, rng, previous)
        expected = surface.details.get("expected_macro_mse")
        made = Fitted(
            problem.service.name,
            seen.seen_seq,
            len(seen.labels),
            time.perf_counter() - started,
            None if expected is None else float(expected),
        )
        return Fit(surface, seen.problem, problem, made)


def _is_older(fit: Fit, seen: Snapshot) -> bool:
    return fit.made.seen_seq != seen.seen_seq
