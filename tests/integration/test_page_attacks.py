"""What an attacker sends to a real server: each is refused plainly, and the server goes on."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import httpx
import polars as pl
import pytest
from page_server import PageServer, serve_pool
from patience import PATIENCE_S

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"
GUARDED = {
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
}
PICTURES = {
    "inside": "inside.png",
    "deep": "deep/../inside.png",
    "above": "../secret.png",
    "far": "deep/../../secret.png",
    "absolute": "/etc/passwd",
    "link": "link.png",
    "folder": "out/secret.png",
    "svg": "svg.png",
    "html": "html.jpg",
    "data-svg": "data:image/png;base64,PHN2Zz4=",
    "other-host": "https://evil.example/x.png",
    "missing": "none.png",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    folder = tmp_path_factory.mktemp("attack")
    (folder / "secret.png").write_bytes(PNG)
    media = folder / "media"
    (media / "deep").mkdir(parents=True)
    (media / "inside.png").write_bytes(PNG)
    (media / "svg.png").write_bytes(SVG)
    (media / "html.jpg").write_bytes(HTML)
    (media / "link.png").symlink_to(folder / "secret.png")
    (media / "out").symlink_to(folder)
    pool = pl.DataFrame(
        {
            "id": [*PICTURES, *(f"x{i}" for i in range(20))],
            "sex": ["f", "m"] * 16,
            "band": ["a"] * 16 + ["b"] * 16,
            "guess": ["cat"] * 32,
            "picture": [*PICTURES.values(), *["inside.png"] * 20],
            "secret": ["inside.png"] * 32,
        }
    )
    label = {"choices": ["cat", "dog"], "show": {"image": "picture"}}
    where = {"media": str(media)}
    with serve_pool(folder, pool, pool=where, label=label) as running:
        yield running


@pytest.fixture(scope="module")
def ann(server: PageServer) -> Iterator[httpx.Client]:
    """An annotator's program."""
    token = server.invite("ann", is_link=False)
    with httpx.Client(
        base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_S
    ) as client:
        yield client


@pytest.fixture
def session(server: PageServer) -> Iterator[httpx.Client]:
    """An annotator's browser: a session by a cookie, which is sent whoever asks for it."""
    with httpx.Client(base_url=server.url, follow_redirects=True, timeout=PATIENCE_S) as client:
        assert client.post(server.invite("bob")).status_code == 200
        yield client


def send(server: PageServer, request: bytes) -> str:
    """Send bytes as they are; return all that comes back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as line:
        found = b""
        with suppress(ConnectionError):  # it may refuse and go before all was sent
            line.sendall(request)
            while part := line.recv(65_536):
                found += part
    return found.decode("latin-1")


def forms_token(client: httpx.Client) -> str:
    return client.get("/").text.split('name="csrf" content="')[1].split('"')[0]


def test_a_session_changes_nothing_without_the_token_of_its_forms(session: httpx.Client) -> None:
    assert session.post("/api/ask", json={"n": 1}).status_code == 403
    for wrong in ("", "0" * 64, "ä"):
        headers = {"X-CSRF-Token": wrong.encode()}
        assert session.post("/api/ask", json={"n": 1}, headers=headers).status_code == 403
    right = {"X-CSRF-Token": forms_token(session)}
    assert session.post("/api/ask", json={"n": 1}, headers=right).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_another_site_changes_nothing_even_with_the_token_of_forms(
    session: httpx.Client, headers: dict[str, str]
) -> None:
    right = {"X-CSRF-Token": forms_token(session)}
    found = session.post("/api/ask", json={"n": 1}, headers={**right, **headers})
    assert found.status_code == 403
    assert set(found.headers) >= GUARDED


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "", "127.0.0.1:{port}.evil.example"],
)
def test_dns_rebinding_is_refused(server: PageServer, host: str) -> None:
    named = host.format(port=server.port)
    found = send(server, f"GET / HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n".encode())
    assert found.startswith("HTTP/1.1 421")
    assert "content-security-policy: default-src 'self'" in found.lower()


def test_a_token_in_an_address_is_not_taken(server: PageServer) -> None:
    token = server.invite("cleo", "admin", is_link=False)
    with httpx.Client(base_url=server.url) as client:
        assert client.get("/api/status", params={"token": token}).status_code == 401
        assert client.get("/join", params={"token": token}).status_code == 401
        assert client.post("/join", params={"token": token}).status_code == 401
        assert client.get("/", params={"token": token}).status_code == 401


def test_a_link_that_failed_too_often_must_wait(server: PageServer) -> None:
    headers = {"Accept": "text/html"}
    with httpx.Client(base_url=server.url, headers=headers) as client:
        found = [client.get("/join", params={"token": f"guess{i}"}).status_code for i in range(60)]
    assert set(found) == {401, 429}
    assert found[0] == 401


def test_too_much_is_not_read(server: PageServer, ann: httpx.Client) -> None:
    large = b'{"n": 1, "x": "' + b"a" * 1_100_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert ann.post("/api/ask", content=large, headers=headers).status_code == 413

    def pieces() -> Iterator[bytes]:  # so that nothing says how much there will be
        for start in range(0, len(large), 50_000):
            yield large[start : start + 50_000]

    found = ann.post("/api/ask", content=pieces(), headers=headers)
    assert found.status_code == 413
    assert set(found.headers) >= GUARDED
    assert ann.get("/api/status").status_code == 200


def test_a_length_that_is_none_is_refused(server: PageServer) -> None:
    for length in ("-1", "1e3", "9" * 5_000, "x"):
        head = f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        found = send(
            server, f"{head}Content-Length: {length}\r\nConnection: close\r\n\r\n".encode()
        )
        assert found[:12] in ("HTTP/1.1 400", "HTTP/1.1 413"), length


def test_too_long_an_address_is_refused(ann: httpx.Client) -> None:
    assert ann.get("/api/status", params={"x": "a" * 9_000}).status_code == 414
    assert ann.get("/" + "a" * 9_000).status_code == 414


@pytest.mark.parametrize("name", PICTURES)
def test_only_pictures_in_the_folder_are_sent(ann: httpx.Client, name: str) -> None:
    found = ann.get("/media/picture", params={"id": name})
    if name in ("inside", "deep"):
        assert (found.status_code, found.content) == (200, PNG)
        assert found.headers["content-type"] == "image/png"
        assert found.headers["x-content-type-options"] == "nosniff"
    else:
        assert found.status_code == 400
        assert found.headers["content-type"] == "application/json"
        assert "root:" not in found.text
        assert "/media/" not in found.text


def test_no_other_column_and_no_other_path_is_read(ann: httpx.Client) -> None:
    for path in (
        "/media/secret?id=x0",
        "/media/..%2f..%2fsecret?id=x0",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/../app.py",
        "/static/surface.html",
    ):
        assert ann.get(path).status_code == 404, path


def test_strange_parts_of_a_file_are_no_fault(ann: httpx.Client) -> None:
    for wanted in (
        "bytes=0-1",
        "bytes=-5",
        "bytes=9-1",
        "bytes=" + "9" * 5_000 + "-",
        "x",
        "bytes=a-b",
    ):
        found = ann.get("/media/picture", params={"id": "inside"}, headers={"Range": wanted})
        assert found.status_code in (200, 206, 416), wanted[:20]


BROKEN = [
    b"",
    b"{",
    b"[" * 200_000,
    b'{"n": ' + b"9" * 5_000 + b"}",
    b'{"n": NaN}',
    b'{"n": 1e999}',
    b"\xff\xfe",
    b'"\\ud800"',
]
STRANGE = [
    b'{"answers": [{"id": "\\ud800", "label": "cat"}]}',
    b'{"answers": [{"id": "x0", "label": "cat", "attributes": {"\\ud800": "a"}}]}',
    b'{"answers": [{"id": "x0", "label": "cat", "attributes": {"sex": "\\u0000"}}]}',
    b'{"answers": [{"id": "x0", "label": "\\u0000"}]}',
    b'{"answers": [{"id": "x0", "label": "cat", "seconds": NaN}]}',
    b'{"ids": ["x0", "x0", "none"]}',
    b'{"ids": ["x0"], "reason": "\\ud800\\u0000"}',
]


@pytest.mark.parametrize("path", ["ask", "tell", "skip", "give-back"])
def test_hostile_bodies_are_refused_in_words(ann: httpx.Client, path: str) -> None:
    for body in BROKEN if path == "ask" else (*BROKEN, *STRANGE):
        headers = {"Content-Type": "application/json"}
        found = ann.post(f"/api/{path}", content=body, headers=headers)
        assert found.status_code in (400, 422), (body[:80], found.text[:200])
        assert found.json()["detail"]
        for word in ("Traceback", "site-packages", 'File "', ".py", "accuracy_assay"):
            assert word not in found.text


def test_an_annotator_gets_nothing_of_an_admin(ann: httpx.Client, server: PageServer) -> None:
    for path in ("/api/team", "/api/surface/heat", "/api/surface/arms", "/api/surface/instances"):
        assert ann.get(path).status_code == 403, path
    for path in ("invite", "revoke", "settle"):
        body = {"annotator": "ann", "role": "admin", "id": "x0", "label": "cat"}
        assert ann.post(f"/api/team/{path}", json=body).status_code == 403, path
    for path in ("/surface", "/team"):
        found = ann.get(path, headers={"Accept": "text/html"})
        assert found.status_code == 403, path
        assert "for admins" in found.text


def test_every_answer_says_what_a_browser_may_do(ann: httpx.Client) -> None:
    with httpx.Client(base_url=ann.base_url) as stranger:
        found = [
            ann.get("/"),
            ann.get("/api/status"),
            ann.get("/static/page.css"),
            ann.get("/none"),
            ann.post("/api/ask", content=b"{"),
            ann.put("/api/ask"),
            ann.head("/"),
            ann.options("/api/ask"),
            stranger.get("/", headers={"Accept": "text/html"}),
            stranger.get("/api/status"),
        ]
    for response in found:
        assert set(response.headers) >= GUARDED, response.url
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert "server" not in response.headers
        assert "access-control-allow-origin" not in response.headers
        assert response.status_code < 500


def test_a_socket_of_the_web_is_refused(server: PageServer) -> None:
    head = f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: Upgrade\r\n"
    rest = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGVzdA==\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as line:
        line.sendall((head + rest).encode())
        assert line.recv(12)[-3:] in (b"400", b"401", b"403", b"429")


def test_who_is_revoked_hears_no_news(server: PageServer) -> None:
    token = server.invite("fay", is_link=False)
    headers = {"Authorization": f"Bearer {token}"}
    other = {"Authorization": f"Bearer {server.invite('gil', is_link=False)}"}
    with (
        httpx.Client(base_url=server.url, timeout=PATIENCE_S) as client,
        client.stream("GET", "/api/live", headers=headers) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines) == "event: surface"
        admin = {"Authorization": f"Bearer {server.invite('hana', 'admin', is_link=False)}"}
        body = {"annotator": "fay"}
        assert client.post("/api/team/revoke", json=body, headers=admin).status_code == 200
        # 429 where the tests before have used up what strangers may try.
        assert client.get("/api/status", headers=headers).status_code in (401, 429)
        for _ in range(2):
            given = client.post("/api/ask", json={"n": 1}, headers=other).json()["items"][0]["id"]
            body = {"answers": [{"id": given, "label": "cat"}]}
            assert client.post("/api/tell", json=body, headers=other).status_code == 200
        heard = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        assert len({news["labels"] for news in heard}) <= 1  # what was so before


def test_one_person_cannot_take_the_streams_of_all(server: PageServer) -> None:
    tokens = [server.invite(who, is_link=False) for who in ("ivy", "jim")]
    ivy, jim = ({"Authorization": f"Bearer {token}"} for token in tokens)
    with httpx.Client(base_url=server.url, timeout=PATIENCE_S) as client, ExitStack() as opened:
        found, kept = [], []  # a stream whose reader is forgotten is closed
        for _ in range(31):
            stream = opened.enter_context(client.stream("GET", "/api/live", headers=ivy))
            found.append(stream.status_code)
            if stream.status_code == 200:
                kept.append(stream.iter_raw())
                assert next(kept[-1]).startswith(b"event: surface")
        assert found == [200] * 30 + [503]
        stream = opened.enter_context(client.stream("GET", "/api/live", headers=jim))
        assert stream.status_code == 200
    with httpx.Client(base_url=server.url, timeout=PATIENCE_S) as client:
        give_up = time.monotonic() + PATIENCE_S
        while True:  # those that were closed are free again, as soon as the server has noticed
            with client.stream("GET", "/api/live", headers=ivy) as stream:
                if stream.status_code == 200:
                    break
            assert time.monotonic() < give_up
            time.sleep(0.05)


def test_nothing_failed_from_inside(server: PageServer) -> None:
    """Runs last: what the server said meanwhile holds no trace of an error of its own."""
    assert not [line for line in server.log if "Traceback" in line]
    assert server.process is not None
    assert server.process.poll() is None
