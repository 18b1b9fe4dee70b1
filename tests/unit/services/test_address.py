"""Addresses by example: the host is the spec's own, and a row's values stay in their place."""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.errors import InputError
from accuracy_assay.services.address import Address, refuse_rows_in_host

WHOLE = Address.read("http://host:8000/v1/{id}/x-{id}?text={text}&v=2", "url")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("AT&T is #1", "AT%26T%20is%20%231"),
        ("a=b?c/d+e%20", "a%3Db%3Fc%2Fd%2Be%2520"),
        ("Zürich", "Z%C3%BCrich"),
        ("a\r\nb", "a%0D%0Ab"),
        (2.5, "2.5"),
        (None, ""),
    ],
)
def test_a_value_in_the_query_is_one_parameter_whatever_it_holds(value: Any, text: str) -> None:
    assert WHOLE.fill({"id": "7", "text": value}) == f"http://host:8000/v1/7/x-7?text={text}&v=2"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("../admin", "%2E%2E%2Fadmin"),
        ("a/b", "a%2Fb"),
        ("x@evil.example", "x%40evil.example"),
        ("//evil.example", "%2F%2Fevil.example"),
        ("a?b#c", "a%3Fb%23c"),
        ("a\\b", "a%5Cb"),
        ("report.pdf", "report.pdf"),
    ],
)
def test_a_value_in_the_path_is_part_of_one_segment(value: str, text: str) -> None:
    assert WHOLE.fill({"id": value, "text": ""}).startswith(f"http://host:8000/v1/{text}/x-{text}")


@given(st.text(min_size=1, max_size=20), st.text(max_size=20))
def test_the_server_reads_back_what_the_row_holds(name: str, text: str) -> None:
    try:
        address = WHOLE.fill({"id": name, "text": text})
    except ValueError:
        assert name in (".", "..")
        return
    parts = urlsplit(address)
    assert (parts.scheme, parts.netloc) == ("http", "host:8000")
    segments = parts.path.split("/")
    assert [unquote(s) for s in segments] == ["", "v1", name, f"x-{name}"]
    assert parse_qs(parts.query, keep_blank_values=True) == {"text": [text], "v": ["2"]}


@pytest.mark.parametrize("value", [".", "..", "", None])
def test_a_segment_that_would_lead_elsewhere_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"part '\{id\}' of the path must not become"):
        WHOLE.fill({"id": value, "text": "a"})


def test_two_values_cannot_make_a_step_upwards_together() -> None:
    with pytest.raises(ValueError, match=r"must not become '\.\.'"):
        Address.read("http://host/{a}{b}/x", "url").fill({"a": ".", "b": "."})


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://{host}/x", "must name its host itself; got one with '{host}'"),
        ("http://api.{region}.example/x", "'{region}'"),
        ("http://host:{port}/x", "'{port}'"),
        ("http://{user}@host/x", "'{user}'"),
        ("{scheme}://host/x", "must be an address such as"),
        ("{url}", "must be an address such as"),
        ("no address", "must be an address such as"),
        ("ftp://host/x", "must be an address such as"),
        ("http:/hunter2@host/x", "must be an address such as"),
        ("http://host:port/", "a number up to 65535"),
        ("http://host:99999/", "a number up to 65535"),
        ("http:///x", "must have a host"),
        ("http://ann:hunter2@host/x", "no user and no secret"),
        ("http://hunter2@host/x", "no user and no secret"),
        ("http://host/x#hunter2", "no '#'"),
        ("http://host/a b", "no '#', backslash, space"),
        ("http://host/{{a}}", "single brace"),
        ("http://host/{a", "single brace"),
        ("http://host/${KEY}", "single brace"),
        ("http://host/a\r\nX: y", "must be an address such as|no '#'"),
        ("http://host\\@evil/x", "must have a host|no '#', backslash"),
    ],
)
def test_an_address_that_is_none_or_whose_host_is_open_is_refused(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Address.read(url, "url of service 's'")
    assert str(caught.value).startswith("url of service 's' must")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000",
        "https://[::1]:80/x",
        "HTTPS://host/{my column}?a={b c}",
        "http://h/?",
    ],
)
def test_usual_addresses_are_taken(url: str) -> None:
    Address.read(url, "url")


def test_no_row_names_the_host_in_a_header() -> None:
    refuse_rows_in_host({"Host": "example.org", "X-Id": "{id}"}, "service 's'")
    with pytest.raises(InputError, match="header 'host' of service 's' must name a host itself"):
        refuse_rows_in_host({"host": "{id}.example.org"}, "service 's'")
