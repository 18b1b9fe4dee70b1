"""A small assay and its page, served by a real process that can be killed and started again.

`serve_here` serves it from this process instead: that starts four times as fast, for tests of what
only the browser does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch
from urllib.parse import urlencode

import polars as pl
from patience import PATIENCE_S

import accuracy_assay as aa
from accuracy_assay.web import server as web_server

__all__ = ["PageServer", "page_spec", "serve_here", "serve_pool"]

_COMMAND = (sys.executable, "-c", "from accuracy_assay.cli import main; main()")
_LIMITED = 'ulimit -n "$0"; exec "$@"'


def page_spec(path: Path, /, **sections: Any) -> dict[str, Any]:
    """Return a spec with quick methods; sections add to its keys or replace them."""
    spec: dict[str, Any] = {
        "assay": {
            "name": "page",
            "budget": 250,
            "batch": 5,
            "estimator": "beta-independent",
            "strategy": "random",
        },
        "pool": {"path": str(path)},
        "attribute": [{"name": "sex"}, {"name": "band"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"]},
    }
    for name, section in sections.items():
        is_table = isinstance(section, dict)
        spec[name] = {**spec[name], **section} if is_table else section
    return spec


@dataclass
class PageServer:
    """``assay serve`` as a process, for one store; it may open ``n_files`` files, if given."""

    store: Path
    words: tuple[str, ...] = ()
    n_files: int | None = None
    port: int = 0
    link: str = ""
    log: list[str] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None
    _reader: threading.Thread = field(default_factory=threading.Thread)

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process, on the port that it had before; its link is there afterwards."""
        words = ["serve", str(self.store), "--port", str(self.port), *self.words]
        limit = [] if self.n_files is None else ["sh", "-c", _LIMITED, str(self.n_files)]
        self.process = subprocess.Popen(
            [*limit, *_COMMAND, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            cwd=self.store.parent,
        )
        timer = threading.Timer(PATIENCE_S, self.process.kill)
        timer.start()
        try:
            self.link = self._read_link()
        finally:
            timer.cancel()
        self.port = int(re.findall(r":(\d+)", self.link)[0])
        self._reader = threading.Thread(target=self._read_on)
        self._reader.start()

    def kill(self) -> None:
        """Kill -9 the process, as a power cut would."""
        assert self.process is not None
        self.process.kill()
        self._end()

    def stop(self) -> None:
        """Stop the process as Ctrl-C does; an orderly end is part of what is tested."""
        assert self.process is not None
        if self.process.stdout is None or self.process.stdout.closed:
            return
        self.process.terminate()
        self._end()

    def invite(
        self,
        annotator: str,
        role: Literal["annotator", "admin"] = "annotator",
        *,
        days: float = 7.0,
        is_link: bool = True,
    ) -> str:
        """Return a link for someone's browser, or a token for their program."""
        with aa.Assay.open(self.store) as assay:
            token = assay.admission.invite(annotator, role, days=days, is_link=is_link)
        return f"{self.url}/join?{urlencode({'token': token})}" if is_link else token

    def answers(self, annotator: str) -> dict[str, str]:
        """Return what an annotator has answered, as the store has it."""
        with aa.Assay.open(self.store) as assay:
            with assay.session.journal.reading() as ledger:
                told = ledger.last_answers(annotator, 10_000)
            return {i: a.label for i, a in told.items()}

    def _read_link(self) -> str:
        assert self.process is not None
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.log.append(line.strip())
            if line.strip().startswith("http://"):
                return line.strip()
        raise AssertionError(f"the server did not start: {self.log}")

    def _read_on(self) -> None:
        """Read what the server says, so that it never waits for a reader."""
        assert self.process is not None
        assert self.process.stdout is not None
        self.log.extend(line.rstrip() for line in self.process.stdout)

    def _end(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.wait(PATIENCE_S)
        self._reader.join()
        self.process.stdout.close()


@contextmanager
def serve_pool(
    folder: Path, frame: pl.DataFrame, /, *words: str, n_files: int | None = None, **sections: Any
) -> Iterator[PageServer]:
    """Make an assay of a pool in a folder and serve its page.

    Parameters
    ----------
    folder
        Where the pool and the store are written.
    frame
        The instances.
    words
        Further words of ``assay serve``.
    n_files
        Files that the process may open.
    sections
        Sections of the spec, as in `page_spec`.
    """
    frame.write_parquet(folder / "pool.parquet")
    store = folder / "team.assay"
    aa.Assay.create(store, page_spec(folder / "pool.parquet", **sections)).close()
    server = PageServer(store, words, n_files)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def serve_here(folder: Path, frame: pl.DataFrame, /, **sections: Any) -> Iterator[PageServer]:
    """Serve the page of a pool from a thread of this process, to everyone and without a link."""
    frame.write_parquet(folder / "pool.parquet")
    store = folder / "here.assay"
    spec = page_spec(folder / "pool.parquet", **sections)
    place = web_server.bind(port=0)
    running: list[web_server.uvicorn.Server] = []
    is_ready = threading.Event()

    class Noted(web_server._Server):
        def __init__(self, config: web_server.uvicorn.Config) -> None:
            super().__init__(config)
            running.append(self)

    with (
        aa.Assay.create(store, spec, use_background_fits=True) as assay,
        patch.object(web_server, "_Server", Noted),
    ):
        options = {"use_tokens": False, "on_ready": lambda address: is_ready.set()}
        thread = threading.Thread(target=web_server.serve, args=(assay, place), kwargs=options)
        thread.start()
        try:
            assert is_ready.wait(PATIENCE_S)
            yield PageServer(store, port=place.port)
        finally:
            for server in running:
                server.should_exit = True
            thread.join(PATIENCE_S)
            place.socket.close()
