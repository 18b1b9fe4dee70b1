"""A fitter in a process of its own, so that requests are answered while it works.

Python runs one thread at a time: next to a fit in the same process, even the smallest request
takes half a second (``benchmarks/page_load.py``). A process that ended is restarted.

The child opens the same store. The first line of its input says which; each further line is a
request, ``{"id": 1, "do": "pick", "n": 24, "besides": ["x7"]}`` or ``{"id": 2, "do": "fit",
"service": "reader", "is_exact": false, "folder": "/tmp/x"}``, and gets one line of output. Fits
and choices run side by side. Surfaces are passed as surface files. The child ends when its input
does.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from accuracy_assay.domain.question import Question
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import StoreError
from accuracy_assay.session.asking import Pick
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.past import past_surface
from accuracy_assay.web.fitter import fit_service

__all__ = ["FittingProcess", "answer", "main"]

_log = logging.getLogger(__name__)

_NICE = 5
"""How much fits give way to people who label, on machines with few processors."""
_END_S = 5.0
"""Seconds that a running fit gets at the end; nothing is lost with it."""


class FittingProcess:
    """Fits and chooses in another process, which opens the store as `Assay.open` would."""

    def __init__(
        self, store: str, name: str, pool: str | None = None, seed_set: str | None = None
    ) -> None:
        self._opened = {"store": store, "name": name, "pool": pool, "seed_set": seed_set}
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
        """Fit a service to all labels so far: from scratch if exact, else from the last fit."""
        request = {"do": "fit", "service": service, "is_exact": is_exact}
        path = self._ask({**request, "folder": self._folder.name})["surface"]
        if path is not None:
            self._surfaces[service] = AccuracySurface.load(path)
            Path(path).unlink()

    def surface(self, service: str) -> AccuracySurface | None:
        """Return the last surface of a service; None before the first."""
        found = self._surfaces.get(service)
        return None if found is None or not found.n_labels else found

    def past(self, service: str, until: float) -> AccuracySurface:
        """Return the surface of a service as it was at a time."""
        request = {"do": "past", "service": service, "until": until}
        path = self._ask({**request, "folder": self._folder.name})["surface"]
        found = AccuracySurface.load(path)
        Path(path).unlink()
        return found

    def close(self) -> None:
        """End the process and drop its running fit."""
        self._is_closed = True
        with self._lock:
            child = self._child
        _end(child)
        self._folder.cleanup()

    def _start(self) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        _write(child, self._opened)
        threading.Thread(target=self._read, args=(child,), daemon=True).start()
        return child

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request; restart a process that has ended, once."""
        for is_last in (False, True):
            with self._lock:
                is_over = self._child.poll() is not None or self._over is self._child
                if is_over and not self._is_closed:
                    _log.warning("the fitting process has ended; restarting it")
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
        raise StoreError("the fitting process must be running; it has ended.")

    def _read(self, child: subprocess.Popen[str]) -> None:
        """Hand each answer to its caller; when the process ends, an empty one to all callers."""
        assert child.stdout is not None
        with child.stdout as answers:
            for line in answers:
                found = json.loads(line)
                with self._lock:
                    done = self._waiting.pop(found["id"], None)
                if done is not None:
                    done.set_result(found)
        with self._lock:
            self._over = child  # it may take a moment to exit, but answers no more
            waiting, self._waiting = self._waiting, {}
        for done in waiting.values():
            done.set_result({})


def _write(child: subprocess.Popen[str], content: Mapping[str, Any]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(content) + "\n")
    child.stdin.flush()


def _end(child: subprocess.Popen[str]) -> None:
    """End a process by closing its input, and kill it if that does not help."""
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.close()
    try:
        child.wait(_END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def main(requests: TextIO = sys.stdin, answers: TextIO = sys.stdout) -> None:
    """Be the child: answer requests until there are no more."""
    os.nice(_NICE)
    sys.path.append(os.getcwd())  # as on the command line, for ``module:name`` in a spec
    writing = threading.Lock()

    def reply(line: str) -> None:
        with writing:
            answers.write(line + "\n")
            answers.flush()

    opened = json.loads(requests.readline())
    assay = Assay.open(opened.pop("store"), **opened, use_background_fits=True)
    for line in requests:
        request = json.loads(line)
        threading.Thread(target=_serve, args=(assay, request, reply), daemon=True).start()


def _serve(assay: Assay, request: dict[str, Any], reply: Callable[[str], None]) -> None:
    try:
        found = {"id": request["id"], **answer(assay, request)}
    except Exception as error:  # whatever it was, the caller must hear of it
        found = {"id": request["id"], "error": str(error)}
    reply(json.dumps(found))


def answer(assay: Assay, request: dict[str, Any]) -> dict[str, Any]:
    """Return what a request asks for."""
    if request["do"] == "pick":
        picks = assay.session.pick(request["n"], request["besides"])
        return {"picks": [asdict(pick) for pick in picks]}
    surface: AccuracySurface | None
    if request["do"] == "past":
        surface = past_surface(assay.session, request["service"], request["until"])
    else:
        surface = fit_service(assay, request["service"], is_exact=request["is_exact"])
    if surface is None:
        return {"surface": None}
    path = Path(request["folder"]) / f"{request['id']}.surface"
    surface.save(path)
    return {"surface": str(path)}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    main()
    os._exit(0)  # drops a running fit: threads of compiled code cannot be joined
