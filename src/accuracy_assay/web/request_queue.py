"""The queue of annotators' requests: written in batches, with instances chosen ahead.

Choosing the next instances takes a good part of a second, and writing flushes to disk; nobody
should wait for either. So one thread chooses a round of instances before anyone asks for them, and
another carries out all requests that have come in since it last wrote.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

from accuracy_assay.errors import AssayError, StoreError
from accuracy_assay.session.asking import Pick
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.requests import Ask, Request, Undo
from accuracy_assay.web.fitter import Fitter

__all__ = ["RequestQueue"]

_log = logging.getLogger(__name__)

_MOST_AT_ONCE = 256
"""Requests per write: enough for each flush to serve everyone who waits, few enough that one
fault doesn't hold up thousands."""

FutureIds = Future[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class _Job:
    request: Request
    done: FutureIds
    is_chosen_for: bool = False
    is_last_try: bool = False


class RequestQueue:
    """Serves the annotators of one assay, from two threads of its own.

    Parameters
    ----------
    assay, fitter
        The assay, and what chooses its instances.
    on_change
        Called after each write.
    """

    def __init__(self, assay: Assay, fitter: Fitter, on_change: Callable[[], None]) -> None:
        self._assay = assay
        self._fitter = fitter
        self._on_change = on_change
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ready: list[Pick] = []
        self._waiting: list[_Job] = []
        self._is_stale = False
        self._n_given = 0
        self._wanted = threading.Event()
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._serve, name="assay-requests", daemon=True),
            threading.Thread(target=self._choose, name="assay-choose", daemon=True),
        ]
        self._wanted.set()
        for thread in self._threads:
            thread.start()

    def ask(self, n: int, annotator: str) -> FutureIds:
        """Give an annotator at most ``n`` instances; the result is their ids."""
        return self.send(Ask(annotator, n, ()))

    def send(self, request: Request) -> FutureIds:
        """Carry out a request; the result is as in ``session.requests.Outcome``."""
        job = _Job(request, Future())
        if self._is_closed:
            job.done.set_exception(StoreError("the server must be open; it is closing."))
        else:
            self._jobs.put(job)
        return job.done

    def choose_again(self) -> None:
        """Choose the next instances anew, such as after a fit; until then give those at hand."""
        with self._lock:
            self._is_stale = True
        self._wanted.set()

    def leave(self) -> None:
        """Take no more requests; failures from now on are not logged."""
        self._is_closed = True

    def close(self) -> None:
        """Carry out what was sent, and stop."""
        self.leave()
        self._jobs.put(None)
        self._wanted.set()
        for thread in self._threads:
            thread.join()
        with self._lock:
            left, self._waiting = self._waiting, []
        for job in left:
            _finish(job, ())

    def _serve(self) -> None:
        first = self._jobs.get()
        while first is not None:
            jobs, first = self._gather(first)
            self._carry_out(jobs)
            first = first or self._jobs.get()

    def _gather(self, first: _Job) -> tuple[list[_Job], _Job | None]:
        """Return the jobs that have come in, and the one that starts the next batch, if any.

        An undo waits until everything before it is written.
        """
        jobs = [first]
        while len(jobs) < _MOST_AT_ONCE:
            try:
                following = self._jobs.get_nowait()
            except queue.Empty:
                break
            if following is None:
                self._jobs.put(None)
                break
            if isinstance(following.request, Undo):
                return jobs, following
            jobs.append(following)
        return jobs, None

    def _carry_out(self, jobs: list[_Job]) -> None:
        with self._lock:
            picks = tuple(self._ready)
            large = [job for job in jobs if _is_large(job, len(picks))]
            self._waiting += large
        if large:
            self._wanted.set()
            jobs = [job for job in jobs if job not in large]
        requests = [_with_picks(job.request, picks) for job in jobs]
        try:
            outcomes = self._assay.session.carry_out(requests)
        except Exception as error:  # whatever it was, those who wait must hear of it
            if not isinstance(error, AssayError):
                _log.exception("could not carry out requests")
            for job in jobs:
                _finish(job, error)
            return
        given = {
            instance
            for request, outcome in zip(requests, outcomes, strict=True)
            if isinstance(request, Ask) and not isinstance(outcome, AssayError)
            for instance in outcome
        }
        batch = self._assay.session.last_parts.spec.assay.batch
        with self._lock:
            self._ready = [pick for pick in self._ready if pick.instance not in given]
            self._n_given += len(given)
            is_short = len(self._ready) < batch
            for job, outcome in zip(jobs, outcomes, strict=True):
                if outcome == () and isinstance(job.request, Ask) and not job.is_last_try:
                    self._waiting.append(job)
                else:
                    _finish(job, outcome)
            is_short = is_short or bool(self._waiting)
        if is_short:
            self._wanted.set()
        self._on_change()

    def _choose(self) -> None:
        """Keep a round of instances ready, and serve those who wait once more."""
        while not self._is_closed:
            self._wanted.wait()
            self._wanted.clear()
            if self._is_closed:
                return
            with self._lock:
                is_stale, self._is_stale = self._is_stale, False
                waiting, self._waiting = self._waiting, []
                held = [] if is_stale else [pick.instance for pick in self._ready]
                ahead = max(2 * self._assay.session.last_parts.spec.assay.batch, self._n_given)
                self._n_given = 0
            chosen: list[Pick] = []
            wanted = sum(job.request.n for job in waiting if isinstance(job.request, Ask))
            try:
                chosen = self._fitter.pick(wanted + ahead, held)
            except Exception as error:
                for job in waiting:
                    _finish(job, error)
                waiting = []
                if not self._is_closed:
                    _log.warning("could not choose instances: %s", error)
            with self._lock:
                self._ready = chosen if is_stale else [*self._ready, *chosen]
            for job in waiting:
                request = _with_picks(job.request, tuple(chosen))
                self._jobs.put(_Job(request, job.done, True, is_last_try=not chosen))


def _with_picks(request: Request, picks: tuple[Pick, ...]) -> Request:
    """Return a request to ask with further picks, and any other as it is."""
    if not isinstance(request, Ask):
        return request
    every = {pick.instance: pick for pick in (*request.picks, *picks)}
    return replace(request, picks=tuple(every.values()))


def _is_large(job: _Job, n_ready: int) -> bool:
    """Return whether more is asked for than is ready, and nothing was chosen for it yet."""
    return isinstance(job.request, Ask) and job.request.n > n_ready and not job.is_chosen_for


def _finish(job: _Job, outcome: tuple[str, ...] | Exception) -> None:
    if not job.done.set_running_or_notify_cancel():  # the caller has gone
        return
    if isinstance(outcome, Exception):
        job.done.set_exception(outcome)
    else:
        job.done.set_result(outcome)
