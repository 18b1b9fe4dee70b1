"""The HTTP service against a real server: mapping, limits, faults and secrets."""

import logging
import threading
import time
from typing import Any

import polars as pl
import pytest
from http_endpoint import Call, Endpoint, Reply, endpoint

from accuracy_assay.errors import InputError, ServiceError, UnknownNameError
from accuracy_assay.services.http import HttpService

ROWS = pl.DataFrame({"id": [f"x{i}" for i in range(12)], "text": list("abcdefghijkl")})


def service(server: Endpoint, **settings: Any) -> HttpService:
    known = {
        "name": "api",
        "url": server.url,
        "request": {"q": "{text}"},
        "response": {"prediction": "label"},
        "sleep": lambda _: None,
    }
    return HttpService(**known | settings)


def echo(call: Call) -> Reply:
    return Reply({"label": call.content["q"].upper()})


def predicted(made_by: HttpService, rows: pl.DataFrame = ROWS) -> dict[int, str]:
    return {p.position: p.prediction for group in made_by.predict(rows) for p in group}


def test_every_row_is_sent_by_the_mapping_and_read_by_the_path() -> None:
    def answer(call: Call) -> Reply:
        assert call.content == {
            "doc": {"body": f"<{call.content['n'][0]}>"},
            "n": call.content["n"],
        }
        return Reply({"out": [{"label": 3.0, "p": 0.25}]})

    with endpoint(answer) as server:
        made_by = service(
            server,
            request={"doc": {"body": "<{text}>"}, "n": ["{text}", 5, None]},
            response={"prediction": "out.0.label", "confidence": "out.0.p"},
        )
        made = [p for group in made_by.predict(ROWS) for p in group]
    assert sorted(p.position for p in made) == list(range(12))
    assert {(p.prediction, p.confidence) for p in made} == {("3", 0.25)}


def test_a_get_puts_the_row_into_the_address() -> None:
    with endpoint(lambda call: Reply({"label": call.path})) as server:
        made = predicted(service(server, method="GET", url=server.url + "/{id}"), ROWS[:1])
    assert made == {0: "/predict/x0?q=a"}


def test_passing_faults_are_tried_again() -> None:
    seen: dict[str, int] = {}

    def answer(call: Call) -> Reply:
        text = call.content["q"]
        seen[text] = seen.get(text, 0) + 1
        if seen[text] <= 3:
            return Reply("busy", status=(429, 500, 503)[seen[text] - 1])
        return echo(call)

    with endpoint(answer) as server:
        assert predicted(service(server)) == {i: t.upper() for i, t in enumerate(ROWS["text"])}
    assert set(seen.values()) == {4}


def test_pauses_grow_and_the_service_may_say_how_long() -> None:
    pauses: list[float] = []
    replies = [Reply("", 503), Reply("", 503), Reply("", 429, {"Retry-After": "7"})]

    def answer(call: Call) -> Reply:
        return replies.pop(0) if replies else echo(call)

    with endpoint(answer) as server:
        predicted(service(server, sleep=pauses.append), ROWS[:1])
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0
    assert pauses[2] == 7.0


def test_rows_that_fail_for_good_are_left_out_and_named_at_the_end() -> None:
    def answer(call: Call) -> Reply:
        return Reply("out of order", 500) if call.content["q"] in "cf" else echo(call)

    groups: list[Any] = []
    with endpoint(answer) as server:
        with pytest.raises(ServiceError, match=r"2 failures in 12 rows: status 500.*3 attempts"):
            groups.extend(service(server, retries=2).predict(ROWS))
        assert len(server.calls) == 10 + 2 * 3
    made = [p.position for group in groups for p in group]
    assert sorted(made) == [i for i in range(12) if i not in (2, 5)]


def test_a_refusal_ends_the_run_at_once() -> None:
    with endpoint(lambda _: Reply({"error": "who are you?"}, 401)) as server:
        with pytest.raises(ServiceError, match=r"status 401 Unauthorized.*who are you"):
            predicted(service(server, concurrency=1))
        assert len(server.calls) == 1


def test_a_service_that_is_down_is_given_up() -> None:
    made_by = HttpService(
        "api", "http://127.0.0.1:1/", {"prediction": "x"}, {"q": "{text}"}, retries=0
    )
    rows = pl.concat([ROWS] * 20)
    with pytest.raises(ServiceError, match=r"1[0-3] failures in 240 rows: ConnectError"):
        predicted(made_by, rows)


@pytest.mark.parametrize("url", ["no address", "ftp://host/x", "http://host:port/"])
def test_an_address_that_cannot_be_called_ends_the_run_at_once(url: str) -> None:
    made_by = HttpService("api", url, {"prediction": "x"}, {"q": "{text}"}, concurrency=1)
    with pytest.raises(ServiceError, match="1 failures in 12 rows"):
        predicted(made_by)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>oops</html>", "not JSON: '<html>oops</html>'"),
        ({"lable": "cat"}, "without 'label'"),
        ({"label": {"a": 1}}, "must be a text or a number"),
        ([], "without 'label'"),
        (b"\xff\xfe\x00", "not JSON"),
    ],
)
def test_garbage_is_shown_and_not_paid_for_again(content: Any, message: str) -> None:
    with endpoint(lambda _: Reply(content)) as server:
        with pytest.raises(ServiceError, match=message):
            predicted(service(server), ROWS[:3])
        assert len(server.calls) == 3


def test_nothing_is_the_answer_of_a_service_that_has_none() -> None:
    with endpoint(lambda _: Reply({"label": None})) as server:
        assert predicted(service(server), ROWS[:1]) == {0: ""}


def test_a_service_that_hangs_runs_out_of_time() -> None:
    release = threading.Event()

    def answer(call: Call) -> Reply:
        if call.content["q"] == "b":
            release.wait(5)
        return echo(call)

    with endpoint(answer) as server:
        started = time.monotonic()
        with pytest.raises(ServiceError, match="1 failures in 3 rows: ReadTimeout"):
            predicted(service(server, timeout_s=0.2, retries=1), ROWS[:3])
        assert time.monotonic() - started < 3.0
        release.set()


def test_no_more_calls_run_at_once_than_allowed() -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def answer(call: Call) -> Reply:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return echo(call)

    with endpoint(answer) as server:
        predicted(service(server, concurrency=3))
    assert most[0] == 3


def test_no_call_is_made_while_the_answers_of_the_last_are_stored() -> None:
    with endpoint(echo) as server:
        groups = service(server, concurrency=3).predict(ROWS)
        stored = 0
        for group in groups:
            time.sleep(0.02)
            assert len(server.calls) <= stored + 3
            stored += len(group)
    assert stored == 12


def test_the_rate_is_kept() -> None:
    with endpoint(echo) as server:
        started = time.monotonic()
        predicted(service(server, requests_per_second=40.0))
        assert time.monotonic() - started >= 11 / 40


def test_a_secret_comes_from_the_environment_and_is_never_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = {
        "headers": {"Authorization": "Bearer ${API_KEY}"},
        "request": {"q": "{text}", "key": "${API_KEY}"},
    }

    def answer(call: Call) -> Reply:
        return Reply(f"no access for {call.headers['Authorization']}".encode(), 403)

    with endpoint(answer) as server, caplog.at_level(logging.DEBUG):
        made_by = service(server, environment={"API_KEY": "hunter2"}, **settings)
        with pytest.raises(ServiceError, match=r"no access for Bearer \*\*\*") as caught:
            predicted(made_by)
        assert server.calls[0].headers["Authorization"] == "Bearer hunter2"
        assert server.calls[0].content["key"] == "hunter2"
    assert "hunter2" not in str(caught.value) + repr(made_by) + caplog.text


def test_a_row_cannot_ask_for_a_secret() -> None:
    rows = pl.DataFrame({"text": ["${API_KEY}"]})
    with endpoint(echo) as server:
        made_by = service(
            server,
            environment={"API_KEY": "hunter2"},
            headers={"X-Key": "${API_KEY}"},
            request={"q": "say {text}"},
        )
        assert predicted(made_by, rows) == {0: "SAY ${API_KEY}"}


def test_a_missing_secret_and_a_missing_column_are_named_before_any_call() -> None:
    with endpoint(echo) as server:
        with pytest.raises(InputError, match="'API_KEY' must be set"):
            predicted(service(server, environment={}, headers={"X-Key": "${API_KEY}"}))
        with pytest.raises(UnknownNameError, match="got 'txt'"):
            predicted(service(server, request={"q": "{txt}"}))
        assert server.calls == []
