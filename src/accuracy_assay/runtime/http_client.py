"""HTTP calls that end: with a whole answer within a limit of time and size, or with an error.

The timeouts of httpx bound each wait for the next bytes, so a server that sends one byte per
second never times out. Here a clock runs over the whole call and closes its connection. Each
thread has its own connection, so the clock knows which one to close.
"""

from __future__ import annotations

import logging
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.secrets import hide_secrets

__all__ = ["THREAD_NAMES", "Answer", "AnswerError", "BoundedClient", "quiet_logs"]

THREAD_NAMES = "assay-http"
"""Prefix of the names of threads that make calls."""
_PASSING = frozenset({408, 425, 429})
"""Refusals that pass, beside 5xx: a slow request, one that came too early, too many at once."""
_LOGGERS = ("httpx", *(f"httpcore.{p}" for p in ("connection", "http11", "http2", "proxy")))
_HEADERS = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "accuracy-assay"}
"""Headers that a request may override; only packings that can be unpacked are asked for."""
_ZLIB_OR_GZIP = 47
"""The window of zlib that takes either header, at its largest."""


class AnswerError(Exception):
    """An answer that is too large, or packed in a way that cannot be read."""


@dataclass(frozen=True)
class Answer:
    """What a server sent, unpacked."""

    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def is_success(self) -> bool:
        """Whether the server did what it was asked."""
        return 200 <= self.status < 300

    @property
    def is_passing(self) -> bool:
        """Whether this is a refusal that may be gone a moment later."""
        return self.status in _PASSING or self.status >= 500


class BoundedClient:
    """Makes calls from any thread; close it when all of them have ended."""

    def __init__(self, transport: httpx.BaseTransport | None = None) -> None:
        self._transport = transport
        self._own = threading.local()
        self._lines: list[_Line] = []
        self._certificates = _certificates()
        self._lines.append(self._open())  # a proxy that cannot be used is found before any call

    def send(self, request: httpx.Request, seconds: float, max_bytes: int) -> Answer:
        """Return the answer to a request.

        Raises
        ------
        httpx.HTTPError
            If it is not whole within ``seconds``.
        AnswerError
            If it has more than ``max_bytes``, packed or unpacked.
        """
        line: _Line | None = getattr(self._own, "line", None)
        if line is None:
            line = self._own.line = self._open()
            self._lines.append(line)
        return line.send(request, seconds, max_bytes)

    def close(self) -> None:
        """Close every connection."""
        for line in self._lines:
            line.client.close()

    def _open(self) -> _Line:
        try:
            client = httpx.Client(
                transport=self._transport,
                verify=self._certificates,
                limits=httpx.Limits(max_connections=1),
            )
        except (ValueError, httpx.InvalidURL, ImportError) as error:
            raise InputError(
                "proxies in the environment must be addresses that can be used; got "
                f"{hide_secrets(str(error))!r}. See HTTP_PROXY, HTTPS_PROXY and ALL_PROXY."
            ) from None
        return _Line(client)


@dataclass
class _Line:
    """The client of one thread and the connection that it has open."""

    client: httpx.Client
    stream: Any = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_busy: bool = False
    is_late: bool = False

    def send(self, request: httpx.Request, seconds: float, max_bytes: int) -> Answer:
        request.extensions = {
            "timeout": httpx.Timeout(seconds).as_dict(),
            "trace": self._note_connection,
        }
        for name, text in _HEADERS.items():
            request.headers.setdefault(name, text)
        end = time.monotonic() + seconds
        late = httpx.ReadTimeout(f"no whole answer within {seconds:g} s", request=request)
        with self._clock(seconds):
            try:
                response = self.client.send(request, stream=True)
                try:
                    content = _read(response, max_bytes, end)
                finally:
                    response.close()
            except httpx.TransportError as error:
                # Where nothing came at all, the clock of httpx may strike first.
                if self.is_late or isinstance(error, httpx.ReadTimeout):
                    raise late from None
                raise
            if content is None or self.is_late:
                raise late
        return Answer(
            response.status_code, response.headers, _unpacked(response, content, max_bytes)
        )

    @contextmanager
    def _clock(self, seconds: float) -> Iterator[None]:
        self.is_busy, self.is_late = True, False
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self.lock:
                self.is_busy = False

    def _note_connection(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self.stream = info["return_value"]
            if self.is_late:
                self._cut()

    def _cut(self) -> None:
        with self.lock:
            if not self.is_busy:
                return  # the call ended in the meantime
            self.is_late = True
            stream = self.stream
            found = None if stream is None else stream.get_extra_info("socket")
            if isinstance(found, socket.socket):
                with suppress(OSError):
                    # Not the method of a TLS socket, which would change it under its reader.
                    socket.socket.shutdown(found, socket.SHUT_RDWR)


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates, read once per process: there are hundreds."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise InputError(
            f"certificates of the environment must be readable; got {error}. See SSL_CERT_FILE "
            "and SSL_CERT_DIR."
        ) from None


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Keep httpx from logging our calls: its lines hold addresses, which may hold a secret."""
    others = _OtherThreads()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(others)


class _OtherThreads(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.threadName or "").startswith(THREAD_NAMES)


def _read(response: httpx.Response, max_bytes: int, end: float) -> bytes | None:
    """Return the bytes as they came; None if time ran out."""
    declared = response.headers.get("Content-Length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > max_bytes:
        raise AnswerError(_too_large(max_bytes))
    content = bytearray()
    for chunk in [response.content] if response.is_stream_consumed else response.iter_raw():
        content += chunk
        if len(content) > max_bytes:
            raise AnswerError(_too_large(max_bytes))
        if time.monotonic() > end:
            return None
    return bytes(content)


def _unpacked(response: httpx.Response, content: bytes, max_bytes: int) -> bytes:
    packing = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packing in ("", "identity") or not content:
        return content
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise AnswerError(f"an answer packed as {packing[:40]!r}, which was not asked for")
    try:
        whole = zlib.decompressobj(_ZLIB_OR_GZIP).decompress(content, max_bytes + 1)
    except zlib.error:
        raise AnswerError(f"an answer that is said to be {packing} and is not") from None
    if len(whole) > max_bytes:
        raise AnswerError(_too_large(max_bytes))
    return whole


def _too_large(max_bytes: int) -> str:
    return (
        f"an answer of more than {max_bytes / 2**20:.3g} MB. If that is right, raise "
        "max_answer_mb of the service"
    )
