import json

import httpx
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.webhook import post_json

URL = "https://hooks.example.org/T0/secret"


def test_a_message_arrives_as_json() -> None:
    seen: list[httpx.Request] = []

    def take(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    assert post_json(URL, {"text": "it fell"}, httpx.MockTransport(take)) is None
    (request,) = seen
    assert request.method == "POST"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.content) == {"text": "it fell"}


def test_what_went_wrong_is_returned() -> None:
    refused = httpx.MockTransport(lambda _: httpx.Response(403))
    assert post_json(URL, {}, refused) == "the server answered 403"

    def cut(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route", request=request)

    assert post_json(URL, {}, httpx.MockTransport(cut)) == "ConnectError: no route"


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="must begin with http"):
        post_json("ftp://example.org", {})
