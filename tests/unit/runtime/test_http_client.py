"""Calls end: by their seconds, however slowly bytes come, and by their bytes, however packed."""

import gzip
import itertools
import logging
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import httpx
import pytest
from http_endpoint import Reply, endpoint
from patience import PATIENCE_S

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.http_client import (
    THREAD_NAMES,
    Answer,
    AnswerError,
    BoundedClient,
    quiet_logs,
)

MB = 2**20
PAUSE_S = 0.05
"""Between two bytes of a server that is slow: less than a call has."""


def get(url: str, seconds: float = PATIENCE_S, max_bytes: int = MB) -> Answer:
    with closing(BoundedClient()) as client:
        return client.send(httpx.Request("GET", url), seconds, max_bytes)


def drip() -> Iterator[bytes]:
    """Give a byte now and then, until the other side has gone."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        time.sleep(PAUSE_S)
        yield b" "


@contextmanager
def dripping_headers() -> Iterator[str]:
    """Run a server that sends its status line and then one byte of a header at a time."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                    for piece in drip():
                        connection.sendall(piece)
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


def test_an_answer_is_its_status_headers_and_bytes() -> None:
    with endpoint(lambda _: Reply({"a": 1}, 201, {"X-Own": "yes"})) as server:
        answer = get(server.url)
    assert (answer.status, answer.headers["X-Own"], answer.content) == (201, "yes", b'{"a": 1}')


def test_a_body_that_comes_byte_by_byte_is_cut() -> None:
    with endpoint(lambda _: Reply(drip())) as server:
        started = time.monotonic()
        with pytest.raises(httpx.ReadTimeout, match=r"no whole answer within 0\.3 s"):
            get(server.url, seconds=0.3)
        assert time.monotonic() - started < PATIENCE_S / 2.0


def test_headers_that_come_byte_by_byte_are_cut() -> None:
    with dripping_headers() as url:
        started = time.monotonic()
        with pytest.raises(httpx.ReadTimeout, match=r"no whole answer within 0\.3 s"):
            get(url, seconds=0.3)
        assert time.monotonic() - started < PATIENCE_S / 2.0


def test_a_kept_connection_is_cut_too_and_the_next_call_works() -> None:
    replies = [Reply("first"), Reply(drip()), Reply("third")]
    with endpoint(lambda _: replies.pop(0)) as server, closing(BoundedClient()) as client:
        request = httpx.Request("GET", server.url)
        assert client.send(request, PATIENCE_S, MB).content == b'"first"'
        with pytest.raises(httpx.ReadTimeout):
            client.send(request, 0.3, MB)
        assert client.send(request, PATIENCE_S, MB).content == b'"third"'


def test_an_answer_that_says_it_is_too_large_is_not_read() -> None:
    reply = Reply(b"{}", headers={"Content-Length": str(2**31)})
    with (
        endpoint(lambda _: reply) as server,
        pytest.raises(AnswerError, match=r"more than 1 MB. .* raise max_answer_mb"),
    ):
        get(server.url)


def test_an_answer_without_end_is_cut_at_its_bytes() -> None:
    sent = itertools.count()
    pieces = (b"x" * 65536 for _ in itertools.takewhile(lambda n: n < 10_000, sent))
    with (
        endpoint(lambda _: Reply(pieces)) as server,
        pytest.raises(AnswerError, match="more than 1 MB"),
    ):
        get(server.url)
    assert next(sent) < 1000  # of the 10,000 pieces; some wait in buffers


def test_a_small_answer_that_unpacks_to_a_large_one_is_refused() -> None:
    packed = gzip.compress(b" " * (64 * MB))
    assert len(packed) < MB
    reply = Reply(packed, headers={"Content-Encoding": "gzip"})
    with endpoint(lambda _: reply) as server, pytest.raises(AnswerError, match="more than 1 MB"):
        get(server.url)


def test_packed_answers_are_unpacked() -> None:
    reply = Reply(gzip.compress(b"[1]"), headers={"Content-Encoding": "gzip"})
    with endpoint(lambda _: reply) as server:
        assert get(server.url).content == b"[1]"


@pytest.mark.parametrize(
    ("packing", "message"), [("br", "packed as 'br'"), ("gzip", "said to be gzip and is not")]
)
def test_an_answer_that_cannot_be_unpacked_is_refused(packing: str, message: str) -> None:
    reply = Reply(b"[1]", headers={"Content-Encoding": packing})
    with endpoint(lambda _: reply) as server, pytest.raises(AnswerError, match=message):
        get(server.url)


def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://ann:hunter2@proxy:1")
    with pytest.raises(InputError, match="proxies in the environment must be") as caught:
        BoundedClient()
    assert "hunter2" not in str(caught.value)


def test_httpx_logs_nothing_of_our_calls_and_all_of_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def call(url: str) -> None:
        with httpx.Client(trust_env=False) as client:
            client.get(url)

    caplog.set_level(logging.DEBUG)
    with (
        endpoint(lambda _: Reply("ok")) as server,
        quiet_logs(),
        ThreadPoolExecutor(1, THREAD_NAMES) as pool,
    ):
        pool.submit(call, f"{server.url}?q=ours").result()
        call(f"{server.url}?q=theirs")
    assert "q=theirs" in caplog.text
    assert "q=ours" not in caplog.text
    assert not any((r.threadName or "").startswith(THREAD_NAMES) for r in caplog.records)
