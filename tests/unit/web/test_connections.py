"""Limits on connections, over real sockets: whoever keeps the server waiting gives way."""

import asyncio
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from patience import PATIENCE_S

from accuracy_assay.errors import InputError
from accuracy_assay.web.connections import (
    Connections,
    Limits,
    _neighbourhood,
    named_proxies,
    protocol_of,
)

SOON_S = 0.2
NEVER_S = 10.0 * PATIENCE_S
PATIENT = {
    "headers_s": NEVER_S,
    "body_s": NEVER_S,
    "unread_s": NEVER_S,
    "idle_s": NEVER_S,
}
HELLO = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
STREAM = b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer at once, send events for ever, or send more than anyone buffers."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/stream":
        gone = asyncio.ensure_future(receive())
        while not gone.done():
            await send({"type": "http.response.body", "body": b"event\n", "more_body": True})
            await asyncio.wait([gone], timeout=0.02)
    if scope["path"] == "/large":
        for _ in range(1_000):
            await send({"type": "http.response.body", "body": bytes(2**16), "more_body": True})
    await send({"type": "http.response.body", "body": b"hello"})


@dataclass
class Running:
    """A server with limits, and the connections that a test opens to it."""

    book: Connections
    port: int
    lines: list[socket.socket] = field(default_factory=list)

    def connect(self, sent: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
        """Open a connection, send something, and wait until the server has heard of it."""
        line = socket.create_connection(("127.0.0.1", self.port), PATIENCE_S, (source, 0))
        self.lines.append(line)
        line.sendall(sent)
        own = line.getsockname()
        wait_until(lambda: has_news(line) or own in {each.client for each in self.book.open})
        return line

    def hello(self, source: str = "127.0.0.1") -> socket.socket:
        """Open a connection, get an answer, and leave it idle."""
        line = self.connect(HELLO, source)
        assert read_until(line, b"0\r\n\r\n").startswith(b"HTTP/1.1 200")
        return line

    def stream(self, source: str = "127.0.0.1") -> socket.socket:
        """Open a stream."""
        line = self.connect(STREAM, source)
        read_until(line, b"event")
        return line


def wait_until(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.005)


def read_until(line: socket.socket, end: bytes) -> bytes:
    found = b""
    while end not in found:
        part = line.recv(4096)
        assert part, found
        found += part
    return found


def has_news(line: socket.socket) -> bool:
    return bool(select.select([line], [], [], 0.0)[0])


def is_over(line: socket.socket) -> bool:
    """Return whether the server has closed a connection; anything it sent before stays unread."""
    if not has_news(line):
        return False
    try:
        return line.recv(1, socket.MSG_PEEK) == b""
    except ConnectionError:
        return True


@contextmanager
def running(limits: Limits, proxies: tuple[str, ...] = ()) -> Iterator[Running]:
    book = Connections(limits, named_proxies(proxies))
    http: Any = protocol_of(book)
    config = uvicorn.Config(
        app,
        http=http,
        ws="none",
        log_config=None,
        lifespan="off",
        timeout_keep_alive=int(NEVER_S),
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        found = Running(book, port)
        try:
            yield found
        finally:
            for line in found.lines:
                line.close()
            server.should_exit = True
            thread.join(PATIENCE_S)
    assert book.open == ()
    assert book._of_one == {}


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_connection_without_a_whole_head_is_closed(sent: bytes) -> None:
    with running(Limits(**{**PATIENT, "headers_s": SOON_S})) as server:
        line = server.connect(sent)
        assert line.recv(10) == b""


def test_a_byte_now_and_then_buys_no_time() -> None:
    with running(Limits(**{**PATIENT, "headers_s": SOON_S})) as server:
        line = server.connect(b"GET / HTTP/1.1\r\nX: ")
        give_up = time.monotonic() + PATIENCE_S
        with suppress(ConnectionError):
            while not is_over(line):
                line.sendall(b"x")
                time.sleep(SOON_S / 10.0)
                assert time.monotonic() < give_up


def test_so_it_is_for_a_second_request_on_one_connection() -> None:
    with running(Limits(**{**PATIENT, "headers_s": SOON_S})) as server:
        line = server.hello()
        line.sendall(b"G")
        assert line.recv(10) == b""


@pytest.mark.parametrize("coding", ["Content-Length: 9", "Transfer-Encoding: chunked"])
def test_a_body_that_does_not_come_is_not_awaited_for_long(coding: str) -> None:
    with running(Limits(**{**PATIENT, "body_s": SOON_S})) as server:
        head = f"POST / HTTP/1.1\r\nHost: x\r\n{coding}\r\n\r\n"
        line = server.connect(head.encode() + b"1")
        while line.recv(4096):
            pass
        assert is_over(line)


def test_an_idle_connection_is_closed() -> None:
    with running(Limits(**{**PATIENT, "idle_s": SOON_S})) as server:
        line = server.hello()
        assert line.recv(10) == b""


def test_who_does_not_read_is_not_written_to_for_ever() -> None:
    with running(Limits(**{**PATIENT, "unread_s": SOON_S})) as server:
        server.connect(LARGE)
        wait_until(lambda: len(server.book.open) == 0)


def test_a_stream_that_is_read_has_no_end() -> None:
    quick = dict.fromkeys(PATIENT, SOON_S)
    with running(Limits(**quick)) as server:
        line = server.stream()
        begin = time.monotonic()
        while time.monotonic() - begin < 3.0 * SOON_S:
            assert line.recv(4096)


def test_a_new_connection_takes_the_place_of_one_that_has_sent_nothing() -> None:
    with running(Limits(most=20, most_of_one=4, **PATIENT)) as server:
        idle, stream = server.hello(), server.stream()
        first, second = server.connect(), server.connect(b"GET /")
        server.hello()
        wait_until(lambda: is_over(first))
        server.hello()
        wait_until(lambda: is_over(second))
        assert not is_over(idle)
        server.hello()
        wait_until(lambda: is_over(idle))
        assert read_until(stream, b"event")
        assert len(server.book.open) == 4


def test_late_bodies_give_way_before_idle_connections() -> None:
    with running(Limits(most=20, most_of_one=2, **PATIENT)) as server:
        idle = server.hello()
        late = server.connect(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
        server.hello()
        wait_until(lambda: is_over(late))
        assert not is_over(idle)


def test_an_address_does_not_take_the_places_of_others() -> None:
    with running(Limits(most=6, most_of_one=3, **PATIENT)) as server:
        streams = [server.stream("127.0.0.2") for _ in range(2)]
        for _ in range(20):
            server.connect(source="127.0.0.3")
        assert len(server.book.open) == 5
        server.hello("127.0.0.2")
        for k in range(20):
            server.connect(source=f"127.0.1.{k}")
        assert len(server.book.open) == 6
        for stream in streams:
            assert read_until(stream, b"event")


def test_if_all_are_at_work_a_new_one_is_refused_in_words() -> None:
    with running(Limits(most=3, most_of_one=2, **PATIENT)) as server:
        kept = [server.stream() for _ in range(2)]
        line = server.connect()
        assert read_until(line, b"try again.\n").startswith(b"HTTP/1.1 503")
        kept.append(server.stream("127.0.0.2"))
        line = server.connect(source="127.0.0.3")
        assert read_until(line, b"try again.\n").startswith(b"HTTP/1.1 503")
        kept.pop().close()
        wait_until(lambda: len(server.book.open) == 2)
        server.hello("127.0.0.3")


def test_a_named_proxy_may_have_all_places() -> None:
    with running(Limits(most=5, most_of_one=2, **PATIENT), ("127.0.0.9",)) as server:
        lines = [server.stream("127.0.0.9") for _ in range(5)]
        assert all(read_until(line, b"event") for line in lines)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such limit")
def test_the_system_is_asked_to_end_connections_of_the_dead() -> None:
    with running(Limits(dead_s=7.0, **PATIENT)) as server:
        server.hello()
        (protocol,) = server.book.open
        line = protocol.transport.get_extra_info("socket")
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 7_000


@pytest.mark.parametrize(
    ("host", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_one_customer_is_one_address(host: str, other: str, is_same: bool) -> None:
    assert (_neighbourhood(host) == _neighbourhood(other)) == is_same


@pytest.mark.parametrize("n_files", [10, 64, 128, 256, 512, 1024, 4096, 2**20])
def test_limits_leave_files_for_the_rest(n_files: int) -> None:
    limits = Limits.for_files(n_files)
    assert 1 <= limits.accepted_at_once <= limits.most
    assert 1 <= limits.most_of_one < limits.most <= 1_000
    assert limits.most_streams < limits.most
    if n_files >= 256:
        assert limits.most + 4 * limits.accepted_at_once + 128 <= n_files


@pytest.mark.parametrize("name", ["*", "lab.example", "127.0.0.1:80", "", "10.0.0.1/8"])
def test_a_proxy_must_have_an_address(name: str) -> None:
    with pytest.raises(InputError, match="proxy must be an IP address"):
        named_proxies([name])
