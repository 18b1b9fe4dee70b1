"""Calls are made again while that may help, and never past their number or their deadline."""

import random
from contextlib import closing

import httpx
import pytest

from accuracy_assay.runtime.http_client import Answer, AnswerError, BoundedClient
from accuracy_assay.runtime.http_retries import Patience, send_patiently

Failure = type[httpx.TransportError] | httpx.Response


def call(
    *failures: Failure,
    retries: int = 4,
    deadline_s: float = 300.0,
    rng: random.Random | None = None,
) -> tuple[Answer | httpx.HTTPError, int, list[float]]:
    """Return the outcome of a request that fails in these ways first, its calls and its pauses."""
    left, pauses = list(failures), []

    def answer(request: httpx.Request) -> httpx.Response:
        failure = left.pop(0) if left else httpx.Response(200, content=b"ok")
        if isinstance(failure, httpx.Response):
            return failure
        raise failure("no luck", request=request)

    patience = Patience(5.0, 100, retries, deadline_s, pauses.append, rng)
    with closing(BoundedClient(httpx.MockTransport(answer))) as client:
        return *send_patiently(client, httpx.Request("GET", "http://host"), patience), pauses


def refusal(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()})


@pytest.mark.parametrize("failure", [httpx.ReadTimeout, httpx.ConnectError, refusal(503)])
def test_failures_that_may_pass_are_tried_again_with_pauses_that_double(failure: Failure) -> None:
    got, n_calls, pauses = call(failure, refusal(429), refusal(500))
    assert isinstance(got, Answer)
    assert got.content == b"ok"
    assert (n_calls, pauses) == (4, [0.5, 1.0, 2.0])


@pytest.mark.parametrize("failure", [httpx.LocalProtocolError, refusal(404), refusal(302)])
def test_failures_that_cannot_pass_are_not_tried_again(failure: Failure) -> None:
    _, n_calls, pauses = call(failure)
    assert (n_calls, pauses) == (1, [])


def test_an_answer_that_is_too_large_is_not_asked_for_again() -> None:
    with pytest.raises(AnswerError, match="more than"):
        call(httpx.Response(200, content=b"x" * 101))


@pytest.mark.parametrize("failure", [httpx.ReadTimeout, refusal(503)])
def test_the_last_failure_is_returned_after_all_retries(failure: Failure) -> None:
    got, n_calls, _ = call(*[failure] * 9, retries=2)
    assert n_calls == 3
    assert isinstance(got, Answer if isinstance(failure, httpx.Response) else failure)


def test_no_call_is_made_past_the_deadline() -> None:
    _, n_calls, pauses = call(*[refusal(503, Retry_After="20")] * 9, deadline_s=50.0)
    assert (n_calls, pauses) == (3, [20.0, 20.0])


def test_pauses_are_shortened_by_up_to_a_half_and_never_below_what_the_server_asks() -> None:
    asked = refusal(429, Retry_After="7")
    _, _, pauses = call(refusal(503), refusal(503), asked, rng=random.Random(0))
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0
    assert pauses[2] == 7.0


def test_pauses_never_exceed_a_minute() -> None:
    _, _, pauses = call(*[refusal(503)] * 10, refusal(503, Retry_After="999"), retries=12)
    assert max(pauses) == pauses[-1] == 60.0
