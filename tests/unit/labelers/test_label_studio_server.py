"""Calls to a server: tried again where that is safe, and no token in any message."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from label_studio_fake import PERSONAL, TOKEN, FakeLabelStudio, fake_label_studio

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.labelers.label_studio_server import LabelStudioServer


@pytest.fixture
def fake() -> Iterator[FakeLabelStudio]:
    with fake_label_studio() as running:
        yield running


class Failing(httpx.BaseTransport):
    """Fails the first calls in a given way, then answers."""

    def __init__(self, *failures: type[httpx.TransportError] | int) -> None:
        self.failures = list(failures)
        self.methods: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.methods.append(request.method)
        failure = self.failures.pop(0) if self.failures else 200
        if isinstance(failure, int):
            return httpx.Response(failure, json={"detail": "busy"} if failure > 200 else [])
        raise failure(f"no luck with {request.headers['Authorization']}", request=request)


def make(*failures: type[httpx.TransportError] | int) -> tuple[LabelStudioServer, Failing, list]:
    transport, pauses = Failing(*failures), []
    server = LabelStudioServer("http://host", TOKEN, transport=transport, sleep=pauses.append)
    return server, transport, pauses


def test_calls_that_do_no_harm_twice_are_tried_again_with_growing_pauses() -> None:
    calls: list[Callable[[LabelStudioServer], Any]] = [
        lambda server: server.get("/x"),
        lambda server: server.change("/x", {}),
        lambda server: server.delete("/x", {}),
    ]
    for call in calls:
        server, transport, pauses = make(httpx.ReadTimeout, 503, httpx.ConnectError)
        assert call(server) == []
        assert len(transport.methods) == 4
        assert pauses == [0.5, 1.0, 2.0]


def test_what_may_have_been_added_is_not_added_again() -> None:
    for failure in (httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.ConnectError, 500):
        server, transport, _ = make(failure)
        with pytest.raises(ServiceError, match="Label Studio at http://host must answer POST /x"):
            server.add("/x", [])
        assert transport.methods == ["POST"]


def test_a_server_that_stays_away_is_named_and_no_token_is() -> None:
    server, transport, _ = make(*[httpx.ConnectError] * 9)
    with pytest.raises(ServiceError, match=r"http://host must .* Is it running\?") as caught:
        server.get("/x")
    assert len(transport.methods) == 5
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("token", ["wrong-token-123", "no.such.token"])
def test_a_token_that_is_refused_is_not_shown_and_says_what_to_do(
    fake: FakeLabelStudio, token: str
) -> None:
    server = LabelStudioServer(fake.url, token)
    with pytest.raises(InputError, match="LABEL_STUDIO_API_KEY must be a token") as caught:
        server.get("/api/users/")
    assert token not in str(caught.value)
    assert "Access Tokens" in str(caught.value)
    server.close()


def test_a_personal_access_token_is_swapped_again_when_its_short_one_ends(
    fake: FakeLabelStudio, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = LabelStudioServer(fake.url, f" {PERSONAL}\n")
    assert len(server.get("/api/users/")) == 2
    fake.passes.clear()
    assert len(server.get("/api/users/")) == 2
    assert fake.calls.count("POST /api/token/refresh/") == 2
    assert PERSONAL not in caplog.text
    assert "short-" not in caplog.text
    server.close()


def test_a_refusal_says_what_the_server_says(fake: FakeLabelStudio) -> None:
    server = LabelStudioServer(fake.url, TOKEN)
    with pytest.raises(InputError, match=r"got 400: no .*no more than 50 characters"):
        server.add("/api/projects/", {"title": "x" * 60})
    with pytest.raises(InputError, match="must accept GET /api/projects/7/; got 404"):
        server.get("/api/projects/7/")
    server.close()


def test_what_is_not_label_studio_is_named() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/moved":
            return httpx.Response(302, headers={"Location": "https://ann:hunter2@other/x?a=b"})
        return httpx.Response(200, text="<html>hello")

    server = LabelStudioServer("http://host/", TOKEN, transport=httpx.MockTransport(answer))
    with pytest.raises(InputError, match=r"with JSON; got 200: <html>hello\. Is it Label Studio"):
        server.get("/page")
    with pytest.raises(InputError, match="sends callers to https://other/x") as caught:
        server.get("/moved")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8080", "must be the address of Label Studio, such as"),
        ("ftp://host", "must be the address"),
        ("http://", "must be the address"),
        ("http://ann:hunter2@host", "which is not shown"),
        ("http://host?token=hunter2", "which is not shown"),
    ],
)
def test_an_address_that_is_none_is_refused_without_its_secrets(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        LabelStudioServer(url, TOKEN)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "  \n", "two words", "tökèn", "line\nbreak"])
def test_a_token_that_no_header_holds_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(InputError, match="LABEL_STUDIO_API_KEY") as caught:
        LabelStudioServer("http://host", token)
    assert not token.strip() or token not in str(caught.value)
