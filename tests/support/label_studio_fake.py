"""A small Label Studio: the calls that a sync makes, over real HTTP, with all of it in memory.

It refuses what the real one refuses (unknown tokens, tasks without the data that the configuration
shows, versions without predictions, long titles), and serves tasks in the same order. What it
promises to be like is checked against the real server by ``make label-studio``.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["PERSONAL", "TOKEN", "FakeLabelStudio", "fake_label_studio"]

TOKEN = "0123456789abcdef-token"
PERSONAL = "head.body.signature"
DEFAULTS = {
    "label_config": "<View></View>",
    "sampling": "Sequential sampling",
    "show_collab_predictions": True,
    "evaluate_predictions_automatically": False,
    "enable_empty_annotation": True,
    "skip_queue": "REQUEUE_FOR_OTHERS",
    "maximum_annotations": 1,
    "model_version": "",
}


class RefusedError(Exception):
    """A status and what is said with it."""


@dataclass
class FakeLabelStudio:
    """The state of the server; ``calls`` are those that came in, as ``METHOD path``."""

    url: str = ""
    calls: list[str] = field(default_factory=list)
    projects: dict[int, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[int, dict[str, Any]] = field(default_factory=dict)
    predictions: list[dict[str, Any]] = field(default_factory=list)
    people: dict[int, str] = field(default_factory=lambda: {1: "ann@x.org", 2: "bob@x.org"})
    passes: set[str] = field(default_factory=lambda: {f"Token {TOKEN}"})
    status: int | None = None
    """What every call is answered with while it is set: a server in trouble."""
    most_per_page: int = 10**9
    _number: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, task: int, label: str, who: int = 1, **more: Any) -> dict[str, Any]:
        """Answer a task as a person would."""
        result = {"from_name": "label", "type": "choices", "value": {"choices": [label]}}
        return self.annotate(task, who, result=[result], **more)

    def annotate(self, task: int, who: int = 1, **more: Any) -> dict[str, Any]:
        """Add an annotation of any content."""
        made = {
            "id": next(self._number),
            "completed_by": who,
            "result": [],
            "was_cancelled": False,
            "lead_time": 2.5,
            "updated_at": self._time(),
            **more,
        }
        self.tasks[task]["annotations"].append(made)
        return made

    def change(self, annotation: dict[str, Any], label: str) -> None:
        """Change an answer that was given before."""
        annotation["result"][0]["value"]["choices"] = [label]
        annotation |= {"was_cancelled": False, "updated_at": self._time()}

    def skip(self, task: int, who: int = 1) -> None:
        """Skip a task."""
        self.annotate(task, who, was_cancelled=True)

    def serve(self, project: int) -> list[int]:
        """Return the open tasks in the order in which one person gets them."""
        version = self.projects[project]["model_version"]
        scores = {p["task"]: p["score"] for p in self.predictions if p["model_version"] == version}
        open_tasks = [t for t in self.open_tasks(project) if t in scores]
        return sorted(open_tasks, key=scores.__getitem__)

    def open_tasks(self, project: int) -> list[int]:
        """Return the tasks that want more answers."""
        wanted = self.projects[project]["maximum_annotations"]
        return [
            n
            for n, task in self.tasks.items()
            if task["project"] == project and len(task["annotations"]) < wanted
        ]

    def ids(self) -> list[str]:
        """Return the instances of all tasks."""
        return [task["data"]["assay_id"] for task in self.tasks.values()]

    def _time(self) -> str:
        return f"2026-01-01T00:00:{next(self._number):09d}Z"

    def reply(self, method: str, address: str, token: str, content: Any) -> tuple[int, Any]:
        """Answer a call."""
        parts = urlsplit(address)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        with self._lock:
            self.calls.append(f"{method} {parts.path}")
            if self.status is not None:
                return self.status, {"detail": f"trouble with {token}"}
            try:
                return self._find(method, parts.path, token)(query, content)
            except RefusedError as refused:
                status, detail = refused.args
                return status, {"detail": "no", "validation_errors": {"field": [detail]}}

    def _find(self, method: str, path: str, token: str) -> Callable[..., tuple[int, Any]]:
        if path == "/api/token/refresh/":
            return self._refresh
        if token not in self.passes:
            raise RefusedError(401, f"Invalid token: {token}")
        if path == "/api/users/":
            return lambda *_: (200, [{"id": n, "email": e} for n, e in self.people.items()])
        if path == "/api/tasks/":
            return self._tasks
        if path == "/api/projects/":
            return self._create if method == "POST" else self._list
        match = re.fullmatch(r"/api/projects/([0-9]+)/(.*)", path)
        if match is None or int(match[1]) not in self.projects:
            raise RefusedError(404, "No Project matches the given query.")
        known = {
            "GET ": self._get,
            "PATCH ": self._patch,
            "POST import": self._import,
            "POST import/predictions": self._predict,
            "GET model-versions/": self._versions,
            "DELETE model-versions/": self._drop,
        }
        found = known[f"{method} {match[2]}"]
        return lambda query, content: found(int(match[1]), query, content)

    def _refresh(self, _: Any, content: Any) -> tuple[int, Any]:
        if content != {"refresh": PERSONAL}:
            return 401, {"detail": f"Token {content['refresh']} is invalid"}
        access = f"short-{next(self._number)}"
        self.passes = {f"Token {TOKEN}", f"Bearer {access}"}
        return 200, {"access": access}

    def _list(self, query: Any, _: Any) -> tuple[int, Any]:
        found = [p for p in self.projects.values() if query["title"] in p["title"]]
        size, page = 1, int(query["page"])  # one on a page, so that pages are turned
        more = "more" if len(found) > size * page else None
        return 200, {"next": more, "results": found[size * (page - 1) : size * page]}

    def _create(self, _: Any, content: Any) -> tuple[int, Any]:
        if len(content["title"]) > 50:
            raise RefusedError(400, "Ensure this field has no more than 50 characters.")
        number = next(self._number)
        self.projects[number] = {"id": number, **DEFAULTS, **content}
        return 201, self.projects[number]

    def _get(self, project: int, *_: Any) -> tuple[int, Any]:
        return 200, self.projects[project]

    def _patch(self, project: int, _: Any, content: Any) -> tuple[int, Any]:
        versions = {p["model_version"] for p in self.predictions if p["project"] == project}
        if "model_version" in content and content["model_version"] not in versions:
            raise RefusedError(400, "Model version doesn't exist")
        self.projects[project] |= content
        return 200, self.projects[project]

    def _import(self, project: int, _: Any, content: Any) -> tuple[int, Any]:
        shown = re.findall(r'value="\$([^"]*)"', self.projects[project]["label_config"])
        for task in content:
            if missing := [column for column in shown if column not in task["data"]]:
                raise RefusedError(400, f"{missing[0]!r} key is expected in task data")
        for task in content:
            number = next(self._number)
            self.tasks[number] = {
                "id": number,
                "project": project,
                "data": task["data"],
                "annotations": [],
            }
            for prediction in task.get("predictions", []):
                self.predictions.append({"task": number, "project": project, **prediction})
        return 201, {"task_count": len(content)}

    def _predict(self, project: int, _: Any, content: Any) -> tuple[int, Any]:
        for prediction in content:
            if prediction["task"] not in self.tasks:
                raise RefusedError(400, "task ID not found in project")
        kept = [p for p in content if 0.0 <= p["score"] <= 1.0]  # the others go without a word
        self.predictions += [{"project": project, **prediction} for prediction in kept]
        return 201, {"created": len(kept)}

    def _versions(self, project: int, *_: Any) -> tuple[int, Any]:
        counts: dict[str, int] = {}
        for prediction in self.predictions:
            if prediction["project"] == project:
                version = prediction["model_version"]
                counts[version] = counts.get(version, 0) + 1
        return 200, counts

    def _drop(self, project: int, _: Any, content: Any) -> tuple[int, Any]:
        key = (project, content["model_version"])
        kept = [p for p in self.predictions if (p["project"], p["model_version"]) != key]
        n_dropped = len(self.predictions) - len(kept)
        self.predictions = kept
        return 200, {"deleted_predictions": n_dropped}

    def _tasks(self, query: Any, _: Any) -> tuple[int, Any]:
        is_whole = query.get("fields") == "all"
        project, page, size = (int(query[name]) for name in ("project", "page", "page_size"))
        size = min(size, self.most_per_page)
        if project not in self.projects:
            raise RefusedError(404, "No Project matches the given query.")
        found = [task for task in self.tasks.values() if task["project"] == project]
        shown = found[size * (page - 1) : size * page]
        if page > 1 and not shown:
            raise RefusedError(404, "Invalid page.")
        few = [{"id": task["id"], "data": task["data"]} for task in shown]
        return 200, {"total": len(found), "tasks": shown if is_whole else few}


@contextmanager
def fake_label_studio() -> Iterator[FakeLabelStudio]:
    """Run the server on a free port of this machine."""
    fake = FakeLabelStudio()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 2**16  # answers leave in one piece: the second would wait for the caller

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            token = self.headers.get("Authorization", "")
            status, content = fake.reply(
                self.command, self.path, token, json.loads(body) if body else None
            )
            text = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    server = Server(("127.0.0.1", 0), Handler)
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
