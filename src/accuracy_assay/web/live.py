"""What those who watch see change: labels at once, the surface as soon as it is fitted again.

A fit that starts from the one before is shown first. When answers pause, it is replaced by one
from nothing, which is what every other command would show for the same labels.
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
from accuracy_assay.web.engine import Engine

__all__ = ["Live"]

_log = logging.getLogger(__name__)

_LOOK_S = 0.5
"""Pause between two looks at a store that other processes write to as well."""
_PAUSE_S = 4.0
"""Without an answer for so long, there is time for a fit from nothing."""

Watcher = asyncio.Queue[dict[str, int]]


class Live:
    """Follows one assay from a thread of its own.

    Parameters
    ----------
    assay, engine
        The assay, and what fits its surfaces.

    Attributes
    ----------
    on_fit
        Called after every fit.
    """

    def __init__(self, assay: Assay, engine: Engine) -> None:
        self._assay = assay
        self._engine = engine
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
        """A number that rises when a label has come or a fit is done."""
        return self._version

    def surface(self, service: str | None = None) -> AccuracySurface:
        """Return the latest surface of a service; the first is waited for."""
        latest = self._engine.surface(self._assay.spec.find_service(service).name)
        return self._assay.surface(service) if latest is None else latest

    def poke(self) -> None:
        """Look now: something was written."""
        self._poked.set()

    def leave(self) -> None:
        """Begin no more fits; one that fails from now on is no fault."""
        self._is_closed = True

    def close(self) -> None:
        """Stop following, once a fit that is being made is done."""
        self.leave()
        self._poked.set()
        self._thread.join()

    @contextmanager
    def watching(self) -> Iterator[Watcher]:
        """Give a queue of what changes, for the running event loop."""
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
        """How many watch."""
        return len(self._watchers)

    def news(self) -> dict[str, int]:
        """Return what watchers are told: the version and the number of labels."""
        return {"version": self._version, "labels": self._assay.session.n_labels}

    def _follow(self) -> None:
        while not self._is_closed:
            self._poked.wait(_LOOK_S)
            self._poked.clear()
            try:
                self._look()
            except AssayError as error:  # such as a store that is away: the next look may do
                if not self._is_closed:
                    _log.warning("the page could not be brought up to date: %s", error)
                    time.sleep(_LOOK_S)
            except Exception:
                _log.exception("the page could not be brought up to date")
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
            self._engine.fit(service.name, is_exact=is_exact)
            self._publish()
        self.on_fit()

    def _publish(self) -> None:
        self._version += 1
        news = self.news()
        with self._lock:
            for loop, watcher in self._watchers:
                loop.call_soon_threadsafe(watcher.put_nowait, news)
