"""An engine in a process of its own, so that requests are answered while it works.

Python runs one thread at a time: beside a fit in the same process, the smallest request takes half
a second (``benchmarks/page_load.py``). A process that ended is started again.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accuracy_assay.domain.question import Question
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import StoreError
from accuracy_assay.session.asking import Pick

__all__ = ["Opened", "ProcessEngine"]

_log = logging.getLogger(__name__)

_END_S = 5.0
"""Seconds that a fit in progress has at the end; nothing is lost with it."""


@dataclass(frozen=True)
class Opened:
    """Which assay: as `Assay.open` takes it."""

    store: str
    name: str
    pool: str | None = None
    seed_set: str | None = None


class ProcessEngine:
    """Fits and chooses in another process that opens the same store."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._folder = tempfile.TemporaryDirectory(prefix="assay-page-")
        self._surfaces: dict[str, AccuracySurface] = {}
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[Mapping[str, Any]]] = {}
        self._last_id = 0
        self._is_closed = False
        self._over: subprocess.Popen[str] | None = None
        self._child = self._start()

    def pick(self, n: int, besides: Collection[str]) -> list[Pick]:
        """Choose instances, as `Assay.pick` does."""
        found = self._ask({"do": "pick", "n": n, "besides": sorted(besides)})
        return [Pick(**{**p, "question": Question(**p["question"])}) for p in found["picks"]]

    def fit(self, service: str, *, is_exact: bool) -> None:
        """Fit a service to all labels so far: from the fit before, or from nothing."""
        request = {"do": "fit", "service": service, "is_exact": is_exact}
        path = self._ask({**request, "folder": self._folder.name})["surface"]
        if path is not None:
            self._surfaces[service] = AccuracySurface.load(path)
            Path(path).unlink()

    def surface(self, service: str) -> AccuracySurface | None:
        """Return the last surface of a service; None before there is one."""
        found = self._surfaces.get(service)
        return None if found is None or not found.n_labels else found

    def close(self) -> None:
        """End the process; a fit that it makes is given up."""
        self._is_closed = True
        with self._lock:
            child = self._child
        _end(child)
        self._folder.cleanup()

    def _start(self) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-m", "accuracy_assay.web.engine_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        _write(child, vars(self._opened))
        threading.Thread(target=self._read, args=(child,), daemon=True).start()
        return child

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request; a process that has ended is started once more."""
        for is_last in (False, True):
            with self._lock:
                is_over = self._child.poll() is not None or self._over is self._child
                if is_over and not self._is_closed:
                    _log.warning("the process that fits has ended; it is started again")
                    _end(self._child)
                    self._child = self._start()
                self._last_id += 1
                asked = self._last_id
                done = self._waiting[asked] = Future[Mapping[str, Any]]()
                try:
                    _write(self._child, {"id": asked, **request})
                except (OSError, ValueError):  # it has ended, or was ended
                    del self._waiting[asked]
                    done.set_result({})
            if found := done.result():
                if "error" in found:
                    raise StoreError(str(found["error"]))
                return found
            if is_last or self._is_closed:
                break
        raise StoreError("the process that fits surfaces must be running; it has ended.")

    def _read(self, child: subprocess.Popen[str]) -> None:
        """Hand answers to who waits for them; an empty one to all when the process ends."""
        assert child.stdout is not None
        with child.stdout as answers:
            for line in answers:
                answer = json.loads(line)
                with self._lock:
                    done = self._waiting.pop(answer["id"], None)
                if done is not None:
                    done.set_result(answer)
        with self._lock:
            self._over = child  # it may take a moment more to end, and answers nothing in it
            waiting, self._waiting = self._waiting, {}
        for done in waiting.values():
            done.set_result({})


def _write(child: subprocess.Popen[str], content: Mapping[str, Any]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(content) + "\n")
    child.stdin.flush()


def _end(child: subprocess.Popen[str]) -> None:
    """End a process: by the end of its input, and if it does not hear that, at once."""
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.close()
    try:
        child.wait(_END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
