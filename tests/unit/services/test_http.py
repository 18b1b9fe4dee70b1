"""The HTTP service against a real server: mapping, limits, faults and secrets."""

import email.utils
import json
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, unquote, urlsplit

import polars as pl
import pytest
from http_endpoint import Call, Endpoint, Reply, endpoint
from patience import PATIENCE_S

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


def stored(made_by: HttpService, rows: pl.DataFrame, message: str) -> dict[int, str]:
    """Return what was predicted before the run ended with an error."""
    kept: dict[int, str] = {}
    groups = made_by.predict(rows)

    def run() -> None:
        for group in groups:
            kept.update({p.position: p.prediction for p in group})

    with pytest.raises(ServiceError, match=message):
        run()
    return kept


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


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("\u00b2", 0.25, 0.5),
        ("soon", 0.25, 0.5),
        ("-5", 0.25, 0.5),
        ("1e3", 0.25, 0.5),
        ("0", 0.25, 0.5),
        ("9" * 400, 0.25, 0.5),
        ("99999999", 60.0, 60.0),
        ("Mon, 01 Jan 1990 00:00:00 GMT", 0.25, 0.5),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 60.0, 60.0),
        ("Fri, 31 Dec 99999 23:59:59 GMT", 0.25, 0.5),
        ("in half a minute", 15.0, 30.0),
    ],
)
def test_whatever_stands_in_retry_after_the_pause_is_sane(
    said: str, least: float, most: float
) -> None:
    pauses: list[float] = []
    if said == "in half a minute":
        said = email.utils.formatdate(time.time() + 30, usegmt=True)
    replies = [Reply("", 503, {"Retry-After": said})]
    with endpoint(lambda call: replies.pop(0) if replies else echo(call)) as server:
        assert predicted(service(server, sleep=pauses.append), ROWS[:1]) == {0: "A"}
    assert least <= pauses[0] <= most


def test_a_row_is_given_up_at_its_deadline_over_all_attempts() -> None:
    pauses: list[float] = []
    with endpoint(lambda _: Reply("", 503, {"Retry-After": "20"})) as server:
        made_by = service(server, sleep=pauses.append, deadline_s=50.0)
        stored(made_by, ROWS[:1], r"after 3 attempts; .* deadline_s of 50")
    assert pauses == [20.0, 20.0]


def test_a_server_that_sends_byte_by_byte_is_cut() -> None:
    def drip() -> Iterator[bytes]:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:  # or until the other side has gone
            time.sleep(0.05)
            yield b" "

    with endpoint(
        lambda call: Reply(drip()) if call.content["q"] == "b" else echo(call)
    ) as server:
        started = time.monotonic()
        with pytest.raises(ServiceError, match=r"1 failures in 3 rows: ReadTimeout: no whole"):
            predicted(service(server, timeout_s=2.0, retries=0), ROWS[:3])
        assert time.monotonic() - started < PATIENCE_S / 2.0


def test_an_answer_that_is_too_large_is_not_tried_again() -> None:
    large = b'{"label": "' + b"x" * 2**17 + b'"}'
    with endpoint(lambda _: Reply(large)) as server:
        assert predicted(service(server), ROWS[:1]) == {0: "x" * 2**17}
        with pytest.raises(ServiceError, match=r"more than 0\.1 MB\. .* raise max_answer_mb"):
            predicted(service(server, max_answer_mb=0.1), ROWS[:1])
        assert len(server.calls) == 2


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


@pytest.mark.parametrize(
    "url", ["no address", "ftp://host/x", "http://host:port/", "http://{id}/"]
)
def test_an_address_that_cannot_be_called_is_refused_before_any_call(url: str) -> None:
    made_by = HttpService("api", url, {"prediction": "x"}, {"q": "{text}"}, concurrency=1)
    with pytest.raises(InputError, match="url of service 'api' must"):
        predicted(made_by)


def test_values_in_the_address_arrive_as_they_are_in_the_row() -> None:
    values = ["AT&T is #1", "../admin", "x@evil.example", "a/b?c=d", "50 % + ü"]
    rows = pl.DataFrame({"text": values})

    def answer(call: Call) -> Reply:
        parts = urlsplit(call.path)
        first, second = parts.path.removeprefix("/predict/").split("/")
        assert unquote(first) == unquote(second)
        assert parse_qs(parts.query) == {"text": [unquote(first)]}
        return Reply({"label": unquote(first)})

    with endpoint(answer) as server:
        made_by = service(server, url=server.url + "/{text}/{text}?text={text}", request={})
        assert predicted(made_by, rows) == dict(enumerate(values))


def test_a_get_keeps_the_query_that_stands_in_the_address() -> None:
    with endpoint(lambda call: Reply({"label": call.path})) as server:
        made = predicted(service(server, method="GET", url=server.url + "?v=2"), ROWS[:1])
    assert made == {0: "/predict?v=2&q=a"}


def test_rows_that_cannot_be_sent_are_left_out_and_the_others_are_answered() -> None:
    rows = pl.DataFrame({"text": [None] * 30 + [".."] + list("ab")})
    with endpoint(lambda call: Reply({"label": call.path[-1]})) as server:
        made_by = service(server, url=server.url + "/{text}", request={})
        kept = stored(made_by, rows, r"31 failures in 33 rows: row \d+ cannot be sent")
        assert len(server.calls) == 2
    assert kept == {31: "a", 32: "b"}


def test_a_number_that_json_does_not_know_costs_its_own_row_only() -> None:
    rows = pl.DataFrame({"text": ["a", "b"], "x": [float("nan"), 1.5]})
    with endpoint(lambda call: Reply({"label": call.content["x"]})) as server:
        made_by = service(server, request={"x": "{x}"})
        assert stored(made_by, rows, "1 failures in 2 rows: row 0 cannot") == {1: "1.5"}


def test_a_header_takes_a_rows_value_but_never_a_line_break() -> None:
    rows = pl.DataFrame({"text": ["a", "b\r\nX-Evil: 1", "c"]})
    with endpoint(lambda call: Reply({"label": call.headers["X-Row"]})) as server:
        made_by = service(server, headers={"X-Row": "row {text}"}, request={"q": 1})
        kept = stored(made_by, rows, r"1 failures .* header 'X-Row' .* one line")
        assert all("X-Evil" not in call.headers for call in server.calls)
    assert kept == {0: "row a", 2: "row c"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>oops</html>", "not JSON: '<html>oops</html>'"),
        ({"lable": "cat"}, "without 'label'"),
        ({"label": {"a": 1}}, "must be a text or a number"),
        ([], "without 'label'"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b'{"label": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"label": "\\ud800"}', "half a character"),
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
            release.wait(PATIENCE_S)
        return echo(call)

    with endpoint(answer) as server:
        with pytest.raises(ServiceError, match="1 failures in 3 rows: ReadTimeout"):
            predicted(service(server, timeout_s=1.0, retries=1), ROWS[:3])
        release.set()


@pytest.mark.parametrize("rate", [None, 0.01])
def test_a_run_that_is_stopped_waits_for_no_pause_and_no_turn(rate: float | None) -> None:
    def answer(call: Call) -> Reply:
        return echo(call) if call.content["q"] == "a" else Reply("", 503, {"Retry-After": "50"})

    with endpoint(answer) as server:
        groups = service(server, sleep=None, requests_per_second=rate).predict(ROWS)
        assert [p.prediction for p in next(g for g in groups if g)] == ["A"]
        started = time.monotonic()
        groups.close()  # type: ignore[attr-defined]
        assert time.monotonic() - started < 25.0  # half of what the server asks for


def test_no_more_calls_run_at_once_than_allowed() -> None:
    lock, running, most = threading.Lock(), [0], [0]
    together = threading.Barrier(3)

    def answer(call: Call) -> Reply:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait(PATIENCE_S)  # for as many as are allowed
        time.sleep(0.02)  # for more, if they were
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


def test_a_secret_shows_in_no_log_no_reason_and_no_encoded_form(
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret = "hunter 2/ü"
    forms = [secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]]
    settings = {"method": "GET", "request": {"q": "{text}", "key": "${API_KEY}"}}
    said = " ".join([*forms, "?sig=abc123 postgresql://ann:abc123@h"])

    def answer(_: Call) -> Reply:
        return Reply(said.encode(), 403, {"X-Echo": quote(secret)}, reason=f"No {quote(secret)}")

    with endpoint(answer) as server, caplog.at_level(logging.DEBUG):
        made_by = service(server, environment={"API_KEY": secret}, **settings)
        with pytest.raises(ServiceError, match="status 403 Forbidden") as caught:
            predicted(made_by)
        assert parse_qs(urlsplit(server.calls[0].path).query)["key"] == [secret]
    for form in (*forms, "abc123"):
        assert form not in str(caught.value) + caplog.text


def test_a_prediction_that_holds_the_secret_is_not_kept() -> None:
    with endpoint(lambda call: Reply({"label": call.headers["X-Key"]})) as server:
        made_by = service(
            server, environment={"API_KEY": "hunter2"}, headers={"X-Key": "${API_KEY}"}
        )
        with pytest.raises(ServiceError, match="holds the secret") as caught:
            assert predicted(made_by, ROWS[:1]) == {}
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("secret", ["hunter2\n", "hunter2\r\nX-Evil: 1", " hunter2", "hünter2"])
def test_a_secret_that_no_header_can_hold_is_refused_before_any_call(secret: str) -> None:
    with endpoint(echo) as server:
        made_by = service(server, environment={"KEY": secret}, headers={"X-Key": "${KEY}"})
        with pytest.raises(InputError, match=r"header 'X-Key' .* must be one line") as caught:
            predicted(made_by)
        assert server.calls == []
    assert "nter2" not in str(caught.value)


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
