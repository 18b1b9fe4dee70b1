"""A stranger who opens thousands of connections, and what everyone else notices of it: nothing."""

import os
import resource
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from page_rows import make_pool
from page_server import PageServer, serve_pool
from patience import PATIENCE_S

N_SOCKETS = 2_000
N_ADDRESSES = 8
HALVES = (b"", b"GET", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"POST /api/tell HTTP/1.1\r\nX: ")


@pytest.fixture(scope="module", autouse=True)
def _many_files() -> Iterator[None]:
    """This process holds one end of every connection."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * N_SOCKETS if hard == resource.RLIM_INFINITY else min(hard, 2 * N_SOCKETS)
    assert wanted > N_SOCKETS + 200, f"this test needs more open files than {hard}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORWARDED_ALLOW_IPS", "*")  # which only --proxy may say
        folder = tmp_path_factory.mktemp("flood")
        attribute = [{"name": "sex"}]
        with serve_pool(folder, make_pool(), n_files=1024, attribute=attribute) as running:
            yield running


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """A server behind a proxy on this machine, with 64 places for connections."""
    folder, words = tmp_path_factory.mktemp("proxy"), ("--proxy", "127.0.0.1")
    attribute = [{"name": "sex"}]
    with serve_pool(folder, make_pool(), *words, n_files=256, attribute=attribute) as running:
        yield running


def headers_of(server: PageServer, who: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.invite(who, is_link=False)}"}


def work(client: httpx.Client) -> None:
    """Label one instance."""
    (item,) = client.post("/api/ask", json={"n": 1}).json()["items"]
    body = {"answers": [{"id": item["id"], "label": "cat"}]}
    assert client.post("/api/tell", json=body).json() == {"recorded": 1}


def wait_until_closed(lines: list[socket.socket]) -> None:
    """Wait until the server has closed every one of the connections."""
    poller, open_ones = select.poll(), {line.fileno() for line in lines}
    for number in open_ones:
        poller.register(number, select.POLLRDHUP | select.POLLHUP)
    give_up = time.monotonic() + PATIENCE_S
    while open_ones:
        assert time.monotonic() < give_up, f"{len(open_ones)} connections are still open"
        for number, _ in poller.poll(1000):
            poller.unregister(number)
            open_ones.discard(number)


def test_thousands_of_half_open_connections_keep_nobody_out(server: PageServer) -> None:
    said = len(server.log)
    ann = httpx.Client(base_url=server.url, headers=headers_of(server, "ann"), timeout=PATIENCE_S)
    assert server.process is not None
    files = f"/proc/{server.process.pid}/fd"
    with ExitStack() as opened:
        opened.enter_context(ann)
        stream = opened.enter_context(ann.stream("GET", "/api/live"))
        heard = stream.iter_lines()
        assert next(heard) == "event: surface"
        lines = []
        for k in range(N_SOCKETS):
            # First one stranger, then several.
            source = "127.0.0.1" if k < N_SOCKETS / 2 else f"127.0.1.{k % N_ADDRESSES}"
            address = ("127.0.0.1", server.port)
            line = socket.create_connection(address, PATIENCE_S, (source, 0))
            lines.append(opened.enter_context(line))
            line.sendall(HALVES[k % len(HALVES)])
            if k % 200 == 199:
                work(ann)
                with httpx.Client(base_url=server.url, timeout=PATIENCE_S) as other:
                    other.headers.update(ann.headers)
                    assert other.get("/").status_code == 200
                assert len(os.listdir(files)) < 1_000
        wait_until_closed(lines)
        work(ann)
        assert any(line.startswith("data: ") for line in heard)  # the stream went on
    new = server.log[said:]
    assert len(new) < 20
    assert sum(map(len, new)) < 10_000
    assert not [line for line in new if "Traceback" in line or "Too many open files" in line]
    assert server.process.poll() is None


def open_streams(server: PageServer, opened: ExitStack, *people: str) -> Counter[bytes]:
    """Open a stream for each of the people, all at once; return how many got which status."""
    tokens = {who: headers_of(server, who)["Authorization"] for who in set(people)}
    lines = [
        opened.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE_S))
        for _ in people
    ]
    for line, who in zip(lines, people, strict=True):
        head = f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        line.sendall(f"{head}Authorization: {tokens[who]}\r\n\r\n".encode())
    return Counter(line.recv(4096)[9:12] for line in lines)


def test_streams_that_are_opened_at_once_are_all_counted(server: PageServer) -> None:
    with ExitStack() as opened:
        assert open_streams(server, opened, *["eve"] * 60) == {b"200": 30, b"503": 30}


def test_streams_leave_half_of_the_places_to_requests(proxied: PageServer) -> None:
    people = [f"p{k % 4}" for k in range(50)]
    with ExitStack() as opened:
        assert open_streams(proxied, opened, *people) == {b"200": 32, b"503": 18}
        with httpx.Client(base_url=proxied.url, timeout=PATIENCE_S) as client:
            client.headers.update(headers_of(proxied, "pat"))
            work(client)


def test_who_says_that_they_are_someone_else_is_not_believed(server: PageServer) -> None:
    with httpx.Client(base_url=server.url, timeout=PATIENCE_S) as stranger:
        found = []
        for k in range(200):
            headers = {"Authorization": f"Bearer {k}", "X-Forwarded-For": f"203.0.113.{k}"}
            found.append(stranger.get("/api/status", headers=headers).status_code)
            if found[-1] == 429:
                break
        link = server.invite("mo")
        joined = stranger.post(link, headers={"X-Forwarded-Proto": "https"})
    assert found[-1] == 429
    assert "secure" not in joined.headers["set-cookie"].lower()


def test_a_named_proxy_speaks_for_those_behind_it(proxied: PageServer) -> None:
    with httpx.Client(base_url=proxied.url, timeout=PATIENCE_S) as proxy:
        for k in range(60):
            headers = {"Authorization": f"Bearer {k}", "X-Forwarded-For": f"203.0.113.{k}"}
            assert proxy.get("/api/status", headers=headers).status_code == 401
        joined = proxy.post(proxied.link, headers={"X-Forwarded-Proto": "https"})
        assert "secure" in joined.headers["set-cookie"].lower()


def test_identical_answers_at_once_are_recorded_once(server: PageServer) -> None:
    headers = headers_of(server, "ida")
    n_clients = 8
    start = threading.Barrier(n_clients)

    def tell(instance: str) -> int:
        with httpx.Client(base_url=server.url, headers=headers, timeout=PATIENCE_S) as client:
            client.get("/api/status")
            start.wait(PATIENCE_S)
            body = {"answers": [{"id": instance, "label": "dog"}]}
            return int(client.post("/api/tell", json=body).json()["recorded"])

    with ThreadPoolExecutor(n_clients) as threads:
        for instance in make_pool()["id"][:5]:
            assert sum(threads.map(tell, [instance] * n_clients)) == 1
    assert len(server.answers("ida")) == 5
