"""A small HTTP server whose answers a test decides, on a free port of this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Call", "Endpoint", "Reply", "endpoint"]


@dataclass(frozen=True)
class Call:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    content: Any


@dataclass(frozen=True)
class Reply:
    """What to send back: JSON values are encoded, bytes are sent as they are.

    An iterator of bytes is sent piece by piece, without saying how much there is.
    """

    content: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    reason: str | None = None


@dataclass
class Endpoint:
    """A running server and the calls that it got."""

    url: str
    calls: list[Call] = field(default_factory=list)


@contextmanager
def endpoint(answer: Callable[[Call], Reply]) -> Iterator[Endpoint]:
    """Run a server that answers each call with ``answer``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            call = Call(self.path, dict(self.headers), json.loads(body) if body else None)
            running.calls.append(call)
            reply = answer(call)
            is_in_pieces = isinstance(reply.content, Iterator)
            pieces = reply.content if is_in_pieces else [_raw(reply.content)]
            try:
                self.send_response(reply.status, reply.reason)
                for name, text in reply.headers.items():
                    self.send_header(name, text)
                if not is_in_pieces and "Content-Length" not in reply.headers:
                    self.send_header("Content-Length", str(len(pieces[0])))
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(piece)
            except OSError:
                return  # the caller has gone, as one that ran out of time does

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    running = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/predict")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _raw(content: Any) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content).encode()
