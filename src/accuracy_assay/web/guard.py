"""The guard that every request passes first.

It checks the host, the size and the rate of requests, and tells browsers what pages may do.
"""

from __future__ import annotations

import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SAFE_METHODS", "TOO_OFTEN", "Guard", "RateLimit", "allowed_hosts"]

_log = logging.getLogger(__name__)

_POLICY = "; ".join(
    (
        "default-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": browsers would then hide the origin of a form that is sent to us.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_MOST_BYTES = 1_000_000
"""Of a request: a thousand answers of a few hundred bytes each fit."""
_LONGEST_ADDRESS = 8_000
"""Bytes of path and query: a view's whole state fits."""
_MOST_DIGITS = 18
"""Of a length in a header; Python refuses to parse numbers with thousands of digits."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
TOO_OFTEN = "too many requests; wait a moment."
_FAILED = "something went wrong on the server; it was logged."


@dataclass
class RateLimit:
    """A token bucket per client, filled at a steady rate.

    Parameters
    ----------
    per_second
        Requests per second that are always served.
    burst
        Requests at once, after a pause.
    most_known
        Clients remembered; the one that was quiet longest is forgotten first.
    """

    per_second: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    most_known: int = 10_000
    _known: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, who: str) -> float:
        """Count a request; return how many seconds the client must wait, 0 if none."""
        now = self.clock()
        left, since = self._known.pop(who, (self.burst, now))
        left = min(self.burst, left + self.per_second * (now - since))
        is_free = left >= 1.0
        self._known[who] = (left - 1.0 if is_free else left, now)
        if len(self._known) > self.most_known:
            self._known.popitem(last=False)
        return 0.0 if is_free else (1.0 - left) / self.per_second


class Guard:
    """ASGI middleware that refuses bad requests and sets security headers.

    Parameters
    ----------
    app
        The application behind it.
    hosts
        Values of ``Host`` that are served; anything else may be DNS rebinding.
    limit
        How often one address may send requests.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], limit: RateLimit) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        is_begun, bounded = False, _Bounded(receive)

        async def send_guarded(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                if bounded.is_over and message["status"] == 400:
                    message["status"] = 413  # cut off, so the app could not parse it
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        try:
            await self.app(scope, bounded, send_guarded)
        except Exception:  # the client sees no internals
            _log.exception("a request failed")
            if not is_begun:
                await _refuse(500, _FAILED)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return _refuse(421, f"Host must be one of {sorted(self.hosts)}; got another.")
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_ADDRESS:
            return _refuse(414, f"address must have at most {_LONGEST_ADDRESS} bytes.")
        if not _is_small(headers.get("content-length", "0")):
            return _refuse(413, f"request must have at most {_MOST_BYTES} bytes.")
        if scope["method"] not in SAFE_METHODS and not _is_from(headers, host):
            return _refuse(403, "Origin must be this server's own; got another.")
        wait = self.limit.wait(scope["client"][0] if scope["client"] else "")
        if wait > 0.0:
            refusal = _refuse(429, TOO_OFTEN)
            refusal.headers["Retry-After"] = str(math.ceil(wait))
            return refusal
        return None


class _Bounded:
    """Reads a request up to the limit, whatever its header says."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.n_bytes = 0

    @property
    def is_over(self) -> bool:
        """Whether the request is over the limit."""
        return self.n_bytes > _MOST_BYTES

    async def __call__(self) -> Message:
        message = await self.receive()
        self.n_bytes += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.is_over else message


def allowed_hosts(host: str, port: int, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the values of ``Host`` that a server answers to.

    Examples
    --------
    >>> allowed_hosts("127.0.0.1", 8080, ["lab.example"])
    ('127.0.0.1:8080', 'localhost:8080', '[::1]:8080', 'lab.example', 'lab.example:8080')
    """
    own = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    if host not in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::"):
        own.append(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    for name in names:
        own += [name] if ":" in name else [name, f"{name}:{port}"]
    return tuple(dict.fromkeys(own))


def _is_small(length: str) -> bool:
    is_number = length.isascii() and length.isdecimal() and len(length) <= _MOST_DIGITS
    return is_number and int(length) <= _MOST_BYTES


def _is_from(headers: Headers, host: str) -> bool:
    """Return whether a request for a change comes from a page of this server.

    Programs send no ``Origin``; a browser always does for requests from another site.
    """
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc.lower() == host
    except ValueError:  # such as an open bracket
        return False


def _refuse(status: int, why: str) -> JSONResponse:
    return JSONResponse({"detail": why}, status)
