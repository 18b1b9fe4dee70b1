"""Live updates for open pages: a label at once, the surface as soon as it is fitted again.

A quick fit that continues from the last one is shown first. When answers pause, a fit from scratch
replaces it, which is what every other command would show for the same labels.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.fitter import Fitter

__all__ = ["LiveUpdates"]

_log = logging.getLogger(__name__)

_LOOK_S = 0.5
"""Pause between two looks at the store, which other processes write to as well."""
_PAUSE_S = 4.0
"""Without an answer for this long, there is time for a fit from scratch."""

Watcher = asyncio.Queue[dict[str, int]]


class LiveUpdates:
    """Follows one assay from a thread of its own.

    Parameters
    ----------
    assay, fitter
        The assay, and what fits its surfaces.

    Attributes
    ----------
    on_fit
        Called after every fit.
    """

    def __init__(self, assay: Assay, fitter: Fitter) -> None:
        self._assay = assay
        self._fitter = fitter
        self.on_fit: Callable[[], None] = lambda: None
        self._version = 0
        self._seen, self._fitted, self._exact = -1, -1, -1
        self._changed_at = time.monotonic()
        self._watchers: list[tuple[asyncio.AbstractEventLoop, Watcher]] = []
        self._lock = threading.Lock()
        self._poked = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._follow, name="assay-live", daemon=True)
        self._thread.start()

    @property
    def version(self) -> int:
        """A number that rises with every label and every fit."""
        return self._version

    @property
    def is_behind(self) -> bool:
        """Whether the latest labels are still to be fitted."""
        return self._assay.session.label_seq != self._fitted

    def surface(self, service: str) -> AccuracySurface:
        """Return the latest surface of a service; only the first call waits for a fit."""
        latest = self._fitter.surface(service)
        return self._assay.surface(service) if latest is None else latest

    def latest(self, service: str) -> AccuracySurface | None:
        """Return the latest surface of a service at once; None before the first."""
        return self._fitter.surface(service)

    def past(self, service: str, until: float) -> AccuracySurface:
        """Return the surface of a service as it was at a time; slow."""
        return self._fitter.past(service, until)

    def poke(self) -> None:
        """Look now: something was written."""
        self._poked.set()

    def leave(self) -> None:
        """Start no more fits; failures from now on are not logged."""
        self._is_closed = True

    def close(self) -> None:
        """Stop following once a running fit is done."""
        self.leave()
        self._poked.set()
        self._thread.join()

    @contextmanager
    def watching(self) -> Iterator[Watcher]:
        """Yield a queue of updates for the running event loop."""
        watcher: Watcher = asyncio.Queue()
        entry = (asyncio.get_running_loop(), watcher)
        with self._lock:
            self._watchers.append(entry)
        try:
            yield watcher
        finally:
            with self._lock:
                self._watchers.remove(entry)

    @property
    def n_watchers(self) -> int:
        """How many are watching."""
        return len(self._watchers)

    def news(self) -> dict[str, int]:
        """Return what watchers get: the version and the number of labels."""
        return {"version": self._version, "labels": self._assay.session.n_labels}

    def _follow(self) -> None:
        while not self._is_closed:
            self._poked.wait(_LOOK_S)
            self._poked.clear()
            try:
                self._look()
            except AssayError as error:  # such as an unreachable store: try again
                if not self._is_closed:
                    _log.warning("could not update the page: %s", error)
                    time.sleep(_LOOK_S)
            except Exception:
                _log.exception("could not update the page")
                time.sleep(_LOOK_S)

    def _look(self) -> None:
        seq = self._assay.session.label_seq
        if seq != self._seen:
            self._seen, self._changed_at = seq, time.monotonic()
            self._publish()
        if seq != self._fitted:
            self._fit(is_exact=False)
            self._fitted = seq
        elif seq != self._exact and time.monotonic() - self._changed_at > _PAUSE_S:
            self._fit(is_exact=True)
            self._exact = seq

    def _fit(self, *, is_exact: bool) -> None:
        for service in self._assay.spec.service:
            self._fitter.fit(service.name, is_exact=is_exact)
            self._publish()
        self.on_fit()

    def _publish(self) -> None:
        self._version += 1
        news = self.news()
        with self._lock:
            for loop, watcher in self._watchers:
                loop.call_soon_threadsafe(watcher.put_nowait, news)
