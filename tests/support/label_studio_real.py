"""A real Label Studio server on a free port, and the people who work in it.

People sign up and work as in a browser: by a form, a session and the calls of the page. Processes
of ``assay sync`` are forked from one that has imported everything, so that many can be killed in
little time.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

__all__ = ["Person", "RealLabelStudio", "start_sync"]

_START_S = 300.0
"""Seconds in which a server has made its tables and answers, on a machine with other work."""
_IMPORTED = (
    "accuracy_assay.cli.app",
    "accuracy_assay.cli.sync",
    "accuracy_assay.session.syncing",
    "accuracy_assay.estimators.beta_independent",
    "accuracy_assay.exploration.uniform",
    "accuracy_assay.storage.sqlite",
)


@dataclass
class RealLabelStudio:
    """A running server with a folder of its own."""

    program: str
    folder: Path
    port: int = field(default_factory=lambda: _free_port())
    token: str = field(default_factory=lambda: secrets.token_hex(20))
    password: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    process: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Start the server and return after how many seconds it answered."""
        began = time.monotonic()
        secret = {"USERNAME": "admin@x.org", "PASSWORD": self.password, "USER_TOKEN": self.token}
        environment = {
            **os.environ,
            **{f"LABEL_STUDIO_{name}": value for name, value in secret.items()},
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "LABEL_STUDIO_BASE_DATA_DIR": str(self.folder),
            "COLLECT_ANALYTICS": "false",
            "LATEST_VERSION_CHECK": "false",
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder),
        }
        options = ["--no-browser", "--port", str(self.port), "--internal-host", "127.0.0.1"]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "start", *options],
                env=environment,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        while not self._answers():
            tail = (self.folder / "server.log").read_text(errors="replace")[-2000:]
            assert self.process.poll() is None, f"the server ended: {tail}"
            assert time.monotonic() - began < _START_S, f"the server does not answer: {tail}"
            time.sleep(0.5)
        return time.monotonic() - began

    def kill(self) -> None:
        """End the server at once, with the processes that it started."""
        os.killpg(self.process.pid, 9)
        self.process.wait()

    def admin(self) -> httpx.Client:
        """Return a client with the token of the user who owns the projects."""
        headers = {"Authorization": f"Token {self.token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60.0)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/version", timeout=5.0).status_code == 200
        except httpx.TransportError:
            return False


class Person:
    """Someone who signs up and labels."""

    def __init__(self, studio: RealLabelStudio, email: str) -> None:
        self.email = email
        self.client = httpx.Client(base_url=studio.url, timeout=60.0, follow_redirects=True)
        form = self.client.get("/user/signup/").text
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
        assert found is not None, form[:500]
        content = {"email": email, "password": studio.password, "allow_newsletters": "false"}
        self.client.post(
            "/user/signup/",
            data={"csrfmiddlewaretoken": found[1], **content},
            headers={"Referer": f"{studio.url}/user/signup/"},
        ).raise_for_status()
        self.client.headers["X-CSRFToken"] = str(self.client.cookies.get("csrftoken"))
        who = self.client.get("/api/current-user/whoami").raise_for_status().json()
        assert who["email"] == email

    def next(self, project: int) -> dict[str, Any] | None:
        """Return the task that the server gives, or None where it has none."""
        answer = self.client.get(f"/api/projects/{project}/next/")
        if answer.status_code == 404:
            return None
        task: dict[str, Any] = answer.raise_for_status().json()
        return task

    def answer(self, task: int, label: str) -> int:
        """Submit an answer and return its number."""
        return self._annotate(task, {"result": [_chosen(label)], "lead_time": 1.5})

    def skip(self, task: int) -> int:
        """Skip a task, as the button does."""
        return self._annotate(task, {"result": [], "was_cancelled": True})

    def change(self, annotation: int, label: str) -> None:
        """Submit another answer in the place of one that was given."""
        content = {"result": [_chosen(label)]}
        self.client.patch(f"/api/annotations/{annotation}/", json=content).raise_for_status()

    def work(self, project: int, truth: dict[str, str], stop: threading.Event, seed: int) -> None:
        """Label until told to stop; of 20 tasks one is skipped and one is answered twice."""
        rng = random.Random(seed)
        while not stop.is_set():
            task = self._patiently(lambda: self.next(project))
            if task is None:
                time.sleep(0.3)
                continue
            label, chance = truth[task["data"]["assay_id"]], rng.random()
            if chance < 0.05:
                self._patiently(lambda t=task: self.skip(t["id"]))
                continue
            said = label if chance < 0.95 else {"cat": "dog", "dog": "cat"}[label]
            made = self._patiently(lambda t=task, s=said: self.answer(t["id"], s))
            if made is not None and said != label:
                time.sleep(rng.uniform(0.0, 0.5))
                self._patiently(lambda m=made, right=label: self.change(m, right))

    def _annotate(self, task: int, content: dict[str, Any]) -> int:
        path = f"/api/tasks/{task}/annotations/"
        made: int = self.client.post(path, json=content).raise_for_status().json()["id"]
        return made

    @staticmethod
    def _patiently(act: Any) -> Any:
        """Try again where the server is away or its database is locked."""
        try:
            return act()
        except (httpx.TransportError, httpx.HTTPStatusError):
            time.sleep(0.5)
            return None


def start_sync(arguments: list[str], token: str, log: Path) -> Any:
    """Start ``assay sync label-studio`` as a process of its own; its output goes to ``log``."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["label_studio_real", *_IMPORTED])
    process = context.Process(target=_sync, args=(arguments, token, str(log)))
    process.start()
    return process


def _sync(arguments: list[str], token: str, log: str) -> None:
    os.environ["LABEL_STUDIO_API_KEY"] = token
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    sys.argv = ["assay", "sync", "label-studio", *arguments]
    from accuracy_assay.cli import main

    main()


def _chosen(label: str) -> dict[str, Any]:
    value = {"choices": [label]}
    return {"from_name": "label", "to_name": "shown", "type": "choices", "value": value}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
