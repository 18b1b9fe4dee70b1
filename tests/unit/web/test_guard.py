"""What is refused before anything reads it, and what every answer says to a browser."""

import pytest
from starlette.testclient import TestClient

from accuracy_assay.web.guard import Guard, RateLimit, allowed_hosts

HOST = "127.0.0.1:8765"


async def answer(scope, receive, send) -> None:
    if scope["type"] != "http":
        return
    n_bytes, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        n_bytes += len(message["body"])
        more = message.get("more_body", False)
    text = str(n_bytes).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text})


def guarded(pace: RateLimit | None = None) -> TestClient:
    return TestClient(
        Guard(answer, [HOST], pace or RateLimit(1e6, 1e6)), base_url=f"http://{HOST}"
    )


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:9", "", "localhost:8765.x"]
)
def test_a_host_that_was_bent_to_this_address_is_refused(host: str) -> None:
    response = guarded().get("/", headers={"Host": host})
    assert response.status_code == 421
    assert "evil" not in response.text


def test_every_answer_says_what_a_browser_may_do() -> None:
    for response in (guarded().get("/"), guarded().get("/", headers={"Host": "evil.example"})):
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["referrer-policy"] == "same-origin"
        assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://evil.example/{HOST}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_what_another_site_sends_is_refused(headers: dict[str, str]) -> None:
    assert guarded().post("/", headers=headers).status_code == 403
    assert guarded().get("/", headers=headers).status_code == 200


def test_a_page_of_its_own_and_a_program_may_send() -> None:
    own = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
    assert guarded().post("/", headers=own).status_code == 200
    assert guarded().post("/").status_code == 200


def test_too_large_a_request_is_refused_by_its_header() -> None:
    assert guarded().post("/", content=b"x" * 1_000_000).text == "1000000"
    assert guarded().post("/", content=b"x" * 1_000_001).status_code == 413
    assert guarded().post("/", headers={"Content-Length": "a lot"}).status_code == 413


def test_a_request_that_does_not_say_its_length_is_cut() -> None:
    def pieces():
        for _ in range(40):
            yield b"x" * 100_000

    assert int(guarded().post("/", content=pieces()).text) <= 1_000_000


def test_too_long_an_address_is_refused() -> None:
    assert guarded().get("/" + "a" * 7_000).status_code == 200
    assert guarded().get("/" + "a" * 9_000).status_code == 414
    assert guarded().get("/?" + "a" * 9_000).status_code == 414


def test_who_comes_too_often_is_told_when_to_come_back() -> None:
    client = guarded(RateLimit(0.5, 2.0))
    assert [client.get("/").status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/").headers["retry-after"] == "2"


def test_a_pace_fills_again_at_its_rate() -> None:
    now = [0.0]
    pace = RateLimit(2.0, 3.0, clock=lambda: now[0])
    assert [pace.wait("ann") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert pace.wait("bob") == 0.0
    now[0] = 0.5
    assert pace.wait("ann") == 0.0
    assert pace.wait("ann") == 0.5
    now[0] = 100.0
    assert [pace.wait("ann") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_a_pace_remembers_no_more_than_it_should() -> None:
    pace = RateLimit(1.0, 1.0, clock=lambda: 0.0, most_known=10)
    for k in range(1_000):
        pace.wait(str(k))
    assert len(pace._known) == 10


def test_a_server_answers_to_its_own_names_alone() -> None:
    assert allowed_hosts("127.0.0.1", 80) == ("127.0.0.1:80", "localhost:80", "[::1]:80")
    assert "0.0.0.0:80" not in allowed_hosts("0.0.0.0", 80)
    assert "10.0.0.7:80" in allowed_hosts("10.0.0.7", 80)
    assert "[fe80::1]:80" in allowed_hosts("fe80::1", 80)
    assert "lab.example" in allowed_hosts("0.0.0.0", 80, ["lab.example"])
    assert allowed_hosts("127.0.0.1", 80, ["a:9"])[-1] == "a:9"
